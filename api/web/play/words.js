// Names and numbers in words.

/** @import { GameOptions } from "openapi" */
/** @import { Game } from "../types.js" */

/**
 * The letter that stands for a seat beside its colour.
 * @param {number} seat
 */
export const seatLetter = (seat) => "ABCDE".charAt(seat);

/**
 * A seat of a game by its number.
 * @param {Game} game
 * @param {number} number
 */
export function seatOf({ seats }, number) {
  const seat = seats[number];
  if (!seat) throw new Error(`The game has no seat ${number}.`);
  return seat;
}

/**
 * The name of the player at a seat.
 * @param {Game} game
 * @param {number} seat
 */
export const nameOf = (game, seat) => seatOf(game, seat).name || "Open seat";

/**
 * The name of a place or a region by its id.
 * @param {{ id: string, name: string }[]} parts of a board
 * @param {string} id
 */
export const nameIn = (parts, id) => parts.find((each) => each.id === id)?.name || id;

/**
 * The type of an action as words: `expand_again` is "Expand again".
 * @param {string} type
 */
export const actionName = (type) => (type.charAt(0).toUpperCase() + type.slice(1)).replaceAll("_", " ");

/**
 * Words with commas between them, and "and" before the last one.
 * @param {string[]} words
 */
export function listed(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/**
 * A number with its noun.
 * @param {number} number
 * @param {string} noun
 */
export const counted = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

/**
 * The options of a table that differ from the base game, each in a word or two.
 * @param {GameOptions} options
 */
export function optionTexts({ start, expert, modules, undo, hot_seat, invite, private: hidden }) {
  return [
    start === "introductory" && "Introductory start",
    expert && `Expert (${expert.mode})`,
    modules.milestones && "Milestones",
    modules.boom && "Boom",
    modules.region_tiles && "Region tiles",
    hot_seat && "Hot seat",
    invite && "By invitation",
    hidden && "Private",
    undo !== "turn" && `Undo: ${undo}`,
  ].filter(Boolean);
}

/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const UNITS = [
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
];

/**
 * How long ago something was.
 * @param {string} time
 */
export function ago(time) {
  const seconds = (Date.now() - Date.parse(time)) / 1000;
  const found = UNITS.find(([, each]) => seconds >= each);
  if (!found) return "just now";
  const [unit, length] = found;
  return new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(-Math.floor(seconds / length), unit);
}
