// The picture of the board, on which the targets of legal moves are buttons.

/** @import { Action, BoardView, LegalMove, RefusedAction, State } from "openapi" */
/** @import { Session } from "./session.js" */
/** @import { Change, Close, Expansion } from "../types.js" */

import { get } from "./api.js";
import { ask } from "./dialogs.js";
import { button, element, keepFocus } from "./dom.js";
import { attempt, dismissRefusal, notify, showProblem } from "./notices.js";
import { askPath, isLong } from "./path.js";
import { exchange, makeButton, onThemeChanged, readBoard, targetIn } from "./picture.js";
import { actionName, nameIn } from "./words.js";

const ANOTHER = "another path";
const ZOOMS = ["fit", "large", "huge"];
/** On narrow screens the whole board has places too small to touch, so it begins enlarged. */
const NARROW = matchMedia("(max-width: 45rem)");

export class Board {
  /** @type {[state: State, live: boolean] | null} */
  #shown = null;
  #wanted = {};
  /** Settled when the board that was requested last is shown. */
  ready = Promise.resolve();

  /**
   * @param {Session} session
   * @param {Change} change
   */
  constructor(session, change) {
    this.session = session;
    this.change = change;
    const size = NARROW.matches ? "large" : "fit";
    this.frame = element("div", { class: `frame ${size}`, tabindex: "0", role: "group", "aria-label": "Board" });
    this.frame.addEventListener("click", ({ target }) => this.#clicked(/** @type {Element} */ (target)));
    /** @param {1 | -1} step */
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

  /** @param {1 | -1} step */
  #zoom(step) {
    const size = ZOOMS.findIndex((name) => this.frame.classList.contains(name));
    const next = ZOOMS[size + step];
    if (!next) return;
    const middle = this.#middle();
    this.frame.classList.remove(...ZOOMS);
    this.frame.classList.add(next);
    this.#scrollTo(...middle);
  }

  /**
   * Return the point of the board in the middle of the frame, as fractions of its width and height.
   * @returns {[x: number, y: number]}
   */
  #middle() {
    const { scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight } = this.frame;
    return [(scrollLeft + clientWidth / 2) / scrollWidth, (scrollTop + clientHeight / 2) / scrollHeight];
  }

