// Players in words and colours: a chip with colour and letter, the name, and the player who has to decide.

/** @import { SeatAtTable, State, Summary } from "openapi" */
/** @import { Child } from "../types.js" */

import { countdown } from "./clock.js";
import { element } from "./dom.js";
import { seatLetter, seatOf } from "./words.js";

/** @param {SeatAtTable} seat */
export const chip = ({ seat, colour }) =>
  element("span", { class: `chip ${colour}`, title: colour, "aria-hidden": "true" }, seatLetter(seat));

/**
 * Make a player with chip, name and the bot that plays, if any.
 * @param {SeatAtTable} seat
 * @param {Child} [suffix]
 */
export function player(seat, suffix) {
  const bot = seat.bot ? `bot: ${seat.bot}` : seat.stand_in && "a bot plays";
  const name = element("span", { class: "name" }, seat.name || "Open seat");
  return element(
    "span",
    { class: "player" },
    chip(seat),
    name,
    bot && element("span", { class: "badge" }, bot),
    suffix,
  );
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

/**
 * Return the people who have to decide before the deadline, if there is one.
 * @param {Summary} game
 * @returns {SeatAtTable[]}
 */
export function timed({ deadline, proposal, to_play, seats }) {
  const deciding = proposal ? proposal.waiting : [to_play];
  return deadline ? seats.filter(({ seat, bot, stand_in }) => deciding.includes(seat) && !bot && !stand_in) : [];
}

/**
 * Show how much time a player has left, if the player has to decide before a deadline.
 * @param {Summary} game
 * @param {SeatAtTable} seat
 */
export const timeOf = (game, seat) =>
  game.deadline && timed(game).includes(seat) && element("small", {}, countdown(game.deadline));

/** @param {State} state */
export const namesOf = ({ game }) => game.seats.map(({ name }) => name).join(", ");
