// The look of players: a chip with colour and letter, and the name.

/** @import { SeatAtTable } from "openapi" */
/** @import { Child } from "../types.js" */

import { element } from "./dom.js";
import { seatLetter } from "./words.js";

/** @param {SeatAtTable} seat */
export const chip = ({ seat, colour }) =>
  element("span", { class: `chip ${colour}`, title: colour, "aria-hidden": "true" }, seatLetter(seat));

/**
 * Make a player with chip, name and kind of bot.
 * @param {SeatAtTable} seat
 * @param {Child} [suffix]
 */
export function player(seat, suffix) {
  const kind = seat.bot && element("span", { class: "badge" }, `bot: ${seat.bot}`);
  const name = element("span", { class: "name" }, seat.name || "Open seat");
  return element("span", { class: "player" }, chip(seat), name, kind, suffix);
}
