// The fields for a layout of the expert variant that the players have agreed on.

import { element, field, select } from "./dom.js";
import { tileText } from "./words.js";

/**
 * A select for the tile of each city and each region in play, set as printed.
 * @param {object} map as `GET /v1/boards/{board}` gives it
 * @param {number} players
 * @param {boolean} withNewTiles whether the tiles of the expansion may be laid too
 */
export function layoutFields(map, players, withNewTiles) {
  const { closed_regions: closed } = map.player_counts.find((each) => each.players === players);
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

/** The values on the tiles with the same back as the one that is printed on a city. */
function citySelect(map, { id, value }) {
  const group = map.city_tile_groups.find((values) => values.includes(value));
  return select(
    group.map((each) => [String(each), String(each)]),
    { "data-city": id },
    String(value),
  );
}

function regionSelect(tiles, { id, tile }) {
  return select(
    tiles.map((each) => [each.id, `${each.id}: ${tileText(each)}`]),
    { "data-region": id },
    tile.id,
  );
}

/** The layout that is chosen in these fields, as the API takes it. */
export function layoutOf(fields) {
  const chosen = (kind) =>
    [...fields.querySelectorAll(`select[data-${kind}]`)].map((each) => [each.dataset[kind], each.value]);
  return {
    city_tiles: Object.fromEntries(chosen("city").map(([city, value]) => [city, Number(value)])),
    region_tiles: Object.fromEntries(chosen("region")),
  };
}
