// What there is to do in each step of the game, in words for those who do not know it yet.

import { isLong } from "./path.js";
import { counted } from "./words.js";

const SET_UP = {
  city_tiles: "Lay one of the tiles that are left on a marked city.",
  region_tiles: "Lay one of the tiles that are left on a marked region.",
  towns: "Choose a marked town for your first franchise. From there you expand over the links.",
  place_boom: "Put the Boom marker at a marked city. Its free spaces count twice for the income of who is there.",
  boom: "Before your income: move the Boom marker to a marked city, or leave it where it is.",
};

/**
 * Sentences about what the player who has to decide can do.
 * @param {object} state as `GET state` gives it
 * @returns {string[]}
 */
export function adviceTexts({ legal_moves: { phase, items, money }, board, scores, game }) {
  const types = new Set(items.map(({ action }) => action.type));
  if (SET_UP[phase]) return [SET_UP[phase], tilesLeft(phase, board)].filter(Boolean);
  const { bonus_tiles: tiles } = scores.players[game.to_play];
  return [
    types.has("expand") &&
      "Expand once: to a marked town or city, at the cost on its link. The franchise opens when you end the turn.",
    items.some(isLong) && "The Development tile lets you expand over several links, once in the game.",
    items.some(({ action }) => Number.isInteger(action.free_link)) &&
      "The Route tile makes one link free, once in the game.",
    types.has("expand_again") && "A bonus tile lets you expand once more.",
    types.has("increase") &&
      `Increase: $1 for one more franchise in a marked city where you have one${types.has("expand") ? ", once you need no more expansion" : ""}.`,
    types.has("double") && "A bonus tile places a second franchise where you have increased.",
    !items.some(({ targets }) => targets.length) && "Nothing can be done on the board any more.",
    `You have $${money} and ${counted(tiles, "bonus tile")}.`,
  ].filter(Boolean);
}

/** The city tiles that wait to be laid, by value; region tiles are named by the actions. */
function tilesLeft(phase, { city_tiles_left: left }) {
  if (phase !== "city_tiles") return null;
  const values = [...new Set(left)].sort((a, b) => a - b);
  const each = values.map((value) => `${left.filter((tile) => tile === value).length}x ${value}`);
  return `Left: ${each.join(", ")}.`;
}
