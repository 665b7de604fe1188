// Tokens: taking them along to another device, and what a host can do about those that are lost or in other hands.

import { post, remove } from "./api.js";
import { copy, showText } from "./dialogs.js";
import { button, element, field } from "./dom.js";
import { attempt, notify } from "./notices.js";
import { adoptToken, keepTokens } from "./tokens.js";

/** Replace the token of a seat, as the host; at this device too, if it plays the seat. */
export async function renewSeat(session, seat, name) {
  const { host, seats } = session.tokens;
  const { token } = await post(`${session.path}/seats/${seat}/token`, {}, { token: host });
  if (seats[seat]) keepTokens(session.id, { seats: { [seat]: token } });
  await copy(token, `The new token of ${name}`);
}

async function renewHost(session) {
  const { host_token: host } = await post(`${session.path}/host-token`, {}, { token: session.tokens.host });
  keepTokens(session.id, { host });
  notify("The token of the host is a new one. The old one does nothing any more.");
}

async function admit(session) {
  const { token } = await post(`${session.path}/spectators`, {}, { token: session.tokens.host });
  await showText(token, "A token that reads this game");
}

async function dismiss(session) {
  await remove(`${session.path}/spectators`, { token: session.tokens.host });
  notify("No token of a spectator reads this game any more.");
}

/** A field for a token of this game that somebody has from another device or from the host. */
export function tokenForm(session, done) {
  const token = element("input", { required: true, autocomplete: "off", spellcheck: "false" });
  const use = async () => {
    const found = await adoptToken(token.value.trim());
    if (found?.game.id === session.id) await done();
    else notify("This token does not open this game.", "problem");
  };
  const submit = (event) => {
    event.preventDefault();
    attempt(use);
  };
  return element(
    "form",
    { onsubmit: submit },
    field("Your token", token),
    element("button", { class: "primary" }, "Open"),
  );
}

/** The field for a token, for those who look on. */
export const tokenField = (session) =>
  disclosure("Use a token", "If you have played at another device.", [tokenForm(session, () => session.load())]);

/**
 * The tokens of this browser, and what its host's token can do about those of others.
 * @param {import("./session.js").Session} session
 */
export function tokenControls(session) {
  const { game } = session.state;
  const { host } = session.tokens;
  return [
    disclosure(
      "Play on at another device",
      "A token opens the game there. Give it to nobody else.",
      own(session, game),
    ),
    host &&
      disclosure(
        "As the host",
        "Give a new token to who has lost theirs: the old one stops working.",
        others(session, game),
      ),
  ];
}

function own(session, { seats }) {
  const { host, seats: tokens } = session.tokens;
  const mine = seats.filter(({ seat }) => tokens[seat]).map(({ seat, name }) => [name, tokens[seat]]);
  const all = host ? [["the host", host], ...mine] : mine;
  return all.map(([name, token]) => control(`Token of ${name}`, () => showText(token, `The token of ${name}`)));
}

function others(session, { seats, options }) {
  const people = seats.filter(({ name, bot }) => name && !bot);
  return [
    ...people.map(({ seat, name }) => control(`New token for ${name}`, () => renewSeat(session, seat, name))),
    control("New token for the host", () => renewHost(session)),
    options.private && control("Let somebody look on", () => admit(session)),
    options.private && control("Let spectators look on no more", () => dismiss(session)),
  ].filter(Boolean);
}

const control = (text, work) => button(text, () => attempt(work), { "data-focus": text });

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
