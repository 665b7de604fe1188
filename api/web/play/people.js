// Players in words and colours: a chip with colour and letter, the name, and the player who has to decide.

/** @import { SeatAtTable, State } from "openapi" */
/** @import { Child } from "../types.js" */

import { element } from "./dom.js";
import { seatLetter, seatOf } from "./words.js";

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

/**
 * Say what the game waits for, or how it ended.
 * @param {State} state
 */
export function statusOf({ game }) {
  if (game.ending) return [game.ending.text];
  const turn = game.turn ? `Turn ${game.turn}: ` : "";
  if (game.to_play === null) return [game.phase_text];
  return [turn, player(seatOf(game, game.to_play)), element("span", { class: "phase" }, game.phase_text)];
}

/** @param {State} state */
export const namesOf = ({ game }) => game.seats.map(({ name }) => name).join(", ");
