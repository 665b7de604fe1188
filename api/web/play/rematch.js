// The rematch of a finished game: the players ask for it, others follow the link.

/** @import { Summary } from "openapi" */
/** @import { Session } from "./session.js" */

import { post } from "./api.js";
import { button, element } from "./dom.js";
import { attempt } from "./notices.js";
import { goTo, keepTokens } from "./tokens.js";

/**
 * @param {Session} session
 * @param {Summary} game
 */
export function rematchControl(session, { rematch }) {
  if (tokensOf(session).length)
    return button("Rematch", () => attempt(() => ask(session)), { class: "primary", "data-focus": "rematch" });
  return rematch && element("a", { class: "button", href: `/play/${rematch}` }, "Watch the rematch");
}

/** @param {Session} session */
function tokensOf({ tokens: { seats, host } }) {
  return [...Object.values(seats), ...(host ? [host] : [])];
}

/**
 * Ask for all seats of this browser, store the new tokens, and go to the new table.
 * @param {Session} session
 */
async function ask(session) {
  let id = "";
  for (const token of tokensOf(session)) {
    const asked = await post(`${session.path}/rematch`, {}, { token });
    id = asked.game.id;
    if (asked.token && asked.seat !== null) keepTokens(id, { seats: { [asked.seat]: asked.token } });
    if (asked.host_token) keepTokens(id, { host: asked.host_token, ...(asked.invite && { invite: asked.invite }) });
  }
  goTo(`/play/${id}`);
}
