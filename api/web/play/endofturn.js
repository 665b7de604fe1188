// What ending the turn would bring by itself, in words.

import { endReason, listed } from "./words.js";

const TILES = { bonus: "a used bonus tile back", development: "the Development tile", route: "the Route tile" };

/**
 * A sentence for each thing that would follow.
 * @param {object} end `end_of_turn` of the legal moves
 * @param {object} game the summary
 * @param {object} board
 * @returns {string[]}
 */
export function endOfTurnTexts(end, game, board) {
  const name = (seat) => game.seats[seat].name;
  const named = (list, id) => list.find((each) => each.id === id).name;
  const cities = end.cities.map(
    ({ city, winner, influence }) => `${named(board.places, city)} scores: ${name(winner)} gains ${influence} IP.`,
  );
  const milestones = end.milestones.map(({ seat }) => `${name(seat)} reaches a milestone.`);
  const tiles = end.special_tiles.map(({ seat, tile }) => `${name(seat)} gets ${TILES[tile]}.`);
  const regions = end.regions.map((region) => regionText(region, named(board.regions, region.region), name));
  const over = end.ends_game ? [`The game ends: ${endReason(end.ends_game)}.`] : [];
  return [...cities, ...regions, ...milestones, ...tiles, ...over];
}

function regionText({ ranks, track_influence: track }, region, name) {
  const gains = ranks.map(
    ({ seat, influence, dollars }) => `${name(seat)} ${dollars ? `$${dollars}` : `${influence} IP`}`,
  );
  const ranked = gains.length ? `${listed(gains)}; ` : "";
  return `The region ${region} scores: ${ranked}you gain ${track} IP for the track.`;
}
