// The replay of a game: by moves, by turns, at any version.

/** @import { State } from "openapi" */
/** @import { PlayPage } from "./playing.js" */
/** @import { Pair } from "../types.js" */

import { get } from "./api.js";
import { button, element, fill, form, select } from "./dom.js";
import { newsBetween } from "./news.js";
import { attempt } from "./notices.js";
import { fetchBoard } from "./picture.js";
import { Plot } from "./plot.js";

const KEPT = 60;
const REST = 60;
/** The most moves of a turn whose changes are marked. */
const LONGEST_TURN = 12;
/** @type {Pair[]} */
const SPEEDS = [
  ["1500", "Slow"],
  ["700", "Normal"],
  ["250", "Fast"],
];
/** @type {Record<string, number>} */
const STEPS = { ArrowLeft: -1, ArrowRight: 1 };
/** @type {Record<string, number>} */
const ENDS = { Home: -Infinity, End: Infinity };

export class Replay {
  /** @type {number[]} */
  #versions = [];
  /** @type {Map<number, Promise<State>>} */
  #states = new Map();
  #timer = 0;
  #prefetching = 0;
  #at = 0;
  #wanted = 0;
  #closed = false;

  /** @param {Pick<PlayPage, "session" | "history" | "render">} page */
  constructor(page) {
    this.page = page;
    this.session = page.session;
    this.plot = new Plot(this.session, (version) => this.#go(this.#indexOf(version)));
    this.slider = element("input", {
      type: "range",
      min: 0,
      step: 1,
      "aria-label": "Move",
    });
    this.slider.addEventListener("input", () => this.#go(Number(this.slider.value)));
    this.where = element("output", { class: "where" });
    this.playButton = button("Play", () => this.#toggle(), { class: "play" });
    this.speed = select(SPEEDS, { "aria-label": "Speed" }, "700");
    this.element = this.#layout();
    /** @param {KeyboardEvent} event */
    this.keys = (event) => this.#key(event);
    addEventListener("keydown", this.keys);
  }

  #layout() {
    /** @param {string} text @param {string} label @param {() => number} by */
    const step = (text, label, by) => button(text, () => this.#go(by()), { "aria-label": label });
    const number = element("input", {
      type: "number",
      min: 0,
      required: true,
      "aria-label": "Turn",
      placeholder: "Turn",
    });
    const jump = () => this.#go(this.#indexOfTurn(Number(number.value)));
    return element(
      "section",
      { class: "card replay", "aria-label": "Replay", tabindex: "-1", inert: true },
      this.slider,
      element(
        "div",
        { class: "steps" },
        step("|‹", "First move", () => 0),
        step("«", "Previous turn", () => this.#turnBefore()),
        step("‹", "Previous move", () => this.#at - 1),
        this.playButton,
        step("›", "Next move", () => this.#at + 1),
        step("»", "Next turn", () => this.#turnAfter()),
        step("›|", "Last move", () => Infinity),
      ),
      element(
        "div",
        { class: "ways" },
        this.speed,
        form(jump, { class: "jump" }, number, element("button", {}, "Go to turn")),
        element("a", { class: "button primary", href: "#" }, "Back to the present"),
      ),
      this.where,
      this.plot.element,
    );
  }

  get isAtEnd() {
    return this.#at >= this.#versions.length - 1;
  }

  /**
   * @param {number} version
   */
  async visit(version) {
    const opening = !this.#versions.length;
    if (opening) await this.#open();
    await this.#show(this.#indexOf(version));
    if (!opening) return;
    if (document.hasFocus()) this.element.focus({ preventScroll: true }); // not from the page around a frame
    await this.plot.load();
  }

  async #open() {
    if (!this.session.isLoaded) await this.session.load();
    await this.page.history.readAll();
    this.#read();
    this.element.inert = false;
  }

  #read() {
    const { lines, turns } = this.page.history;
    const beginning = turns.get(0)?.version;
    this.#versions = [...(beginning ? [beginning] : []), ...lines.map(({ version }) => version)];
    this.slider.max = String(this.#versions.length - 1);
    this.#at = Math.min(this.#at, this.#versions.length - 1);
  }

  /** Add the moves that were played while the replay is open. */
  async present() {
    await this.page.history.update();
    this.#read();
    this.#mark();
    await this.plot.load();
  }

  close() {
    this.#closed = true;
    this.#stop();
    removeEventListener("keydown", this.keys);
  }

  /**
   * Go to a move.
   * @param {number} index
   */
  #go(index) {
    return attempt(() => this.#show(Math.min(Math.max(index, 0), this.#versions.length - 1)));
  }

  /**
   * Show a move. The address names its version, so that it can be shared.
   * @param {number} index
   */
  async #show(index) {
    const version = this.#versions[index];
    if (version === undefined || this.#closed) return;
    history.replaceState(history.state, "", `#v=${version}`);
    const single = this.#wanted > 0 && Math.abs(index - this.#at) === 1;
    const news = this.#wanted > 0 ? this.#newsTo(index) : null;
    this.#at = index;
    this.#mark();
    const wanted = (this.#wanted += 1);
    if (single) this.#prefetch(index); // state and board at once; a dragged slider passes too many boards for that
    const state = await this.#state(version);
    if (this.#closed || this.#wanted !== wanted) return;
    this.page.render(state, false, news);
    clearTimeout(this.#prefetching);
    this.#prefetching = setTimeout(() => [index + 1, index - 1].forEach((near) => this.#prefetch(near)), REST);
  }

  /**
   * Return the news on the way to a move; a long jump has none. On the way back only the places matter.
   * @param {number} index
   */
  #newsTo(index) {
    const [first, last] = [this.#at, index].sort((a, b) => a - b).map((each) => this.#versions[each] ?? 0);
    if (Math.abs(index - this.#at) > LONGEST_TURN || first === undefined || last === undefined) return null;
    const news = newsBetween(this.page.history, first, last);
    return index > this.#at ? news : { ...news, gains: [], players: new Map() };
  }

  #mark() {
    const version = this.#versions[this.#at];
    const line = this.page.history.lines.find((each) => each.version === version);
    this.slider.value = String(this.#at);
    this.slider.setAttribute("aria-valuetext", line ? `Turn ${line.turn}: ${line.text}` : "Beginning");
    fill(
      this.where,
      element("strong", {}, `Move ${this.#at} of ${this.#versions.length - 1}`),
      ` · ${line ? line.text : "The beginning"}`,
    );
    this.plot.mark(version);
  }

  /**
   * Read the state at a version. A version never changes, so the last ones are cached.
   * @param {number} version
   */
  #state(version) {
    const known = this.#states.get(version);
    if (known) return known;
    const read = get(`${this.session.path}/state?at=${version}`, this.session.reading);
    this.#states.set(version, read);
    read.catch(() => this.#states.delete(version));
    for (const oldest of [...this.#states.keys()].slice(0, -KEPT)) this.#states.delete(oldest);
    return read;
  }

  /** @param {number} index */
  #prefetch(index) {
    const version = this.#versions[index];
    if (version === undefined) return;
    this.#state(version).catch(() => {});
    fetchBoard(this.session, version).catch(() => {});
  }

  /**
   * Return the index of the move of a version.
   * @param {number} version
   */
  #indexOf(version) {
    const after = this.#versions.findIndex((each) => each > version);
    return after < 0 ? this.#versions.length - 1 : Math.max(0, after - 1);
  }

  /** @param {number} number */
  #indexOfTurn(number) {
    const turn = this.page.history.turns.get(number);
    return turn ? this.#indexOf(turn.version) : this.#versions.length - 1;
  }

  #turnStarts() {
    return [...this.page.history.turns.values()].map(({ version }) => this.#indexOf(version)).sort((a, b) => a - b);
  }

  #turnBefore() {
    return this.#turnStarts().findLast((index) => index < this.#at) ?? 0;
  }

  #turnAfter() {
    return this.#turnStarts().find((index) => index > this.#at) ?? Infinity;
  }

  #toggle() {
    if (this.#timer) this.#stop();
    else this.#tick(this.#at < this.#versions.length - 1 ? this.#at + 1 : 0);
  }

  #tick(next = this.#at + 1) {
    if (next > this.#versions.length - 1) {
      this.#stop();
      return;
    }
    this.playButton.textContent = "Pause";
    this.#go(next);
    this.#timer = setTimeout(() => this.#tick(), Number(this.speed.value));
  }

  #stop() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.playButton.textContent = "Play";
  }

  /**
   * The left and right arrows step everywhere on the page where they have no other use. Home and End step inside the
   * replay only: elsewhere they scroll.
   * @param {KeyboardEvent} event
   */
  #key(event) {
    const { key } = event;
    const target = /** @type {Element} */ (event.target);
    const by = STEPS[key] ?? (this.element.contains(target) ? ENDS[key] : undefined);
    if (by === undefined || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (this.element.inert || target.closest("input, select, textarea, dialog") || scrollsSideways(target)) return;
    event.preventDefault();
    this.#go(this.#at + by);
  }
}

/** @param {Element} target */
const scrollsSideways = (target) => target.matches(".frame") && target.scrollWidth > target.clientWidth;
