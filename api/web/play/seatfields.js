// The fields for the players of a new table: one row for each seat, and the colours.

/** @import { BotDescription, Colour } from "openapi" */
/** @import { Pair, SeatKind } from "../types.js" */

import { element, field, pair, select } from "./dom.js";
import { recall } from "./tokens.js";
import { seatLetter } from "./words.js";

const MOST = 5;
const PERSON = "person";
const OPEN = "open";

/** @type {Partial<Record<SeatKind, string>>} */
const PLACEHOLDERS = { [PERSON]: "Name", [OPEN]: "For anyone who joins" };

export class SeatFields {
  /** @type {ReturnType<typeof seatRow>[]} */
  #rows;
  #own = recall("name");

  /** @param {BotDescription[]} bots @param {Colour[]} colours */
  constructor(bots, colours) {
    const kinds = [pair(PERSON, "Person"), pair(OPEN, "Open seat"), ...bots.map(({ bot }) => pair(bot, `Bot: ${bot}`))];
    this.#rows = Array.from({ length: MOST }, (_, seat) => seatRow(seatLetter(seat), kinds, colours));
    this.element = element(
      "ol",
      { class: "seats" },
      this.#rows.map((row) => row.element),
    );
    this.colours = this.#rows.map((row) => row.colourField);
    const [first] = this.#rows;
    if (first) first.name.value = this.#own;
  }

  /**
   * Set the kinds of players. Further seats get the last kind.
   * @param {SeatKind[]} kinds
   */
  apply(kinds) {
    this.#rows.forEach(({ kind }, seat) => {
      kind.value = kinds[seat] ?? kinds.at(-1) ?? kind.value;
    });
  }

  /**
   * Show this number of seats. People need names, open seats have none, and bots do not get the remembered one.
   * @param {number} count
   */
  adapt(count) {
    this.#rows.forEach(({ element: row, kind, name, colour, colourField }, seat) => {
      row.hidden = colourField.hidden = seat >= count;
      name.disabled = colour.disabled = row.hidden || kind.value === OPEN;
      if (kind.value !== PERSON && name.value === this.#own) name.value = "";
      name.required = kind.value === PERSON;
      name.placeholder = PLACEHOLDERS[kind.value] ?? "Name (optional)";
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

  /** The name of the first person. */
  get person() {
    return this.#taken.find(({ kind }) => kind.value === PERSON)?.name.value.trim() ?? "";
  }

  /** The colours that are not left to the server, with their seats. */
  get changes() {
    const chosen = this.#rows.filter(({ colour }) => colour.value && !colour.disabled);
    return chosen.map(({ letter, colour }) => `${letter}: ${colour.value}`);
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
  const colour = select([pair("", "Any colour"), ...colours.map((each) => pair(each))]);
  const row = element("li", { class: "seat-row" }, element("b", { "aria-hidden": "true" }, letter), kind, name);
  return { letter, kind, name, colour, colourField: field(`Seat ${letter}: colour`, colour), element: row };
}
