// A path over several links, chosen link by link. The legal moves contain only the cheapest path to each place.

/** @import { Link, PlaceView, State } from "openapi" */

import { hasFreeLink } from "./advice.js";
import { get } from "./api.js";
import { ask } from "./dialogs.js";
import { button, element } from "./dom.js";
import { nameIn } from "./words.js";

const KEEP = "keep";

/**
 * Ask for another path to the end of a given one, from a place of the player who has to decide.
 * @param {State} state
 * @param {string[]} other
 * @returns {Promise<{path: string[], free_link?: number} | null>} null if the player cancels
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
 * Return the links of a place, each with its other end.
 * @param {string} place
 * @param {Link[]} links
 */
const linksFrom = (place, links) =>
  links.flatMap(({ between, cost }) => {
    const end = between.find((each) => each !== place);
    return end && between.includes(place) ? [{ end, cost }] : [];
  });

/**
 * Ask for the link of a path that the Route tile makes free, if any.
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
 * Ask for one of several; an empty string means cancel.
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
