// Names and numbers in words.

/** @import { GameOptions } from "openapi" */
/** @import { Game } from "../types.js" */

/**
 * Return the letter of a seat, for people who cannot see its colour.
 * @param {number} seat
 */
export const seatLetter = (seat) => "ABCDE".charAt(seat);

/**
 * @param {Game} game
 * @param {number} number
 */
export function seatOf({ seats }, number) {
  const seat = seats[number];
  if (!seat) throw new Error(`The game has no seat ${number}.`);
  return seat;
}

/**
 * @param {Game} game
 * @param {number} seat
 */
export const nameOf = (game, seat) => seatOf(game, seat).name || "Open seat";

/**
 * Return the name of a place or a region.
 * @param {{ id: string, name: string }[]} parts of a board
 * @param {string} id
 */
export const nameIn = (parts, id) => parts.find((each) => each.id === id)?.name || id;

/**
 * Return the type of an action in words: `expand_again` is "Expand again".
 * @param {string} type
 */
export const actionName = (type) => (type.charAt(0).toUpperCase() + type.slice(1)).replaceAll("_", " ");

/**
 * Join words by commas, and the last one by "and".
 * @param {string[]} words
 */
export function listed(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/**
 * @param {number} number
 * @param {string} noun
 */
export const counted = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

/**
 * Name the options of a table that differ from the base game.
 * @param {GameOptions} options
 */
export function optionTexts(options) {
  const { start, expert, modules, undo, hot_seat, invite, hints, turn_limit, absent, private: hidden } = options;
  return [
    start === "introductory" && "Introductory start",
    expert && `Expert (${expert.mode})`,
    modules.milestones && "Milestones",
    modules.boom && "Boom",
    modules.region_tiles && "Region tiles",
    hot_seat && "Hot seat",
    invite && "By invitation",
    !hints && "No hints",
    hidden && "Private",
    undo !== "turn" && `Undo: ${undo}`,
    turn_limit && `Turn limit: ${duration(turn_limit)}`,
    absent === "bot" && "A bot plays for absent players",
  ].filter(Boolean);
}

/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const UNITS = [
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
];

/** @param {string} time */
export const secondsSince = (time) => Math.max(0, (Date.now() - Date.parse(time)) / 1000);

/**
 * Say how long ago a time was.
 * @param {string} time
 */
export function ago(time) {
  const seconds = secondsSince(time);
  const found = UNITS.find(([, each]) => seconds >= each);
  if (!found) return "just now";
  const [unit, length] = found;
  return new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(-Math.floor(seconds / length), unit);
}

/**
 * Say how much time is left until a deadline, or when it passed.
 * @param {string} deadline
 */
export function timeLeft(deadline) {
  const left = (Date.parse(deadline) - Date.now()) / 1000;
  if (left <= 0) return `time ran out ${ago(deadline)}`;
  return `${left < 120 ? counted(Math.ceil(left), "second") : duration(left)} left`;
}

/**
 * Say how long a wait has lasted: "since yesterday", "for 5 minutes"; nothing in the first minute.
 * @param {string} time
 */
export function waited(time) {
  const text = ago(time);
  if (text === "just now") return "";
  return text.endsWith(" ago") ? `for ${text.slice(0, -4)}` : `since ${text}`;
}

/**
 * Say a duration in at most two units: "1 hour 12 minutes".
 * @param {number} seconds
 */
export function duration(seconds) {
  const first = UNITS.findIndex(([, each]) => seconds >= each);
  if (first < 0) return "less than a minute";
  let left = seconds;
  const parts = UNITS.slice(first, first + 2).map(([unit, length]) => {
    const number = Math.floor(left / length);
    left %= length;
    return number && counted(number, unit);
  });
  return parts.filter(Boolean).join(" ");
}
