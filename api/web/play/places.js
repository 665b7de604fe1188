// The board in words, for those who do not see the picture or want it exactly.

import { element, fill } from "./dom.js";
import { listed, tileText } from "./words.js";

export class Places {
  #state = null;

  constructor() {
    this.body = element("div", { class: "tables" });
    this.element = element(
      "details",
      { class: "card", ontoggle: () => this.#draw() },
      element("summary", {}, "The board in words"),
      this.body,
    );
  }

  show(state) {
    this.#state = state;
    this.#draw();
  }

  #draw() {
    if (!this.element.open || !this.#state) return;
    const { board, game } = this.#state;
    const regions = board.regions.map((region) => regionTable(region, board, game));
    fill(this.body, tilesLeft(board), trackTable(board), regions);
  }
}

/** The tiles of an expert draft that wait to be laid. */
function tilesLeft({ city_tiles_left: cities, tiles_left: regions }) {
  const rows = [
    cities.length > 0 && `City tiles left: ${cities.join(", ")}.`,
    regions.length > 0 && `Region tiles left: ${regions.map(tileText).join(", ")}.`,
  ];
  return rows.filter(Boolean).map((text) => element("p", {}, text));
}

function regionTable(region, { places, boom }, game) {
  const rows = places.filter((place) => place.region === region.id).map((place) => placeRow(place, boom, game));
  const tile = region.tile ? ` (${tileText(region.tile)})` : "";
  const tie = region.tie_break === null ? "" : `, ties: ${game.seats[region.tie_break].name} first`;
  return element(
    "table",
    {},
    element("caption", {}, `${region.name}, ${region.status}${tile}${tie}`),
    element("tbody", {}, rows),
  );
}

function placeRow(place, boom, game) {
  const value = place.closed
    ? "closed"
    : place.scored
      ? "scored"
      : place.kind === "town"
        ? "town"
        : `city of ${place.value}`;
  const name = place.id === boom ? `${place.name} (Boom)` : place.name;
  return element(
    "tr",
    {},
    element("th", { scope: "row" }, name),
    element("td", {}, value),
    element("td", {}, presence(place, game)),
  );
}

function presence({ spaces, franchises, markers, centre }, game) {
  const name = (seat) => game.seats[seat].name;
  const there = spaces.length
    ? spaces.filter((seat) => seat !== null).map(name)
    : Object.entries(franchises).map(([seat, count]) => `${name(seat)} ${count}`);
  const coming = [
    ...markers.map((seat) => `${name(seat)} (marker)`),
    ...Object.entries(centre).map(([seat, count]) => `${name(seat)} ${count} in the centre`),
  ];
  return listed([...there, ...coming]) || "free";
}

function trackTable({ track }) {
  const rows = track.map(({ space, influence, red, tile }) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, `Space ${space}${red ? ", red" : ""}`),
      element("td", {}, `${influence} IP`),
      element("td", {}, tile ? tileText(tile) : "free"),
    ),
  );
  return element("table", {}, element("caption", {}, "Region track"), element("tbody", {}, rows));
}
