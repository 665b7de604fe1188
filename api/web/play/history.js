// The history of the game in sentences: the newest turn first, older ones on demand.

/** @import { Effect, GameHistory, HistoryLine, HistoryNote, HistoryTurn, Summary } from "openapi" */
/** @import { Session } from "./session.js" */

import { get } from "./api.js";
import { coalesced } from "./coalesced.js";
import { button, element, fill } from "./dom.js";
import { announce, attempt } from "./notices.js";
import { chip } from "./people.js";
import { actionName, counted, seatOf } from "./words.js";

const RECENT = 80;
const PAGE = 500;

/** Return the version in the address, to which a line links, or null. */
export function versionInAddress() {
  const [, version] = location.hash.match(/^#v=(\d+)$/) || [];
  return version ? Number(version) : null;
}

export class HistoryList {
  /** @type {HistoryLine[]} */
  #lines = [];
  /** @type {Map<number, HistoryTurn>} */
  #turns = new Map();
  /** @type {Map<number, HistoryNote>} */
  #notes = new Map();
  /** @type {number | null} */
  #version = null;
  #after = Infinity;
  #whole = false;
  /** @type {number | null} */
  #marked = null;

  /** @param {Session} session */
  constructor(session) {
    this.session = session;
    this.list = element("div", {
      class: "history",
      tabindex: "0",
      role: "log",
      "aria-label": "Moves",
      "aria-live": "off",
    });
    this.element = element(
      "section",
      { class: "card", "aria-labelledby": "history-title" },
      element("h2", { id: "history-title" }, "History"),
      this.list,
    );
  }

  /** The lines read so far, the oldest first. */
  get lines() {
    return this.#lines;
  }

  /** The turns read so far, by number; 0 is the set-up. */
  get turns() {
    return this.#turns;
  }

  /**
   * Return the lines between two versions, and the effects that opened turns between them.
   * @param {number} after
   * @param {number} last
   */
  between(after, last) {
    /** @param {{ version: number }} each */
    const isBetween = ({ version }) => version > after && version <= last;
    const openings = [...this.#turns.values()].filter(isBetween).flatMap(({ opening }) => opening);
    return { lines: this.#lines.filter(isBetween), openings };
  }

  /** Read the new lines, and announce them to screen readers. */
  update = coalesced(async () => {
    const known = this.#version;
    const from = this.#whole ? 0 : Math.max(0, this.session.state.version - RECENT);
    const older = from < this.#after;
    const news = await this.#read(older || known === null ? from : known);
    if (older) this.#after = this.#lines.length ? news.after : 0;
    if (known !== null) this.#announce(news, older ? known : 0);
    this.#draw();
  });

  /**
   * Read all pages after a version, and drop the lines that were undone.
   * @param {number} after
   */
  async #read(after) {
    const path = /** @type {const} */ (`${this.session.path}/history?after=${after}&limit=${PAGE}`);
    const first = await get(path, this.session.reading);
    this.#lines = this.#lines.filter(({ version }) => version <= first.after);
    for (const [turn, { version }] of this.#turns) if (version > first.after) this.#turns.delete(turn);
    const items = [];
    const turns = [];
    for (let page = first; ; page = await get(`${path}&cursor=${page.next}`, this.session.reading)) {
      items.push(...page.items);
      turns.push(...page.turns);
      for (const note of page.notes) this.#notes.set(note.version, note);
      if (!page.next) break;
    }
    this.#lines.push(...items);
    for (const turn of turns) this.#turns.set(turn.turn, turn);
    this.#version = first.version;
    return { after: first.after, items, turns };
  }

  /** @param {Pick<GameHistory, "items" | "turns">} news @param {number} known */
  #announce({ items, turns }, known) {
    const openings = turns.flatMap(({ version, opening }) => opening.map(({ text }) => ({ version, text })));
    /** @param {{ version: number, text: string }[]} lines */
    const news = (lines) => lines.filter(({ version }) => version > known);
    const texts = news([...items, ...openings]).sort((a, b) => a.version - b.version);
    if (news(items).length) announce(texts.map(({ text }) => text).join(" "));
  }

  readAll() {
    this.#whole = true;
    return this.update();
  }

  /**
   * Mark the line of a version.
   * @param {number | null} version
   */
  mark(version) {
    this.#marked = version;
    const before = this.list.querySelector("[aria-current]");
    before?.removeAttribute("aria-current");
    /** @type {HTMLElement | null} */
    const line = version === null ? null : this.list.querySelector(`[data-version="${version}"]`);
    line?.setAttribute("aria-current", "true");
    if (line || before) requestAnimationFrame(() => this.#scrollTo(line));
  }

  /**
   * Scroll to a line, or to the newest without one.
   * @param {HTMLElement | null} line
   */
  #scrollTo(line) {
    if (line) this.list.scrollTop = line.offsetTop - this.list.clientHeight / 2;
    else this.list.scrollTop = 0;
  }

  #draw() {
    const turns = [...this.#byTurn()].reverse();
    fill(
      this.list,
      turns.map(([number, lines]) => this.#turn(number, lines)),
      this.#after > 0 && button("Show the whole game", () => attempt(() => this.readAll()), { "data-focus": "whole" }),
    );
    this.mark(this.#marked);
  }

  /** Group lines by turn. A note belongs to the turn of the line before it, or to a turn that begins after that. */
  #byTurn() {
    const numbers = [...this.#turns.keys(), ...this.#lines.map(({ turn }) => turn)].sort((a, b) => a - b);
    /** @type {Map<number, (HistoryLine | HistoryNote)[]>} */
    const turns = new Map(numbers.map((turn) => [turn, []]));
    for (const line of this.#lines) turns.get(line.turn)?.push(line);
    const parts = [...this.#lines, ...this.#turns.values()].sort((a, b) => a.version - b.version);
    for (const note of this.#notes.values()) {
      const before = parts.findLast(({ version }) => version < note.version);
      turns.get(before?.turn ?? numbers[0] ?? 0)?.push(note);
    }
    for (const lines of turns.values()) lines.sort((a, b) => a.version - b.version);
    return turns;
  }

  /** @param {number} number @param {(HistoryLine | HistoryNote)[]} lines */
  #turn(number, lines) {
    const turn = this.#turns.get(number);
    const { game } = this.session.state;
    const mover = turn?.seat ?? lines.find((each) => "seat" in each)?.seat;
    const opening = (turn?.opening ?? []).filter(({ type }) => type !== "turn_started");
    return element(
      "section",
      { class: "turn" },
      element(
        "h3",
        {},
        number > 0 && mover !== undefined && chip(seatOf(game, mover)),
        number ? `Turn ${number}` : "Set-up",
      ),
      element(
        "ol",
        { reversed: true },
        [...lines].reverse().map((each) => line(each, game)),
      ),
      opening.length > 0 && element("div", { class: "opening" }, ...told(opening, `opening-${number}`)),
    );
  }
}

/**
 * Make a line, which links to its version in the replay. The many effects of the end of a turn are summed up and folded.
 * @param {HistoryLine | HistoryNote} line
 * @param {Summary} game
 */
function line(line, game) {
  const { version, text, at } = line;
  const [shown, folded] = "effects" in line ? told(line.effects, `effects-${version}`) : [text];
  return element(
    "li",
    { "data-version": version },
    element(
      "a",
      {
        href: `#v=${version}`,
        title: `Show version ${version}, ${new Date(at).toLocaleString()}`,
        "data-focus": `line-${version}`,
      },
      shown,
      "by" in line && actor(line, game),
      folded && "effects" in line && gains(line.effects, game),
    ),
    folded,
  );
}

/**
 * Return what is shown of some effects, and what is folded: all but the first, if there are more than two.
 * @param {Effect[]} effects
 * @param {string} key
 * @returns {[shown: string, folded?: Element]}
 */
function told([first, ...others], key) {
  if (others.length < 2) return [[first, ...others].map((each) => each?.text).join(" ")];
  const folded = element(
    "details",
    { "data-focus": key },
    element("summary", { "data-focus": `${key}-more` }, counted(others.length, "effect")),
    element(
      "ul",
      {},
      others.map(({ text }) => element("li", {}, text)),
    ),
  );
  return [first?.text ?? "", folded];
}

/**
 * Name a stand-in, or the host who acted for another player.
 * @param {HistoryLine} line
 * @param {Summary} game
 */
const actor = ({ by }, { options }) =>
  (by === "stand_in" || (by === "host" && !options.hot_seat)) && element("span", { class: "badge" }, actionName(by));

/**
 * Sum up the gains of each player.
 * @param {Effect[]} effects
 * @param {Summary} game
 */
function gains(effects, game) {
  const changes = effects.flatMap((each) => each.changes);
  return game.seats.map((seat) => {
    /** @param {"influence" | "money"} what */
    const sum = (what) => changes.filter((each) => each.seat === seat.seat).reduce((all, each) => all + each[what], 0);
    const [influence, money] = [sum("influence"), sum("money")];
    const gained = [influence > 0 && `+${influence} IP`, money > 0 && `+$${money}`].filter(Boolean);
    if (!gained.length) return null;
    return element(
      "span",
      { class: "gain" },
      " ",
      chip(seat),
      element("span", { class: "unseen" }, seat.name),
      ` ${gained.join(", ")}`,
    );
  });
}
