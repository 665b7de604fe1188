// The tokens of this browser: what it may do at which table. They stay here and travel in headers and bodies only.

/** @import { Created, FoundSeat } from "openapi" */
/** @import { Mine, Tokens } from "../types.js" */

import { post } from "./api.js";

const PREFIX = "franchise:tokens:";
const BATCH = 100;

/** Whether the browser lets this page keep anything. */
export const keepsTokens = isStorageOpen();

/** What is kept, by key; where nothing is, it lasts as long as this entry of the history of the tab. */
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

/** Let what is not kept outlast that the page is loaded again. */
function remember() {
  if (!keepsTokens) history.replaceState({ tokens: kept }, "");
}

/**
 * Load another page, to which tokens go along even if they are not kept.
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
 * The tokens of a game.
 * @param {string} game
 * @returns {Tokens}
 */
export function tokensOf(game) {
  const found = keptFor(game);
  return { ...found, seats: { ...found?.seats } };
}

/**
 * What this browser has kept for a game; anything might stand there.
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
 * Keep more tokens of a game.
 * @param {string} game
 * @param {Partial<Tokens>} tokens
 */
export function keepTokens(game, { seats = {}, ...others }) {
  const known = tokensOf(game);
  kept[PREFIX + game] = JSON.stringify({ ...known, ...others, seats: { ...known.seats, ...seats } });
  remember();
}

/**
 * Keep the tokens of a new game, and return its id.
 * @param {Created} created
 */
export function keepCreated({ game, host_token, seats, invite }) {
  const bySeat = Object.fromEntries(seats.map(({ seat, token }) => [seat, token]));
  keepTokens(game.id, { host: host_token, seats: bySeat, ...(invite && { invite }) });
  return game.id;
}

/**
 * A token that reads a game, if there is one.
 * @param {string} game
 */
export function readingToken(game) {
  const { host, spectator, seats } = tokensOf(game);
  return host || Object.values(seats)[0] || spectator;
}

/** The ids of the games that this browser has tokens of. */
export function gamesWithTokens() {
  const keys = Object.keys(kept).filter((key) => key.startsWith(PREFIX));
  return keys.map((key) => key.slice(PREFIX.length));
}

/**
 * Look up tokens, and return for each null or the game it opens, with role, seat and whether it is its turn.
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
 * Look up a token that somebody has typed in and keep it; null if it opens no game.
 * @param {string} token
 */
export async function adoptToken(token) {
  const [found] = await lookUp([token]);
  if (found)
    keepTokens(found.game.id, found.seat === null ? { [found.role]: token } : { seats: { [found.seat]: token } });
  return found;
}

/** My games: a line for each, and whether one of my tokens has to decide there. */
export async function myGames() {
  const owned = gamesWithTokens().flatMap((game) => tokensIn(game).map((token) => ({ game, token })));
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

/** @param {string} game */
function tokensIn(game) {
  const { host, spectator, seats } = tokensOf(game);
  return [host, spectator, ...Object.values(seats)].filter(Boolean);
}

/**
 * Call back when another tab of this browser gets or forgets tokens.
 * @param {() => unknown} changed
 */
export function onTokensChanged(changed) {
  addEventListener("storage", ({ key }) => (!key || key.startsWith(PREFIX)) && changed());
}
