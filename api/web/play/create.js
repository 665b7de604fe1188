// The form for a new table.

/** @import { BoardMap, BoardName, BotDescription } from "openapi" */
/** @import { Child, Preset } from "../types.js" */

import { get, post } from "./api.js";
import { button, element, field, fill, form, loadStyle, pair, select, setAttribute } from "./dom.js";
import { attempt } from "./notices.js";
import { OptionFields } from "./options.js";
import { SeatFields } from "./seatfields.js";
import { goTo, keep, keepCreated, recall } from "./tokens.js";

/**
 * The usual kinds of tables: the seats and the options of each.
 * @type {[Preset, ...Preset[]]}
 */
const PRESETS = [
  { title: "Hot seat", text: "Everyone on this device", seats: ["person", "person"], hotSeat: true, undo: "free" },
  { title: "Against bots", text: "You against the computer", seats: ["person", "planner", "greedy"] },
  { title: "With friends", text: "Everyone on their own device", seats: ["person", "open", "open"], invite: true },
];

const style = loadStyle("./create.css");

const EXPANSIONS = "Each adds rules to the base game. Play a first game without them.";

/** @param {HTMLElement} main */
export async function newTable(main) {
  document.title = "Franchise: new table";
  await style;
  const [bots, boards] = await Promise.all([get("/v1/bots"), get("/v1/boards")]);
  const map = await get(`/v1/boards/${boards.items[0]?.id}`);
  const table = new TableForm(bots.items, boards.items, map);
  fill(main, table.element);
  table.element.querySelector("input")?.focus({ preventScroll: true });
}

class TableForm {
  /** @param {BotDescription[]} bots @param {BoardName[]} boards @param {BoardMap} map */
  constructor(bots, boards, map) {
    this.count = select([2, 3, 4, 5].map((count) => pair(String(count))));
    this.seats = new SeatFields(bots, map.colours);
    this.options = new OptionFields(boards, map);
    this.changes = element("span", { class: "badges" });
    this.presets = PRESETS.map((preset) => this.#presetButton(preset));
    this.element = form(
      () => this.#submit(),
      { class: "new-table", onchange: () => this.#adapt() },
      element("h1", {}, "New table"),
      element("div", { class: "presets", role: "group", "aria-label": "Kind of game" }, this.presets),
      element(
        "div",
        { class: "choices" },
        group("Players", field("Number of players", this.count), this.seats.element, about(bots)),
        group("Expansions", element("p", { class: "quiet" }, EXPANSIONS), ...this.options.expansions),
      ),
      this.#others(),
      element(
        "div",
        { class: "buttons" },
        element("button", { class: "primary" }, "Open the table"),
        element("a", { class: "button", href: "/play#" }, "Cancel"),
      ),
    );
    this.element.addEventListener("invalid", showInvalid, { capture: true });
    this.#apply(PRESETS[0]);
  }

  /** Make the fields that most tables do not need, folded under a line that names the choices in them. */
  #others() {
    return element(
      "details",
      {},
      element("summary", {}, "More options ", this.changes),
      element(
        "div",
        { class: "choices" },
        this.options.others.map(([title, fields]) => group(title, ...fields)),
        group("Colours", element("div", { class: "tiles" }, this.seats.colours)),
      ),
    );
  }

  /** @param {Preset} preset */
  #presetButton(preset) {
    const { title, text } = preset;
    const apply = () => this.#apply(preset);
    return button([element("strong", {}, title), element("small", {}, text)], apply, { class: "preset" });
  }

  /** @param {Preset} preset */
  #apply(preset) {
    this.presets.forEach((made, index) => setAttribute(made, "aria-pressed", String(PRESETS[index] === preset)));
    this.count.value = String(preset.seats.length);
    this.seats.apply(preset.seats);
    this.options.apply(preset);
    this.#adapt();
  }

  /** Adapt the fields to the choices so far. */
  #adapt() {
    const count = Number(this.count.value);
    this.seats.adapt(count);
    this.options.adapt(count, this.seats.labels);
    const changes = [...this.options.changes, ...this.seats.changes];
    fill(
      this.changes,
      changes.map((text) => element("span", { class: "badge" }, text)),
    );
  }

  async #submit() {
    const body = { seats: Number(this.count.value), players: this.seats.players, options: this.options.value };
    await attempt(async () => {
      const id = keepCreated(await post("/v1/games", body));
      keep("name", this.seats.person || recall("name"));
      goTo(`/play/${id}`);
    });
  }
}

/**
 * Unfold the options around a field with a wrong value, so that the browser can show what is wrong.
 * @param {Event} event
 */
function showInvalid({ target }) {
  const folded = /** @type {Element} */ (target).closest("details");
  if (folded) folded.open = true;
}

/** @param {string} title @param {...Child} fields */
const group = (title, ...fields) => element("fieldset", { class: "card" }, element("legend", {}, title), ...fields);

/** @param {BotDescription[]} bots */
function about(bots) {
  const kinds = bots.map(({ bot, description }) => [element("dt", {}, bot), element("dd", {}, description)]);
  return element("details", {}, element("summary", {}, "About the bots"), element("dl", {}, kinds));
}
