// The fields for the options of a new table.

/** @import { BoardMap, BoardName, GameOptions, Start, UndoPolicy } from "openapi" */
/** @import { Child, Pair, PresetOptions } from "../types.js" */

import { choice, element, field, fill, options, pair, select } from "./dom.js";
import { layoutFields, layoutOf } from "./layout.js";
import { duration, optionTexts, seatLetter } from "./words.js";

/** @type {Pair<Start>[]} */
const START = [
  ["standard", "Standard: each player chooses a town"],
  ["introductory", "Introductory: fixed towns, for a first game"],
];

/** @type {Pair<"" | "draft" | "random" | "explicit">[]} */
const EXPERT = [
  ["", "No"],
  ["draft", "Draft: the players take turns laying the tiles"],
  ["random", "Random: the tiles are laid at random"],
  ["explicit", "Explicit: you choose the tile of each city and region"],
];

/** @type {Pair<"" | "mixed" | "new" | "chosen">[]} */
const TILES = [
  ["", "No"],
  ["mixed", "Mixed: 10 of all 30, drawn at random"],
  ["new", "New: 10 of the 20 new ones, drawn at random"],
  ["chosen", "Chosen: 10 that you choose"],
];

/** @type {Pair<UndoPolicy>[]} */
const UNDO = [
  ["turn", "Own turn: your actions of the current turn"],
  ["agree", "Agreed: any action, if all others agree"],
  ["free", "Free: any player, any action"],
  ["off", "Off: no undo"],
];

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const LIMITS = [5 * MINUTE, HOUR, DAY, 3 * DAY, 7 * DAY];

/** @type {Pair<"ask" | "bot">[]} */
const ABSENT = [
  ["ask", "The others may let a bot play"],
  ["bot", "A bot plays at once"],
];

const LIMIT_HELP = "The time for a whole turn. When it is over, a bot may play until the player is back.";
const TILES_HELP = "More tiles for the regions. Some give dollars, bonus tiles or a special tile.";
const RANDOM = "random";
const NO_MODULES = { milestones: false, boom: false, region_tiles: null };

export class OptionFields {
  #map;
  #layout = element("div", {});
  #chosen = element("div", {});
  #absent = element("div", {});

  /** @param {BoardName[]} boards @param {BoardMap} map */
  constructor(boards, map) {
    this.#map = map;
    this.board = select(boards.map(({ id }) => pair(id)));
    this.start = select(START);
    this.first = select([]);
    this.expert = select(EXPERT);
    this.tiles = select(TILES);
    this.seed = element("input", { inputmode: "numeric", pattern: "-?[0-9]{1,16}" });
    this.undo = select(UNDO);
    this.limit = select([pair("", "None"), ...LIMITS.map((seconds) => pair(String(seconds), duration(seconds)))]);
    this.absent = select(ABSENT);
    this.milestones = tick("Milestones", "Players earn their bonus tiles by reaching milestones.");
    this.boom = tick("Boom", "A marker doubles the free spaces of a city for income.");
    this.hotSeat = tick("Hot seat", "You play every seat on this device.");
    this.invite = tick("By invitation", "Only people with the invitation link can join.");
    this.hints = tick("Hints", "Players can ask the computer for a move.");
    box(this.hints).checked = true;
    this.private = tick("Private", "Only the players and the spectators that you invite can see the game.");
  }

