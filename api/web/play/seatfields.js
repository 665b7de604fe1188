// The fields for the players of a new table: one row for each seat.

/** @import { BotDescription, Colour } from "openapi" */
/** @import { Pair, SeatKind } from "../types.js" */

import { element, pair, select } from "./dom.js";
import { seatLetter } from "./words.js";

const MOST = 5;
const PERSON = "person";
const OPEN = "open";

export class SeatFields {
  /** @type {ReturnType<typeof seatRow>[]} */
  #rows;

  /** @param {BotDescription[]} bots @param {Colour[]} colours */
  constructor(bots, colours) {
    const kinds = [pair(PERSON, "Person"), pair(OPEN, "Open seat"), ...bots.map(({ bot }) => pair(bot, `Bot: ${bot}`))];
    this.#rows = Array.from({ length: MOST }, (_, seat) => seatRow(seatLetter(seat), kinds, colours));
    this.element = element(
      "ol",
      { class: "seats" },
      this.#rows.map((row) => row.element),
    );
  }

  /** @param {SeatKind[]} kinds */
  apply(kinds) {
    this.#rows.forEach(({ kind }, seat) => {
      kind.value = kinds[seat] || kind.value;
    });
  }

  /**
   * Show this number of seats. People need names, open seats have none.
   * @param {number} count
   */
  adapt(count) {
    this.#rows.forEach(({ element: row, kind, name, colour }, seat) => {
      row.hidden = seat >= count;
      name.disabled = colour.disabled = row.hidden || kind.value === OPEN;
      name.required = kind.value === PERSON;
      name.placeholder = kind.value === PERSON ? "Name" : "Name (optional)";
    });
  }

  get #shown() {
    return this.#rows.filter((row) => !row.element.hidden);
  }

  /** The names of the players by seat; without a name, the kind. */
  get labels() {
    return this.#taken.map(({ kind, name }) => name.value.trim() || kind.selectedOptions[0]?.text || "");
  }

  get #taken() {
    return this.#shown.filter(({ kind }) => kind.value !== OPEN);
  }

  /** The players in the format of the API: open seats follow the others. */
  get players() {
    return this.#taken.map(({ kind: { value: kind }, name, colour }) => ({
      ...(kind !== PERSON && kind !== OPEN && { bot: kind }),
      ...(name.value.trim() && { name: name.value }),
      ...(colour.value && { colour: colour.value }),
    }));
  }
}

/** @param {string} letter @param {Pair<SeatKind>[]} kinds @param {Colour[]} colours */
function seatRow(letter, kinds, colours) {
  const kind = select(kinds, { "aria-label": `Seat ${letter}: player` });
  const name = element("input", { maxlength: 40, "aria-label": `Seat ${letter}: name`, autocomplete: "off" });
  const colour = select([pair("", "Any colour"), ...colours.map((each) => pair(each))], {
    "aria-label": `Seat ${letter}: colour`,
  });
  return { kind, name, colour, element: element("li", { class: "seat-row" }, kind, name, colour) };
}
