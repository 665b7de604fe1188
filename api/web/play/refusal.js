// Why nothing can be done at a place that was chosen: what the server says to the action that was meant.

/** @import { Action, BoardView, LegalMove, PlaceView, Reason } from "openapi" */
/** @import { Session } from "./session.js" */

import { post } from "./api.js";
import { linksOf } from "./picture.js";

/**
 * Sentences for reasons that the server explains by one link or by the names of phases.
 * @type {Partial<Record<Reason, string>>}
 */
const SENTENCES = {
  not_linked: "No direct link leads there from a place with your franchise.",
  wrong_phase: "After an increase there is no more expansion in the same turn.",
};

/**
 * The reason why the player who has to decide can do nothing at a place, in a sentence.
 * @param {Session} session
 * @param {string} id of the place
 * @param {SVGSVGElement} picture the board, which shows the links
 * @returns {Promise<string | null>} null if there is nothing to be meant
 */
export async function refusalAt(session, id, picture) {
  const { board, legal_moves: moves } = session.state;
  const place = board.places.find((each) => each.id === id);
  if (!place || moves.to_play === null) return null;
  const action = ["expand", "increase"].includes(moves.phase)
    ? meantInTurn(place, board, moves.to_play, picture)
    : sameAt(moves.items, id);
  if (!action) return null;
  const { refused } = await post(`${session.path}/preview`, action, { token: session.tokenOf(moves.to_play) });
  if (!refused) return null;
  const sentence = (refused.reason && SENTENCES[refused.reason]) || refused.detail;
  const named = sentence.includes(id) ? sentence.replaceAll(id, place.name) : `${place.name}: ${sentence}`;
  return `${named} (${refused.rule})`;
}

/**
 * An increase where the player has a franchise, else an expansion by the cheapest link from an own place.
 * @param {PlaceView} place
 * @param {BoardView} board
 * @param {number} seat
 * @param {SVGSVGElement} picture
 * @returns {Action}
 */
function meantInTurn({ id, kind, franchises }, { places }, seat, picture) {
  if (franchises[seat] && kind === "city") return { type: "increase", city: id };
  const own = places.filter((place) => place.franchises[seat]).map((place) => place.id);
  const [nearest] = linksOf(picture, id)
    .filter(({ end }) => own.includes(end))
    .sort((a, b) => a.cost - b.cost);
  return { type: "expand", path: [nearest?.end ?? own.find((each) => each !== id) ?? id, id] };
}

/**
 * What can be done at another place, done here; null where regions are chosen.
 * @param {LegalMove[]} items
 * @param {string} id
 * @returns {Action | null}
 */
function sameAt(items, id) {
  const elsewhere = items.find(({ action, targets }) => targets.length && !("region" in action));
  if (!elsewhere) return null;
  const [target] = elsewhere.targets;
  const entries = Object.entries(elsewhere.action).map(([key, value]) => [key, value === target ? id : value]);
  return /** @type {Action} */ (Object.fromEntries(entries));
}