  /** The fields of the expansions. */
  get expansions() {
    return [this.milestones, this.boom, field("Region tiles", this.tiles, TILES_HELP), this.#chosen];
  }

  /**
   * The fields that most tables do not need.
   * @returns {[title: string, fields: Child[]][]}
   */
  get others() {
    return [
      ["Set-up", this.#setUp()],
      ["Table", this.#table()],
    ];
  }

  /** The choices in these other fields that differ from the default. */
  get changes() {
    const seed = this.seed.value.trim();
    const [first] = this.first.selectedOptions;
    return [
      ...optionTexts({ ...this.value, modules: NO_MODULES }),
      first && first.value !== RANDOM && `First: ${first.text}`,
      seed && `Seed ${seed}`,
    ].filter(Boolean);
  }

  #table() {
    const limit = field("Turn limit", this.limit, LIMIT_HELP);
    return [field("Undo", this.undo), limit, this.#absent, this.hotSeat, this.invite, this.private, this.hints];
  }

  #setUp() {
    return [
      this.board.length > 1 && field("Board", this.board),
      field("Start", this.start),
      field("First player", this.first),
      field("Expert variant", this.expert),
      this.#layout,
      field("Seed", this.seed, "The same number gives the same draws. Leave it empty for a random number."),
    ];
  }

  /**
   * Set the options of a usual kind of table.
   * @param {PresetOptions} preset
   */
  apply({ hotSeat = false, invite = false, undo = "turn" }) {
    box(this.hotSeat).checked = hotSeat;
    box(this.invite).checked = invite;
    this.undo.value = undo;
  }

  /**
   * Adapt the fields to the number of players and their names.
   * @param {number} count
   * @param {string[]} players
   */
  adapt(count, players) {
    const first = this.first.value;
    const seats = players.map((name, seat) => pair(String(seat), `${seatLetter(seat)}: ${name}`));
    fill(this.first, options([pair(RANDOM, "Random"), ...seats], first));
    const laidOut = this.expert.value === "explicit" && `${count} ${Boolean(this.tiles.value)}`;
    refill(this.#layout, laidOut, () => layoutFields(this.#map, count, this.tiles.value !== ""));
    refill(this.#absent, this.limit.value && "limit", () => field("If a player is absent", this.absent));
    refill(this.#chosen, this.tiles.value === "chosen" && "chosen", () => this.#tileChoices());
  }

  #tileChoices() {
    const all = [...this.#map.regions.map(({ tile }) => tile), ...this.#map.new_region_tiles];
    const boxes = all.map((tile, index) =>
      choice("checkbox", `${tile.id}: ${tile.text}`, { value: tile.id, checked: index < 10 }),
    );
    return element("fieldset", { class: "tiles" }, element("legend", {}, "Choose 10 tiles"), boxes);
  }

  /**
   * The options in the format of the API.
   * @returns {GameOptions}
   */
  get value() {
    return {
      board: this.board.value,
      start: this.start.value,
      first_player: this.first.value === RANDOM ? RANDOM : Number(this.first.value),
      seed: this.seed.value.trim() ? Number(this.seed.value) : null,
      expert: this.#expert,
      modules: {
        milestones: box(this.milestones).checked,
        boom: box(this.boom).checked,
        region_tiles: this.#regionTiles,
      },
      undo: this.undo.value,
      private: box(this.private).checked,
      hot_seat: box(this.hotSeat).checked,
      invite: box(this.invite).checked,
      hints: box(this.hints).checked,
      turn_limit: this.limit.value ? Number(this.limit.value) : null,
      absent: this.limit.value ? this.absent.value : "ask",
    };
  }

  /** @returns {GameOptions["expert"]} */
  get #expert() {
    const mode = this.expert.value;
    if (mode === "explicit") return { mode, ...layoutOf(this.#layout) };
    return mode ? { mode } : null;
  }

  get #regionTiles() {
    if (this.tiles.value !== "chosen") return this.tiles.value || null;
    const boxes = [...this.#chosen.querySelectorAll("input")];
    return { chosen: boxes.filter(({ checked }) => checked).map(({ value }) => value) };
  }
}

/** @param {string} text @param {string} help */
const tick = (text, help) => choice("checkbox", text, {}, help);
/** @param {HTMLLabelElement} label */
const box = (label) => /** @type {HTMLInputElement} */ (label.control);

/**
 * Make the contents of an element again if `wanted` has changed; false makes it empty.
 * @param {HTMLElement} target
 * @param {string | false} wanted
 * @param {() => Child} make
 */
function refill(target, wanted, make) {
  if ((target.dataset.made || "") === (wanted || "")) return;
  target.dataset.made = wanted || "";
  fill(target, wanted && make());
}
