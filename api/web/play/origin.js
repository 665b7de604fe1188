// The original of a fork, an import or a rematch.

/** @import { Summary } from "openapi" */

import { Problem, get } from "./api.js";
import { element, fill } from "./dom.js";
import { readingToken } from "./tokens.js";

/**
 * Tell where a copy comes from, or which game a rematch follows; null for other games.
 * @param {Summary} game
 */
export function origin({ forked_from, imported_from, rematch_of }) {
  /** @type {[how: string, source: { game: string, version: number } | null][]} */
  const sources = [
    ["Forked from", forked_from],
    ["Imported from", imported_from],
    ["Rematch of", rematch_of],
  ];
  const found = sources.flatMap(([how, source]) => (source ? originLine(how, source.game, source.version) : []));
  if (!found.length) return null;
  const ask = () => found.forEach(({ link }) => link());
  const lines = found.map(({ line }) => line);
  const kind = forked_from || imported_from ? "copy" : "rematch";
  const details = element("details", {}, element("summary", {}, `About this ${kind}`), lines);
  details.addEventListener("toggle", ask, { once: true });
  return details;
}

/**
 * Name the original by its id. `link` makes the id a link if the server has the game.
 * @param {string} how
 * @param {string} game
 * @param {number} version
 */
function originLine(how, game, version) {
  const id = element("span", { class: "id" }, game);
  const link = async () => {
    if (await isHere(game)) fill(id, element("a", { href: `/play/${encodeURIComponent(game)}` }, "the original game"));
  };
  return { line: element("p", {}, `${how} `, id, ` at version ${version}.`), link };
}

/**
 * Return true if the server has a game, even if this browser may not read it.
 * @param {string} game
 */
async function isHere(game) {
  try {
    await get(`/v1/games/${encodeURIComponent(game)}`, { token: readingToken(game) });
    return true;
  } catch (problem) {
    return problem instanceof Problem && [401, 403].includes(problem.status);
  }
}
