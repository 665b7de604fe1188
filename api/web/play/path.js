// A path over several links, chosen link by link: the legal moves have the cheapest one to each place only.

/** @import { LegalMove, Link, PlaceView, State } from "openapi" */
/** @import { Expansion } from "../types.js" */

import { get } from "./api.js";
import { ask } from "./dialogs.js";
import { button, element } from "./dom.js";
import { nameIn } from "./words.js";

const KEEP = "keep";

/**
 * Whether a move goes over several links, with the Development tile.
 * @type {(move: LegalMove) => move is Expansion}
 */
export const isLong = (move) => "path" in move.action && move.action.path.length > 2;

/**
 * Whether a move has a link that costs nothing, with the Route tile.
 * @param {LegalMove} move
 */
export const hasFreeLink = ({ action }) => "free_link" in action && Number.isInteger(action.free_link);

/**
 * Ask for a path of the player who has to decide, from an own place on, to the end of another path.
 * @param {State} state
 * @param {string[]} other
 * @returns {Promise<{path: string[], free_link?: number} | null>} null if the player has given up
 */
export async function askPath({ game, board: { places }, legal_moves: { items, to_play } }, other) {
  const map = await get(`/v1/boards/${game.options.board}`);
  const own = places.filter(({ franchises }) => to_play !== null && franchises[to_play]);
  const closed = new Set(places.filter((place) => place.closed).map(({ id }) => id));
  let at = await next(
    "Where does the path begin?",
    own.map(({ id, name }) => ({ id, text: name })),
  );
  if (!at) return null;
  const path = [at];
  const costs = [];
  while (at !== other.at(-1)) {
    const links = linksFrom(at, map.links).filter(({ end }) => !path.includes(end) && !closed.has(end));
    at = await next(
      `From ${path.map((id) => nameIn(places, id)).join(" to ")} for $${sum(costs)}. Where next?`,
      links.map(({ end, cost }) => ({ id: end, text: `${nameIn(places, end)} for $${cost}` })),
    );
    const link = links.find(({ end }) => end === at);
    if (!link) return null;
    path.push(at);
    costs.push(link.cost);
  }
  return items.some(hasFreeLink) ? askFreeLink(path, costs, places) : { path };
}

/**
 * The links of a place, each with the place at its other end.
 * @param {string} place
 * @param {Link[]} links
 */
const linksFrom = (place, links) =>
  links.flatMap(({ between, cost }) => {
    const end = between.find((each) => each !== place);
    return end && between.includes(place) ? [{ end, cost }] : [];
  });

/**
 * Ask which link of a path is to cost nothing, by the Route tile, which can be kept too.
 * @param {string[]} path
 * @param {number[]} costs
 * @param {PlaceView[]} places
 */
async function askFreeLink(path, costs, places) {
  const names = path.map((id) => nameIn(places, id));
  const free = costs.map((cost, link) => ({
    id: String(link),
    text: `${names[link]} to ${names[link + 1]} for free: $${sum(costs) - cost} in total`,
  }));
  const chosen = await next("Use the Route tile too?", [{ id: KEEP, text: `No: $${sum(costs)} in total` }, ...free]);
  if (!chosen) return null;
  return chosen === KEEP ? { path } : { path, free_link: Number(chosen) };
}

/** @param {number[]} costs */
const sum = (costs) => costs.reduce((a, b) => a + b, 0);

/**
 * Ask for one of several; an empty answer gives the path up.
 * @param {string} question
 * @param {{ id: string, text: string }[]} offers
 */
function next(question, offers) {
  return ask(question, (close) => [
    element("p", {}, question),
    element(
      "ul",
      { class: "moves" },
      offers.map(({ id, text }) =>
        element(
          "li",
          {},
          button(text, () => close(id), { class: "move" }),
        ),
      ),
    ),
    button("Cancel", () => close(), { class: "quiet" }),
  ]);
}
