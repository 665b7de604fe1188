// Players as they are shown everywhere: a chip with colour and letter, and the name.

import { element } from "./dom.js";
import { seatLetter } from "./words.js";

/** @typedef {import("./words.js").Seat} Seat */

/** The chip of a seat. */
export const chip = ({ seat, colour }) =>
  element("span", { class: `chip ${colour}`, title: colour, "aria-hidden": "true" }, seatLetter(seat));

/** A player with chip and name, and what kind of bot it is. */
export function player(seat, { suffix = null } = {}) {
  const kind = seat.bot && element("span", { class: "badge" }, `bot: ${seat.bot}`);
  const name = element("span", { class: "name" }, seat.name || "Open seat");
  return element("span", { class: "player" }, chip(seat), name, kind, suffix);
}
