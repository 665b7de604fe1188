// A path over several links, chosen link by link: the legal moves have the cheapest one to each place only.

import { ask } from "./dialogs.js";
import { button, element } from "./dom.js";
import { linksOf } from "./picture.js";

/** Whether a move goes over several links, with the Development tile. */
export const isLong = ({ action: { path } }) => path?.length > 2;

/**
 * Ask for a path of the player who has to decide, from an own place on.
 * @param {object} state as `GET state` gives it
 * @param {SVGElement} picture the board, which shows the links
 * @param {string} target the place where it ends
 * @returns {Promise<string[] | null>} null if the player has given up
 */
export async function askPath({ board, game }, picture, target) {
  const places = new Map(board.places.map((place) => [place.id, place]));
  const own = board.places.filter(({ franchises }) => franchises[game.to_play]);
  const [origin] = await next(
    "From where?",
    own.map(({ id, name }) => ({ id, text: name })),
  );
  if (!origin) return null;
  const path = [origin];
  for (let paid = 0; path.at(-1) !== target;) {
    const links = linksOf(picture, path.at(-1)).filter(
      ({ other }) => !path.includes(other) && !places.get(other).closed,
    );
    const question = `From ${path.map((id) => places.get(id).name).join(" to ")} for $${paid}, and then?`;
    const offers = links.map(({ other: id, cost }) => ({ id, cost, text: `${places.get(id).name} for $${cost}` }));
    const [chosen, cost] = await next(question, offers);
    if (!chosen) return null;
    path.push(chosen);
    paid += cost;
  }
  return path;
}

/** Ask for the next place; an empty answer gives the path up. */
async function next(question, offers) {
  const answer = await ask(question, (close) => [
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
  return [answer, offers.find(({ id }) => id === answer)?.cost];
}
