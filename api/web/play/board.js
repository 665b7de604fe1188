// The picture of the board, with the places and regions marked on which something can be done.

import { ask } from "./dialogs.js";
import { button, element, keepFocus } from "./dom.js";
import { attempt, dismissAnswer, notify, showProblem } from "./notices.js";
import { askPath, isLong } from "./path.js";
import { exchange, makeButton, onThemeChanged, readBoard, targetIn } from "./picture.js";
import { refusalAt } from "./refusal.js";

const ANOTHER = "another path";
const ZOOMS = ["fit", "large", "huge"];
/** Where the whole board would have places too small to be touched, it is shown in parts at first. */
const NARROW = matchMedia("(max-width: 45rem)");

export class Board {
  #shown = null;
  #wanted = null;
  /** Settled once the board is shown that was asked for last. */
  ready = Promise.resolve();

  /**
   * @param {import("./session.js").Session} session
   * @param {(work: () => Promise<void>) => Promise<void>} change
   */
  constructor(session, change) {
    this.session = session;
    this.change = change;
    const size = NARROW.matches ? "large" : "fit";
    this.frame = element("div", { class: `frame ${size}`, tabindex: "0", role: "group", "aria-label": "Board" });
    this.frame.addEventListener("click", ({ target }) => this.#clicked(target.closest(".place")));
    const zoom = (step) => () => this.#zoom(step);
    this.element = element(
      "section",
      { class: "board-area", "aria-label": "Board" },
      this.frame,
      element(
        "div",
        { class: "zoom", role: "group", "aria-label": "Size of the board" },
        button("−", zoom(-1), { "aria-label": "Smaller" }),
        button("+", zoom(1), { "aria-label": "Larger" }),
      ),
    );
    onThemeChanged(() => this.#shown && this.show(...this.#shown));
  }

  #zoom(step) {
    const size = ZOOMS.findIndex((name) => this.frame.classList.contains(name));
    const next = Math.min(Math.max(size + step, 0), ZOOMS.length - 1);
    const middle = this.#middle();
    this.frame.classList.replace(ZOOMS[size], ZOOMS[next]);
    this.#scrollTo(...middle);
  }

  /** The point of the board in the middle of the frame, as parts of its width and height. */
  #middle() {
    const { scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight } = this.frame;
    return [(scrollLeft + clientWidth / 2) / scrollWidth, (scrollTop + clientHeight / 2) / scrollHeight];
  }

