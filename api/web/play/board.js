// The picture of the board, on which the targets of legal moves are buttons.

/** @import { Action, HistoryLine, LegalMove, RefusedAction, State } from "openapi" */
/** @import { Session } from "./session.js" */
/** @import { Change, Close, Expansion, News } from "../types.js" */

import { isLong } from "./advice.js";
import { get } from "./api.js";
import { Choices, moveText } from "./choices.js";
import { ask } from "./dialogs.js";
import { button, element, keepFocus } from "./dom.js";
import { clearNews, markNews } from "./marks.js";
import { attempt, dismissRefusal, notify, showProblem } from "./notices.js";
import { exchange, onThemeChanged, readBoard } from "./picture.js";
import { actionName } from "./words.js";

const ANOTHER = "another path";
const ZOOMS = ["fit", "large", "huge"];
/** On narrow screens the whole board is too small to read, so it begins enlarged. */
const NARROW = matchMedia("(max-width: 70rem)");

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
    this.choices = new Choices(session, this.frame, (moves) => this.#choose(moves));
    /** @param {1 | -1} step */
    const zoom = (step) => () => this.#zoom(step);
    this.zoom = element(
      "div",
      { class: "zoom", role: "group", "aria-label": "Size of the board" },
      button("−", zoom(-1), { "aria-label": "Smaller" }),
      button("+", zoom(1), { "aria-label": "Larger" }),
    );
    this.element = element("section", { class: "board-area", "aria-label": "Board" }, this.frame, this.choices.card);
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
   * Show the board of a state, with its choices if the state is live.
   * @param {State} state
   * @param {boolean} live whether it is the newest state
   * @param {News | null} [news] to mark
   */
  show(state, live, news = null) {
    this.#shown = [state, live];
    this.ready = this.#read(state.version, news);
    return this.ready;
  }

  /**
   * Show the board after an action of others on the way to the newest state.
   * @param {HistoryLine} line the action
   * @param {News} news
   */
  tell({ version, effects }, news) {
    this.#shown = null;
    const targets = effects.flatMap((effect) => effect.targets);
    this.ready = this.#read(version, news).then(() => {
      if (!this.#shown) this.#bringTargetsInView(targets);
    });
    return this.ready;
  }

  /** @param {number} version @param {News | null} news */
  async #read(version, news) {
    const wanted = (this.#wanted = {});
    try {
      const picture = await readBoard(this.session, version);
      if (this.#wanted === wanted) this.#put(picture, version, news);
    } catch (problem) {
      showProblem(problem);
    }
  }

  /** @param {SVGSVGElement} picture @param {number} version @param {News | null} news */
  #put(picture, version, news) {
    const focusAgain = keepFocus(this.frame, this.frame);
    this.clearNews();
    const shown = exchange(this.#picture, picture);
    if (shown === picture) this.frame.replaceChildren(picture);
    if (!this.frame.dataset.version) this.#scrollTo(0.5, 0.5);
    if (this.frame.dataset.version !== String(version)) dismissRefusal();
    this.choices.hide();
    const [state] = (this.#isLive && this.#shown) || [];
    if (state) this.choices.show(shown, state);
    this.frame.dataset.version = String(version);
    focusAgain();
    this.#bringInView(shown.querySelectorAll(".target"));
    if (news) this.markNews(news);
  }

  /** Whether the board shows the newest state, and a person at this browser has to decide. */
  get #isLive() {
    return this.#shown?.[1] && this.session.myTurn;
  }

  get #picture() {
    return this.frame.querySelector("svg");
  }

  /**
   * Mark what happened, and scroll to it after everything is drawn.
   * @param {News} news
   */
  markNews(news) {
    if (!this.#picture) return;
    markNews(this.#picture, news, this.session.state.game);
    requestAnimationFrame(() => this.#bringInView(this.frame.querySelectorAll(".place.changed, .gain")));
  }

  /** @param {string[]} targets */
  #bringTargetsInView(targets) {
    const places = targets.map((target) => `.place[data-place="${target}"]`);
    if (places.length) requestAnimationFrame(() => this.#bringInView(this.frame.querySelectorAll(places.join())));
  }

  /**
   * Mark the action of a hint.
   * @param {Action} action
   */
  hint(action) {
    this.choices.hint(action);
    this.#bringInView(this.frame.querySelectorAll(".target.hinted"));
  }

  clearNews() {
    if (this.#picture) clearNews(this.#picture);
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

  /** @param {Element} target */
  #clicked(target) {
    /** @type {SVGElement | null} */
    const place = target.closest(".place");
    if (this.#isLive && place?.dataset.place && !place.querySelector(".target")) this.explain(place.dataset.place);
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
    const { askPath } = await import("./path.js");
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
