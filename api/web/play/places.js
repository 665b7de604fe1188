// The board in words, for people who cannot see the picture or want exact numbers.

/** @import { BoardView, PlaceView, RegionView, State, Summary } from "openapi" */

import { element } from "./dom.js";
import { listed, nameOf } from "./words.js";

/** @param {State} state */
export function boardTables({ board, game }) {
  const regions = board.regions.map((region) => regionTable(region, board, game));
  return [tilesLeft(board), trackTable(board), regions];
}

/** @param {BoardView} board */
function tilesLeft({ city_tiles_left: cities, tiles_left: regions }) {
  const rows = [
    cities.length > 0 && `City tiles left: ${cities.join(", ")}.`,
    regions.length > 0 && `Region tiles left: ${regions.map(({ text }) => text).join(", ")}.`,
  ];
  return rows.filter(Boolean).map((text) => element("p", {}, text));
}

/** @param {RegionView} region @param {BoardView} board @param {Summary} game */
function regionTable(region, { places, boom }, game) {
  const rows = places.filter((place) => place.region === region.id).map((place) => placeRow(place, boom, game));
  const tile = region.tile ? ` (${region.tile.text})` : "";
  const tie = region.tie_break === null ? "" : `, ties: ${nameOf(game, region.tie_break)} first`;
  return element(
    "table",
    {},
    element("caption", {}, `${region.name}, ${region.status}${tile}${tie}`),
    element("tbody", {}, rows),
  );
}

/** @param {PlaceView} place @param {string | null} boom @param {Summary} game */
function placeRow(place, boom, game) {
  const value = place.closed
    ? "closed"
    : place.scored
      ? "scored"
      : place.kind === "town"
        ? "town"
        : `city of value ${place.value}`;
  const name = place.id === boom ? `${place.name} (Boom)` : place.name;
  return element(
    "tr",
    {},
    element("th", { scope: "row" }, name),
    element("td", {}, value),
    element("td", {}, presence(place, game)),
  );
}

/** @param {PlaceView} place @param {Summary} game */
function presence({ spaces, franchises, markers, centre }, game) {
  /** @param {number | string} seat */
  const name = (seat) => nameOf(game, Number(seat));
  const there = spaces.length
    ? spaces.filter((seat) => seat !== null).map(name)
    : Object.entries(franchises).map(([seat, count]) => `${name(seat)} ${count}`);
  const coming = [
    ...markers.map((seat) => `${name(seat)} (marker)`),
    ...Object.entries(centre).map(([seat, count]) => `${name(seat)} ${count} in the centre`),
  ];
  return listed([...there, ...coming]) || "free";
}

/** @param {BoardView} board */
function trackTable({ track }) {
  const rows = track.map(({ space, influence, red, tile }) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, `Space ${space}${red ? ", red" : ""}`),
      element("td", {}, `${influence} IP`),
      element("td", {}, tile?.text ?? "free"),
    ),
  );
  return element("table", {}, element("caption", {}, "Region track"), element("tbody", {}, rows));
}