  #scrollTo(x, y) {
    const { scrollWidth, scrollHeight, clientWidth, clientHeight } = this.frame;
    this.frame.scrollTo(x * scrollWidth - clientWidth / 2, y * scrollHeight - clientHeight / 2);
  }

  /**
   * Show the board of a state, with what can be done there if it is the present one.
   * @param {object} state as `GET state` gives it
   * @param {boolean} live whether it is the present one
   * @param {boolean} step whether it is one move away from what was shown: then the places that differ are marked
   */
  show(state, live, step = false) {
    this.#shown = [state, live];
    this.ready = this.#read(state, live, step);
    return this.ready;
  }

  async #read(state, live, step) {
    const wanted = (this.#wanted = {});
    try {
      const picture = await readBoard(this.session, state.version);
      if (this.#wanted === wanted) this.#put(picture, state, live, step);
    } catch (problem) {
      showProblem(problem);
    }
  }

  #put(picture, { version, board, legal_moves: { items } }, live, step) {
    const focusAgain = keepFocus(this.frame, this.frame);
    for (const part of this.frame.querySelectorAll(".changed")) part.classList.remove("changed");
    const { shown, changed } = exchange(this.frame.querySelector("svg"), picture);
    if (shown === picture) this.frame.replaceChildren(picture);
    if (!this.frame.dataset.version) this.#scrollTo(0.5, 0.5);
    if (this.frame.dataset.version !== String(version)) dismissAnswer();
    if (live && this.session.myTurn) this.#mark(shown, items, board);
    this.frame.dataset.version = version;
    focusAgain();
    this.#bringInView(shown.querySelectorAll(".target"));
    if (step) this.#markChanged(changed.filter((part) => part.matches(".place")));
  }

  /** Mark the places that a move has changed, and show one of them once everything of the step is drawn. */
  #markChanged(places) {
    for (const place of places) place.classList.add("changed");
    requestAnimationFrame(() => this.#bringInView(this.frame.querySelectorAll(".changed")));
  }

  /** Where the frame shows a part of the board only, scroll until it shows one of these. */
  #bringInView(targets) {
    if (!targets.length) return;
    const frame = this.frame.getBoundingClientRect();
    const boxes = [...targets].map((target) => target.getBoundingClientRect());
    if (boxes.some((box) => isWithin(box, frame))) return;
    const [{ left, top, width, height }] = boxes;
    this.frame.scrollBy(
      left + width / 2 - frame.left - frame.width / 2,
      top + height / 2 - frame.top - frame.height / 2,
    );
  }

  #mark(picture, moves, { places, regions }) {
    for (const { kind, id, moves: here } of byTarget(moves)) {
      const part = targetIn(picture, kind, id);
      const { name } = (kind === "region" ? regions : places).find((each) => each.id === id);
      const text = here.length === 1 ? here[0].text : `${name}: ${here.length} actions`;
      if (part) makeButton(part, text, () => this.#choose(here));
    }
  }

  #clicked(place) {
    const [, live] = this.#shown;
    if (place && live && this.session.myTurn && !place.querySelector(".target")) this.explain(place.dataset.place);
  }

  /** Say why the player who has to decide can do nothing at a place. */
  explain(place) {
    return attempt(async () => {
      const picture = await this.#picture();
      const text = picture && (await refusalAt(this.session, place, picture));
      if (text) notify(text, "answer");
    });
  }

  /** The picture, once it is there; null if it cannot be read. */
  async #picture() {
    await this.ready;
    return this.frame.querySelector("svg");
  }

  #play({ action }) {
    return this.change(() => this.session.move(action));
  }

  /** Play the only action, or ask which of several, the cheapest first. */
  async #choose(here) {
    const moves = [...here].sort((a, b) => a.cost - b.cost);
    const long = moves.find(isLong);
    const only = moves.length === 1 && !long;
    const chosen = only ? 0 : await ask("Choose an action", (close) => choices(moves, Boolean(long), close));
    if (chosen === ANOTHER) await this.#playAlong(long);
    else if (chosen !== "") await this.#play(moves[chosen]);
  }

  /** Play a move along a path of the player's own. */
  async #playAlong({ action: { type, path } }) {
    const chosen = await askPath(this.session.state, this.frame.querySelector("svg"), path.at(-1));
    if (chosen) await this.#play({ action: { type, ...chosen } });
  }
}

const isWithin = (box, frame) =>
  box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom;

function choices(moves, otherPaths, close) {
  const buttons = moves.map((move, index) => button(moveText(move), () => close(String(index)), { class: "move" }));
  return [
    element(
      "ul",
      { class: "moves" },
      buttons.map((each) => element("li", {}, each)),
    ),
    otherPaths && button("Another path", () => close(ANOTHER)),
    button("Cancel", () => close(), { class: "quiet" }),
  ];
}

/** An action in words, with what is left and what it would score. */
function moveText({ text, cost, money_left: left, would_score: score }) {
  const details = [cost > 0 && `leaves $${left}`, score && `scores ${score.influence} IP`].filter(Boolean).join(", ");
  return details ? [text, element("small", {}, details)] : text;
}

/** The moves by the part of the picture to click on: a region and a place may have the same id. */
function byTarget(moves) {
  const targets = new Map();
  for (const move of moves) {
    const kind = "region" in move.action ? "region" : "place";
    for (const id of move.targets) {
      const key = `${kind}:${id}`;
      if (!targets.has(key)) targets.set(key, { kind, id, moves: [] });
      targets.get(key).moves.push(move);
    }
  }
  return [...targets.values()];
}