  /** @param {number} x @param {number} y */
  #scrollTo(x, y) {
    const { scrollWidth, scrollHeight, clientWidth, clientHeight } = this.frame;
    this.frame.scrollTo(x * scrollWidth - clientWidth / 2, y * scrollHeight - clientHeight / 2);
  }

  /**
   * Show the board of a state, with the targets of the legal moves if the state is live.
   * @param {State} state
   * @param {boolean} live whether it is the newest state
   * @param {boolean} [step] whether it is one move away from the state before: then the changed places are marked
   */
  show(state, live, step = false) {
    this.#shown = [state, live];
    this.ready = this.#read(state, live, step);
    return this.ready;
  }

  /** @param {State} state @param {boolean} live @param {boolean} step */
  async #read(state, live, step) {
    const wanted = (this.#wanted = {});
    try {
      const picture = await readBoard(this.session, state.version);
      if (this.#wanted === wanted) this.#put(picture, state, live, step);
    } catch (problem) {
      showProblem(problem);
    }
  }

  /** @param {SVGSVGElement} picture @param {State} state @param {boolean} live @param {boolean} step */
  #put(picture, { version, board, legal_moves: { items } }, live, step) {
    const focusAgain = keepFocus(this.frame, this.frame);
    for (const part of this.frame.querySelectorAll(".changed")) part.classList.remove("changed");
    const { shown, changed } = exchange(this.frame.querySelector("svg"), picture);
    if (shown === picture) this.frame.replaceChildren(picture);
    if (!this.frame.dataset.version) this.#scrollTo(0.5, 0.5);
    if (this.frame.dataset.version !== String(version)) dismissRefusal();
    if (live && this.session.myTurn) this.#mark(shown, items, board);
    this.frame.dataset.version = String(version);
    focusAgain();
    this.#bringInView(shown.querySelectorAll(".target"));
    if (step) this.#markChanged(changed.filter((part) => part.matches(".place")));
  }

  /**
   * Mark the places that a move has changed, and scroll to one of them after everything is drawn.
   * @param {Element[]} places
   */
  #markChanged(places) {
    for (const place of places) place.classList.add("changed");
    requestAnimationFrame(() => this.#bringInView(this.frame.querySelectorAll(".changed")));
  }

  /**
   * Scroll the frame to the first target, unless it already shows one of them.
   * @param {NodeListOf<Element>} targets
   */
  #bringInView(targets) {
    const frame = this.frame.getBoundingClientRect();
    const boxes = [...targets].map((target) => target.getBoundingClientRect());
    if (!boxes[0] || boxes.some((box) => isWithin(box, frame))) return;
    const { left, top, width, height } = boxes[0];
    this.frame.scrollBy(
      left + width / 2 - frame.left - frame.width / 2,
      top + height / 2 - frame.top - frame.height / 2,
    );
  }

  /** @param {SVGSVGElement} picture @param {LegalMove[]} moves @param {BoardView} board */
  #mark(picture, moves, { places, regions }) {
    for (const { kind, id, moves: here } of byTarget(moves)) {
      const part = targetIn(picture, kind, id);
      const name = nameIn(kind === "region" ? regions : places, id);
      const text = here.length === 1 && here[0] ? here[0].text : `${name}: ${here.length} actions`;
      if (part) makeButton(part, text, () => this.#choose(here));
    }
  }

  /** @param {Element} target */
  #clicked(target) {
    /** @type {SVGElement | null} */
    const place = target.closest(".place");
    const live = this.#shown?.[1] && this.session.myTurn;
    if (live && place?.dataset.place && !place.querySelector(".target")) this.explain(place.dataset.place);
  }

  /**
   * Show why the player who has to decide can do nothing at a place.
   * @param {string} place
   */
  explain(place) {
    return attempt(async () => {
      await this.ready;
      const { items } = await get(`${this.session.path}/refusals?target=${place}`, this.session.reading);
      if (items.length) notify(refusalTexts(items), "refusal");
    });
  }

  /** @param {Action} action */
  #play(action) {
    return this.change(() => this.session.move(action));
  }

  /**
   * Play the only action, or ask for a choice of several, the cheapest first.
   * @param {LegalMove[]} here
   */
  async #choose(here) {
    const moves = [...here].sort((a, b) => a.cost - b.cost);
    const long = moves.find(isLong);
    const only = moves.length === 1 && !long;
    const chosen = only ? "0" : await ask("Choose an action", (close) => choices(moves, Boolean(long), close));
    const move = chosen && moves[Number(chosen)];
    if (long && chosen === ANOTHER) await this.#playAlong(long);
    else if (move) await this.#play(move.action);
  }

  /**
   * Play a move along another path that the player chooses.
   * @param {Expansion} move
   */
  async #playAlong({ action: { type, path } }) {
    const chosen = await attempt(() => askPath(this.session.state, path));
    if (chosen) await this.#play({ type, ...chosen });
  }
}

/** @param {DOMRect} box @param {DOMRect} frame */
const isWithin = (box, frame) =>
  box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom;

/** @param {LegalMove[]} moves @param {boolean} otherPaths @param {Close} close */
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

/**
 * Return an action in words, with the money left and the points that it would score.
 * @param {LegalMove} move
 */
function moveText({ text, cost, money_left: left, would_score: score }) {
  const details = [cost > 0 && `leaves $${left}`, score && `scores ${score.influence} IP`].filter(Boolean).join(", ");
  return details ? [text, element("small", {}, details)] : text;
}

/**
 * Return each reason once, with the actions and the rules that it belongs to.
 * @param {RefusedAction[]} refused
 */
function refusalTexts(refused) {
  const reasons = [...new Set(refused.map(({ text }) => text))];
  return reasons.map((reason) => {
    const same = refused.filter(({ text }) => text === reason);
    const rules = [...new Set(same.map(({ rule }) => rule))];
    return `${same.map(({ action }) => actionName(action)).join(", ")}: ${reason} (${rules.join(", ")})`;
  });
}

/**
 * Group the moves by their targets. A region and a place may have the same id.
 * @param {LegalMove[]} moves
 */
function byTarget(moves) {
  /** @type {Map<string, { kind: "region" | "place", id: string, moves: LegalMove[] }>} */
  const targets = new Map();
  for (const move of moves) {
    const kind = "region" in move.action ? "region" : "place";
    for (const id of move.targets) {
      const key = `${kind}:${id}`;
      const target = targets.get(key) || { kind, id, moves: [] };
      target.moves.push(move);
      targets.set(key, target);
    }
  }
  return [...targets.values()];
}
