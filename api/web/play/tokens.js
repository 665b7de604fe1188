// What this browser stores: its tokens, which are sent in headers and bodies only, and the name of its player.

/** @import { Created, FoundSeat } from "openapi" */
/** @import { Mine, Tokens } from "../types.js" */

import { Problem, post } from "./api.js";

const OWN = "franchise:";
const PREFIX = `${OWN}tokens:`;
const BATCH = 100;

/** Whether the browser lets this page store data. */
export const keepsTokens = isStorageOpen();

/**
 * The tokens that the server has refused since this page was loaded: they were renewed, or their seats freed.
 * @type {Set<string | undefined>}
 */
const refused = new Set();

/** The stored tokens by key; without storage they live in the history of the tab. */
/** @type {Record<string, string>} */
const kept = keepsTokens ? localStorage : { ...history.state?.tokens };

if (!keepsTokens) addEventListener("hashchange", remember);

function isStorageOpen() {
  try {
    return Boolean(localStorage);
  } catch {
    return false;
  }
}

/** Without storage, keep the tokens when the page is reloaded. */
function remember() {
  if (!keepsTokens) history.replaceState({ tokens: kept }, "");
}

/**
 * Load another page, with the tokens even without storage.
 * @param {string} path
 */
export function goTo(path) {
  if (keepsTokens) {
    location.assign(path);
  } else {
    history.pushState({ tokens: kept }, "", path);
    location.reload();
  }
}

/**
 * Return the stored tokens of a game.
 * @param {string} game
 * @returns {Tokens}
 */
function storedTokens(game) {
  const found = keptFor(game);
  return { ...found, seats: { ...found?.seats } };
}

/**
 * Return the tokens of a game without those that the server has refused. While a renewal waits for its response, the
 * refused token is needed to repeat it.
 * @param {string} game
 * @returns {Tokens}
 */
export function tokensOf(game) {
  const stored = storedTokens(game);
  return stored.renewal ? stored : without(refused, stored);
}

/** @param {Set<string | undefined>} tokens @param {Tokens} stored */
function without(tokens, { host, spectator, seats, ...others }) {
  return {
    ...others,
    ...(!tokens.has(host) && { host }),
    ...(!tokens.has(spectator) && { spectator }),
    seats: Object.fromEntries(Object.entries(seats).filter(([, token]) => !tokens.has(token))),
  };
}

/**
 * Note a token that the server has refused. It stays stored until the user forgets or replaces it.
 * @param {string | undefined} token
 * @param {unknown} error
 * @returns {boolean} false for any other error
 */
export function refuse(token, error) {
  const revoked = Boolean(token) && error instanceof Problem && error.code === "token_unknown";
  if (revoked) refused.add(token);
  return revoked;
}

/** @param {string} game */
export const hasRefused = (game) => tokensIn(storedTokens(game)).some((token) => refused.has(token));

/** @param {string} game */
export const forgetRefused = (game) => store(game, without(refused, storedTokens(game)));

/**
 * Read the stored value of a game, which may be anything.
 * @param {string} game
 */
function keptFor(game) {
  try {
    return JSON.parse(kept[PREFIX + game] ?? "null");
  } catch {
    return null;
  }
}

/**
 * Store more tokens of a game.
 * @param {string} game
 * @param {Partial<Tokens>} tokens
 */
export function keepTokens(game, { seats = {}, ...others }) {
  const known = storedTokens(game);
  store(game, { ...known, ...others, seats: { ...known.seats, ...seats } });
}

/**
 * Forget the token of a seat that the player has left.
 * @param {string} game
 * @param {number} seat
 */
export function dropSeat(game, seat) {
  const known = storedTokens(game);
  delete known.seats[seat];
  store(game, known);
}

/** @param {string} game @param {Tokens} tokens */
function store(game, tokens) {
  kept[PREFIX + game] = JSON.stringify(tokens);
  remember();
}

/**
 * Store the tokens of a new game, and return its id.
 * @param {Created} created
 */
export function keepCreated({ game, host_token, seats, invite }) {
  const bySeat = Object.fromEntries(seats.map(({ seat, token }) => [seat, token]));
  keepTokens(game.id, { host: host_token, seats: bySeat, ...(invite && { invite }) });
  return game.id;
}

/**
 * Return a token that reads a game, if any.
 * @param {string} game
 */
export function readingToken(game) {
  const { host, spectator, seats } = tokensOf(game);
  return host || Object.values(seats)[0] || spectator;
}

function gamesWithTokens() {
  const keys = Object.keys(kept).filter((key) => key.startsWith(PREFIX));
  return keys.map((key) => key.slice(PREFIX.length));
}

/**
 * Return the name of the person at this browser, whether the guide was shown here, or whether to tell of a turn; empty
 * if it is not known.
 * @param {"name" | "guide" | "attention"} key
 */
export const recall = (key) => kept[OWN + key] ?? "";

/** @param {"name" | "guide" | "attention"} key @param {string} value */
export function keep(key, value) {
  kept[OWN + key] = value;
  remember();
}

/**
 * Look up the games and seats of tokens; null for an unknown token.
 * @param {string[]} tokens
 */
export async function lookUp(tokens) {
  /** @type {(FoundSeat | null)[]} */
  const found = [];
  for (let from = 0; from < tokens.length; from += BATCH) {
    const { items } = await post("/v1/seats/lookup", { tokens: tokens.slice(from, from + BATCH) });
    found.push(...items);
  }
  return found;
}

/**
 * Look up a token from the user and store it; null if it is unknown, or not of the game that it should be of.
 * @param {string} token
 * @param {string} [game]
 */
export async function adoptToken(token, game) {
  const [found] = await lookUp([token]);
  if (!found || (game && found.game.id !== game)) return null;
  keepTokens(found.game.id, found.seat === null ? { [found.role]: token } : { seats: { [found.seat]: token } });
  return found;
}

/** Read the entries of my games, and whether it is my turn there. */
export async function myGames() {
  const owned = gamesWithTokens().flatMap((game) => tokensIn(storedTokens(game)).map((token) => ({ game, token })));
  const found = owned.length ? await lookUp(owned.map(({ token }) => token)) : [];
  /** @type {Map<string, Mine>} */
  const games = new Map();
  for (const seat of found.filter(Boolean)) {
    const known = games.get(seat.game.id) || { game: seat.game, myTurn: false, roles: [] };
    games.set(seat.game.id, {
      game: seat.game,
      myTurn: known.myTurn || seat.my_turn,
      roles: [...known.roles, seat.role],
    });
  }
  return [...games.values()];
}

/** @param {Tokens} tokens */
const tokensIn = ({ host, spectator, seats }) => [host, spectator, ...Object.values(seats)].filter(Boolean);

/**
 * Call back when another tab of this browser changes its tokens.
 * @param {() => unknown} changed
 */
export function onTokensChanged(changed) {
  addEventListener("storage", ({ key }) => (!key || key.startsWith(PREFIX)) && changed());
}
