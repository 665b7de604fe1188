// The form for a new table, with every option of the API.

import { get, post } from "./api.js";
import { button, choice, element, field, fill, select } from "./dom.js";
import { layoutFields } from "./layout.js";
import { attempt } from "./notices.js";
import { keepCreated } from "./tokens.js";
import { seatLetter, tileText } from "./words.js";

const MOST = 5;

const PRESETS = {
  hotSeat: { title: "Hot seat", text: "All at this device", seats: ["person", "person"], hotSeat: true, undo: "free" },
  bots: { title: "Against bots", text: "You against the computer", seats: ["person", "planner", "greedy"] },
  online: { title: "With friends", text: "Each at their own device", seats: ["person", "open", "open"], invite: true },
};

const UNDO = [
  ["turn", "Own turn: the active player, back to its start"],
  ["agree", "Agreed: anything, once every other player agrees"],
  ["free", "Free: anybody, anything"],
  ["off", "Off: what is done is done"],
];

const HELP = {
  hotSeat: "Whoever opens the table plays every seat at this device.",
  invite: "Only who has the link with its code sits down.",
  private: "Only those with a seat or an invitation can look at the game.",
  seed: "A number makes every draw repeatable. Empty: drawn.",
};

/** Show the form. */
export async function newTable(main) {
  document.title = "Franchise: new table";
  const [bots, boards] = await Promise.all([get("/v1/bots"), get("/v1/boards")]);
  const map = await get(`/v1/boards/${boards.items[0].id}`);
  const form = new TableForm(bots.items, boards.items, map);
  fill(main, element("h1", {}, "New table"), form.element);
  form.element.querySelector("input")?.focus();
}

class TableForm {
  constructor(bots, boards, map) {
    this.map = map;
    this.kinds = [["person", "Person"], ["open", "Open seat"], ...bots.map(({ bot }) => [bot, `Bot: ${bot}`])];
    this.bots = new Set(bots.map(({ bot }) => bot));
    this.rows = Array.from({ length: MOST }, (_, seat) => this.#row(seat));
    this.controls = this.#controls(boards);
    this.layout = element("div", {});
    this.chosen = element("div", {});
    this.element = element("form", { class: "new-table", onsubmit: (event) => this.#submit(event) }, ...this.#fieldsets(bots));
    this.element.addEventListener("change", () => this.#adapt());
    this.#apply(PRESETS.hotSeat);
  }

  #row(seat) {
    const kind = select(this.kinds, { "aria-label": `Seat ${seatLetter(seat)}: who` });
    const name = element("input", { maxlength: 40, "aria-label": `Seat ${seatLetter(seat)}: name`, placeholder: "Name" });
    const colours = [["", "Any colour"], ...this.map.colours.map((colour) => [colour, colour])];
    const colour = select(colours, { "aria-label": `Seat ${seatLetter(seat)}: colour` });
    return { kind, name, colour, element: element("li", { class: "seat-row" }, kind, name, colour) };
  }

  #controls(boards) {
    const tick = (text, help) => choice("checkbox", text, {}, help);
    return {
      seats: select([2, 3, 4, 5].map((count) => [String(count), `${count} players`])),
      board: select(boards.map(({ id }) => [id, id])),
      start: select([["standard", "Standard: everybody chooses a town"], ["introductory", "Introductory: fixed towns, for a first game"]]),
      first: select([]),
      expert: select([["", "No"], ["draft", "Draft: players lay the tiles in turn"], ["random", "Random: the tiles are drawn"], ["explicit", "Explicit: as laid out here"]]),
      tiles: select([["", "No"], ["mixed", "Mixed: ten of all thirty"], ["new", "New: ten of the twenty"], ["chosen", "Chosen: ten named tiles"]]),
      seed: element("input", { inputmode: "numeric", pattern: "-?[0-9]{1,16}" }),
      undo: select(UNDO),
      milestones: tick("Milestones", "Bonus tiles have to be earned."),
      boom: tick("Boom", "A marker doubles the free spaces of a city."),
      hotSeat: tick("Hot seat", HELP.hotSeat),
      invite: tick("By invitation", HELP.invite),
      private: tick("Private", HELP.private),
    };
  }

  #fieldsets(bots) {
    const c = this.controls;
    const presets = Object.values(PRESETS).map((preset) =>
      button([element("strong", {}, preset.title), element("small", {}, preset.text)], () => this.#apply(preset), { class: "preset" }),
    );
    const about = bots.map(({ bot, description }) => [element("dt", {}, bot), element("dd", {}, description)]);
    return [
      element("div", { class: "presets", role: "group", "aria-label": "Begin with" }, presets),
      group("Players", field("Number", c.seats), element("ol", { class: "seats" }, this.rows.map((row) => row.element)), element("details", {}, element("summary", {}, "About the bots"), element("dl", {}, about))),
      group("Table", c.hotSeat, c.invite, c.private, field("Undo", c.undo)),
      group("Set-up", field("Board", c.board), field("Start", c.start), field("Who begins", c.first), field("Expert variant", c.expert), this.layout, field("Seed", c.seed, HELP.seed)),
      group("Expansions", c.milestones, c.boom, field("Region tiles", c.tiles), this.chosen),
      element("div", { class: "buttons" }, element("button", { class: "primary" }, "Open the table"), element("a", { class: "button", href: "/play#" }, "Cancel")),
    ];
  }

  #apply({ seats, hotSeat = false, invite = false, undo = "turn" }) {
    this.controls.seats.value = String(seats.length);
    seats.forEach((kind, seat) => {
      this.rows[seat].kind.value = kind;
    });
    this.#tick("hotSeat", hotSeat);
    this.#tick("invite", invite);
    this.controls.undo.value = undo;
    this.#adapt();
  }

  #tick(name, value) {
    this.controls[name].querySelector("input").checked = value;
  }

