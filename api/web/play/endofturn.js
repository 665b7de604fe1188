// What ending the turn would bring by itself, in words.

/** @import { BoardView, EndOfTurn, SpecialTile, Summary, WouldScoreRegion } from "openapi" */

import { endReason, listed, nameIn, nameOf } from "./words.js";

/** @type {Record<SpecialTile, string>} */
const TILES = { bonus: "a used bonus tile back", development: "the Development tile", route: "the Route tile" };

/**
 * A sentence for each thing that would follow.
 * @param {EndOfTurn} end
 * @param {Summary} game
 * @param {BoardView} board
 */
export function endOfTurnTexts(end, game, board) {
  /** @param {number} seat */
  const name = (seat) => nameOf(game, seat);
  const cities = end.cities.map(
    ({ city, winner, influence }) => `${nameIn(board.places, city)} scores: ${name(winner)} gains ${influence} IP.`,
  );
  const milestones = end.milestones.map(({ seat }) => `${name(seat)} reaches a milestone.`);
  const tiles = end.special_tiles.map(({ seat, tile }) => `${name(seat)} gets ${TILES[tile]}.`);
  const regions = end.regions.map((region) => regionText(region, nameIn(board.regions, region.region), name));
  const over = end.ends_game ? [`The game ends: ${endReason(end.ends_game)}.`] : [];
  return [...cities, ...regions, ...milestones, ...tiles, ...over];
}

/** @param {WouldScoreRegion} scored @param {string} region @param {(seat: number) => string} name */
function regionText({ ranks, track_influence: track }, region, name) {
  const gains = ranks.map(
    ({ seat, influence, dollars }) => `${name(seat)} ${dollars ? `$${dollars}` : `${influence} IP`}`,
  );
  const ranked = gains.length ? `${listed(gains)}; ` : "";
  return `The region ${region} scores: ${ranked}you gain ${track} IP for the track.`;
}
