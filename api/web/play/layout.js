// The fields for an explicit layout of the expert variant.

/** @import { BoardMap, MapPlace, MapRegion, TileView } from "openapi" */

import { element, field, pair, select } from "./dom.js";

/**
 * Make a select for the tile of each city and each region in play. The printed tiles are selected.
 * @param {BoardMap} map
 * @param {number} players
 * @param {boolean} withNewTiles whether the tiles of the expansion are offered too
 */
export function layoutFields(map, players, withNewTiles) {
  const closed = map.player_counts.find((each) => each.players === players)?.closed_regions || [];
  const cities = map.places.filter(({ kind, region }) => kind === "city" && !closed.includes(region));
  const regions = map.regions.filter(({ id }) => !closed.includes(id));
  const tiles = [...map.regions.map(({ tile }) => tile), ...(withNewTiles ? map.new_region_tiles : [])];
  return element(
    "fieldset",
    { class: "tiles" },
    element("legend", {}, "Layout"),
    cities.map((city) => field(city.name, citySelect(map, city))),
    regions.map((region) => field(region.name, regionSelect(tiles, region))),
  );
}

/**
 * Offer the values of all tiles that have the same back as the printed tile of a city.
 * @param {BoardMap} map
 * @param {MapPlace} city
 */
function citySelect(map, { id, value }) {
  const group = map.city_tile_groups.find((values) => values.includes(value)) || [value];
  return select(
    group.map((each) => pair(String(each))),
    { "data-city": id },
    String(value),
  );
}

/** @param {TileView[]} tiles @param {MapRegion} region */
function regionSelect(tiles, { id, tile }) {
  return select(
    tiles.map((each) => pair(each.id, `${each.id}: ${each.text}`)),
    { "data-region": id },
    tile.id,
  );
}

/**
 * Return the layout of these fields in the format of the API.
 * @param {Element} fields
 */
export function layoutOf(fields) {
  const selects = [...fields.querySelectorAll("select")];
  /** @param {"city" | "region"} kind */
  const chosen = (kind) => selects.flatMap(({ dataset, value }) => (dataset[kind] ? [[dataset[kind], value]] : []));
  return {
    city_tiles: Object.fromEntries(chosen("city").map(([city, value]) => [city, Number(value)])),
    region_tiles: Object.fromEntries(chosen("region")),
  };
}
