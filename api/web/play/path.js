// A path over several links, chosen link by link: the legal moves have the cheapest one to each place only.

import { ask } from "./dialogs.js";
import { button, element } from "./dom.js";
import { linksOf } from "./picture.js";

const KEEP = "keep";

/** Whether a move goes over several links, with the Development tile. */
export const isLong = ({ action: { path } }) => path?.length > 2;

/** Whether a move has a link that costs nothing, with the Route tile. */
export const hasFreeLink = ({ action }) => Number.isInteger(action.free_link);

/**
 * Ask for a path of the player who has to decide, from an own place on.
 * @param {object} state as `GET state` gives it
 * @param {SVGElement} picture the board, which shows the links
 * @param {string} target the place where it ends
 * @returns {Promise<{path: string[], free_link?: number} | null>} null if the player has given up
 */
export async function askPath({ board, game, legal_moves: { items } }, picture, target) {
  const places = new Map(board.places.map((place) => [place.id, place]));
  const own = board.places.filter(({ franchises }) => franchises[game.to_play]);
  const origin = await next(
    "From where?",
    own.map(({ id, name }) => ({ id, text: name })),
  );
  if (!origin) return null;
  const path = [origin];
  const costs = [];
  while (path.at(-1) !== target) {
    const links = linksOf(picture, path.at(-1)).filter(
      ({ other }) => !path.includes(other) && !places.get(other).closed,
    );
    const chosen = await next(
      `From ${path.map((id) => places.get(id).name).join(" to ")} for $${sum(costs)}, and then?`,
      links.map(({ other: id, cost }) => ({ id, text: `${places.get(id).name} for $${cost}` })),
    );
    if (!chosen) return null;
    path.push(chosen);
    costs.push(links.find(({ other }) => other === chosen).cost);
  }
  return items.some(hasFreeLink) ? askFreeLink(path, costs, places) : { path };
}

/** Ask which link of a path is to cost nothing, by the Route tile, which can be kept too. */
async function askFreeLink(path, costs, places) {
  const name = (place) => places.get(path[place]).name;
  const free = costs.map((cost, link) => ({
    id: String(link),
    text: `${name(link)} to ${name(link + 1)} for nothing: $${sum(costs) - cost} in all`,
  }));
  const chosen = await next("Use the Route tile as well?", [{ id: KEEP, text: `No: $${sum(costs)} in all` }, ...free]);
  if (!chosen) return null;
  return chosen === KEEP ? { path } : { path, free_link: Number(chosen) };
}

const sum = (costs) => costs.reduce((a, b) => a + b, 0);

/** Ask for one of several; an empty answer gives the path up. */
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