  #ticked(name) {
    return this.controls[name].querySelector("input").checked;
  }

  get count() {
    return Number(this.controls.seats.value);
  }

  /** Show what the choices so far leave to be chosen. */
  #adapt() {
    this.rows.forEach((row, seat) => {
      row.element.hidden = seat >= this.count;
      const open = row.kind.value === "open";
      row.name.disabled = row.colour.disabled = open || row.element.hidden;
      row.name.required = row.kind.value === "person" && !row.element.hidden;
    });
    this.#adaptFirst();
    this.#adaptTiles();
  }

  #adaptFirst() {
    const chosen = this.controls.first.value;
    const seats = this.rows.slice(0, this.count).map((row, seat) => [String(seat), `${seatLetter(seat)}: ${row.name.value || this.#kindText(row)}`]);
    fill(this.controls.first, [["random", "Drawn"], ...seats].map(([value, text]) => element("option", { value, selected: value === chosen }, text)));
  }

  #kindText(row) {
    return row.kind.selectedOptions[0].textContent;
  }

  #adaptTiles() {
    const { expert, tiles } = this.controls;
    const wanted = expert.value === "explicit" ? `${this.count} ${tiles.value}` : "";
    if (this.layout.dataset.made !== wanted) {
      this.layout.dataset.made = wanted;
      fill(this.layout, wanted && layoutFields(this.map, this.count, tiles.value !== ""));
    }
    const choosing = tiles.value === "chosen";
    if (choosing !== this.chosen.hasChildNodes()) fill(this.chosen, choosing && this.#tileChoices());
  }

  #tileChoices() {
    const all = [...this.map.regions.map(({ tile }) => tile), ...this.map.new_region_tiles];
    const boxes = all.map((tile, index) => choice("checkbox", `${tile.id}: ${tileText(tile)}`, { value: tile.id, name: "chosen", checked: index < 10 }));
    return element("fieldset", { class: "tiles" }, element("legend", {}, "Ten tiles"), boxes);
  }

  /** The body of the request. */
  get body() {
    const taken = this.rows.slice(0, this.count).filter((row) => row.kind.value !== "open");
    return { seats: this.count, players: taken.map((row) => this.#player(row)), options: this.#options };
  }

  #player({ kind, name, colour }) {
    const bot = this.bots.has(kind.value) ? { bot: kind.value } : {};
    return { ...bot, ...(name.value.trim() && { name: name.value }), ...(colour.value && { colour: colour.value }) };
  }

  get #options() {
    const c = this.controls;
    return {
      board: c.board.value,
      start: c.start.value,
      first_player: c.first.value === "random" ? "random" : Number(c.first.value),
      seed: c.seed.value.trim() ? Number(c.seed.value) : null,
      expert: this.#expert,
      modules: { milestones: this.#ticked("milestones"), boom: this.#ticked("boom"), region_tiles: this.#regionTiles },
      undo: c.undo.value,
      private: this.#ticked("private"),
      hot_seat: this.#ticked("hotSeat"),
      invite: this.#ticked("invite"),
    };
  }

  get #expert() {
    const mode = this.controls.expert.value;
    if (mode !== "explicit") return mode ? { mode } : null;
    return { mode, city_tiles: this.#laid("city", Number), region_tiles: this.#laid("region", String) };
  }

  #laid(kind, type) {
    const selects = [...this.layout.querySelectorAll(`select[data-${kind}]`)];
    return Object.fromEntries(selects.map((each) => [each.dataset[kind], type(each.value)]));
  }

  get #regionTiles() {
    const { value } = this.controls.tiles;
    if (value !== "chosen") return value || null;
    return { chosen: [...this.chosen.querySelectorAll("input:checked")].map((box) => box.value) };
  }

  async #submit(event) {
    event.preventDefault();
    await attempt(async () => {
      location.assign(`/play/${keepCreated(await post("/v1/games", this.body))}`);
    });
  }
}

const group = (title, ...fields) => element("fieldset", { class: "card" }, element("legend", {}, title), ...fields);
