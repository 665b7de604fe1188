// Controls for tokens: use them on another device, renew them as the host, invite spectators.

/** @import { SeatAtTable, Summary } from "openapi" */
/** @import { Session } from "./session.js" */
/** @import { Child } from "../types.js" */

import { post, remove } from "./api.js";
import { confirmed, copy, showText } from "./dialogs.js";
import { button, element, field, form } from "./dom.js";
import { attempt, notify } from "./notices.js";
import { adoptToken, goTo, keepTokens } from "./tokens.js";

/**
 * Renew the token of a seat as the host. If this device plays the seat, it stores the new token.
 * @param {Session} session
 * @param {number} seat
 * @param {string | null} name
 */
export async function renewSeat(session, seat, name) {
  const { host, seats } = session.tokens;
  const renewed = post(`${session.path}/seats/${seat}/token`, {}, { token: host });
  const { token } = await session.hold(
    renewed.then((response) => {
      if (seats[seat]) keepTokens(session.id, { seats: { [seat]: response.token } });
      return response;
    }),
  );
  await copy(token, `The new token of ${name}`);
}

/**
 * Make a button with which a player renews the token of a seat of this browser.
 * @param {Session} session
 * @param {SeatAtTable} seat
 * @param {boolean} alone whether this browser has no other seat
 */
export function renewButton(session, { seat, name }, alone) {
  const question = `Renew the token of ${name}? The old one stops working: other devices that use it are logged out.`;
  const renew = async () => {
    if (!(await confirmed(question, "Renew"))) return;
    await session.renewToken(seat);
    notify(`${name} has a new token. Devices with the old one are logged out.`);
  };
  return control(alone ? "Renew my token" : `Renew the token of ${name}`, renew);
}

/** @param {Session} session */
async function renewHost(session) {
  const renewed = post(`${session.path}/host-token`, {}, { token: session.tokens.host });
  await session.hold(renewed.then(({ host_token: host }) => keepTokens(session.id, { host })));
  notify("The host has a new token. The old one no longer works.");
}

/**
 * Delete a table, or a copy of a game, after a question.
 * @param {Session} session
 * @param {"table" | "copy"} kind
 */
export async function deleteGame(session, kind) {
  if (!(await confirmed(`Delete this ${kind}? You cannot undo this.`, "Delete"))) return;
  await session.delete();
  goTo("/play");
}

/** @param {Session} session */
async function inviteSpectator(session) {
  const { token } = await post(`${session.path}/spectators`, {}, { token: session.tokens.host });
  await showText(token, "The token of a spectator");
}

/** @param {Session} session */
async function dismissSpectators(session) {
  await remove(`${session.path}/spectators`, { token: session.tokens.host });
  notify("All spectators were dismissed. Their tokens no longer work.");
}

/**
 * Store a token of a game; return false if it is not one of this game.
 * @param {string} game
 * @param {string} token
 */
export async function useToken(game, token) {
  if (await adoptToken(token, game)) return true;
  notify("This token does not open this game.", "problem");
  return false;
}

/**
 * Make a form that takes a token of this game.
 * @param {Session} session
 * @param {() => Promise<unknown>} done
 */
export function tokenForm(session, done) {
  const token = element("input", { required: true, autocomplete: "off", spellcheck: "false" });
  const use = async () => {
    if (await useToken(session.id, token.value.trim())) await done();
  };
  const open = element("button", { class: "primary" }, "Open");
  return form(() => attempt(use), {}, field("Your token", token), open);
}

/** @param {Session} session */
export const tokenField = (session) =>
  disclosure("Use a token", "If you played on another device, enter your token.", [
    tokenForm(session, () => session.load()),
  ]);

/**
 * Make the controls for the tokens of this browser, and for those of the others if it has the token of the host.
 * @param {Session} session
 */
export function tokenControls(session) {
  const { game } = session.state;
  const { host } = session.tokens;
  return [
    disclosure(
      "Continue on another device",
      "Enter your token there. Keep it secret: anyone who sees it can play for you.",
      own(session, game),
    ),
    host &&
      disclosure(
        "Host controls",
        "If a player has lost their token, give them a new one. The old one stops working.",
        others(session, game),
      ),
  ];
}

/** @param {Session} session @param {Summary} game */
function own(session, { seats }) {
  const { host, seats: tokens } = session.tokens;
  const mine = seats.filter(({ seat }) => tokens[seat]);
  const known = [{ name: "the host", token: host }, ...mine.map(({ seat, name }) => ({ name, token: tokens[seat] }))];
  const shown = known.map(
    ({ name, token }) => token && control(`Token of ${name}`, () => showText(token, `The token of ${name}`)),
  );
  return [...shown, ...mine.map((seat) => renewButton(session, seat, mine.length === 1))].filter(Boolean);
}

/** @param {Session} session @param {Summary} game */
function others(session, { seats, options }) {
  const people = seats.filter(({ name, bot }) => name && !bot);
  return [
    ...people.map(({ seat, name }) => control(`New token for ${name}`, () => renewSeat(session, seat, name))),
    control("New token for the host", () => renewHost(session)),
    options.private && control("Invite a spectator", () => inviteSpectator(session)),
    options.private && control("Dismiss all spectators", () => dismissSpectators(session)),
  ].filter(Boolean);
}

/** @param {string} text @param {() => Promise<unknown>} work */
const control = (text, work) => button(text, () => attempt(work), { "data-focus": text });

/** @param {string} title @param {string} help @param {Child[]} buttons */
function disclosure(title, help, buttons) {
  if (!buttons.length) return null;
  return element(
    "details",
    { "data-focus": title },
    element("summary", {}, title),
    element("p", { class: "quiet" }, help),
    element("div", { class: "buttons" }, buttons),
  );
}
