// Advice for beginners: the possible actions of each step of the game.

/** @import { Action, BoardView, LegalMove, Phase, State } from "openapi" */
/** @import { Expansion } from "../types.js" */

import { counted } from "./words.js";

/** @type {Partial<Record<Phase, string>>} */
const SET_UP = {
  city_tiles: "Lay one of the remaining tiles on a marked city.",
  region_tiles: "Lay one of the remaining tiles on a marked region.",
  towns: "Choose a marked town for your first franchise. You expand from there along the links.",
  place_boom: "Put the Boom marker at a marked city. Its free spaces count twice for the income of every player there.",
  boom: "Before your income, move the Boom marker to a marked city or leave it where it is.",
};

/** @type {[type: Action["type"], text: string][]} */
const TURN = [
  ["expand", "Expand once to a marked town or city. The number on the link is the cost."],
  ["expand_again", "Use a bonus tile to expand once more."],
  ["increase", "Increase: pay $1 for one more franchise in a marked city of yours. After that you cannot expand."],
  ["double", "Double: use a bonus tile for a second franchise in a city where you have increased."],
];

/**
 * Return sentences about the options of the player who has to decide.
 * @param {State} state
 */
export function adviceTexts({ legal_moves: { phase, items, money, to_play }, board, scores }) {
  if (SET_UP[phase]) return [SET_UP[phase], tilesLeft(phase, board)].filter(Boolean);
  const types = new Set(items.map(({ action }) => action.type));
  const waiting = board.places.some(({ markers }) => markers.some((seat) => seat === to_play));
  const tiles = scores.players.find(({ seat }) => seat === to_play)?.bonus_tiles ?? 0;
  return [
    ...TURN.filter(([type]) => types.has(type)).map(([, text]) => text),
    items.some(isLong) && "The Development tile lets you expand over several links, once per game.",
    items.some(hasFreeLink) && "The Route tile makes one link free, once per game.",
    !items.some(({ targets }) => targets.length) && "You can do nothing more on the board this turn.",
    waiting && "When you end the turn, a franchise opens where your marker lies.",
    `You have $${money} and ${counted(tiles, "bonus tile")}.`,
  ].filter(Boolean);
}

/**
 * Count the remaining city tiles by value. Region tiles need no count: the actions name them.
 * @param {Phase} phase
 * @param {BoardView} board
 */
function tilesLeft(phase, { city_tiles_left: left }) {
  if (phase !== "city_tiles") return null;
  const values = [...new Set(left)].sort((a, b) => a - b);
  const each = values.map((value) => `${left.filter((tile) => tile === value).length} of value ${value}`);
  return `City tiles left: ${each.join(", ")}.`;
}

/**
 * Return true if a move uses several links, by the Development tile.
 * @type {(move: LegalMove) => move is Expansion}
 */
export const isLong = (move) => "path" in move.action && move.action.path.length > 2;

/**
 * Return true if a move has a free link, by the Route tile.
 * @param {LegalMove} move
 */
export const hasFreeLink = ({ action }) => "free_link" in action && Number.isInteger(action.free_link);
