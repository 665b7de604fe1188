// The picture of the board, with the places and regions marked on which something can be done.

import { button, element, keepFocus } from "./dom.js";
import { showProblem } from "./notices.js";
import { exchange, makeButton, onThemeChanged, readBoard, targetIn } from "./picture.js";

const ZOOMS = ["fit", "large", "huge"];

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
    this.frame = element("div", { class: "frame fit", tabindex: "0", role: "group", "aria-label": "Board" });
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
    this.frame.classList.replace(ZOOMS[size], ZOOMS[next]);
  }

  /** Show the board of a state, with what can be done there if it is the present one. */
  show(state, live) {
    this.#shown = [state, live];
    this.ready = this.#read(state, live);
    return this.ready;
  }

  async #read(state, live) {
    const wanted = (this.#wanted = {});
    try {
      const picture = await readBoard(this.session, state.version);
      if (this.#wanted === wanted) this.#put(picture, state, live);
    } catch (problem) {
      showProblem(problem);
    }
  }

  #put(picture, { version, legal_moves: { items } }, live) {
    const focusAgain = keepFocus(this.frame, this.frame);
    const shown = exchange(this.frame.querySelector("svg"), picture);
    if (shown === picture) this.frame.replaceChildren(picture);
    if (live && this.session.myTurn) this.#mark(shown, items);
    this.frame.dataset.version = version;
    focusAgain();
    this.#bringInView(shown.querySelectorAll(".target"));
  }

  /** Where the frame shows a part of the board only, scroll sideways until it shows something that can be clicked. */
  #bringInView(targets) {
    const { left, right, width } = this.frame.getBoundingClientRect();
    const boxes = [...targets].map((target) => target.getBoundingClientRect());
    if (!boxes.length || boxes.some((box) => box.left >= left && box.right <= right)) return;
    this.frame.scrollLeft += boxes[0].left + boxes[0].width / 2 - left - width / 2;
  }

  #mark(picture, moves) {
    for (const [target, here] of byTarget(moves)) {
      const part = targetIn(picture, target);
      if (!part) continue;
      const text = here.length === 1 ? here[0].text : `${this.#nameOf(target)}: ${here.length} actions`;
      makeButton(part, target, text, () => this.#choose(here));
    }
  }

  #nameOf(target) {
    const { places, regions } = this.#shown[0].board;
    return [...places, ...regions].find(({ id }) => id === target).name;
  }

  #play({ action }) {
    return this.change(() => this.session.move(action));
  }

  /** Play the only action, or ask which of several. */
  #choose(moves) {
    if (moves.length === 1) return this.#play(moves[0]);
    const choose = (move) => () => (dialog.close(), this.#play(move));
    const dialog = element(
      "dialog",
      { class: "dialog menu", "aria-label": "Choose an action", onclose: () => dialog.remove() },
      element(
        "ul",
        { class: "moves" },
        moves.map((move) => element("li", {}, button(moveText(move), choose(move), { class: "move" }))),
      ),
      button("Cancel", () => dialog.close(), { class: "quiet" }),
    );
    dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
    document.body.append(dialog);
    return dialog.showModal();
  }
}

/** An action in words, with what is left and what it would score. */
function moveText({ text, cost, money_left: left, would_score: score }) {
  const details = [cost > 0 && `leaves $${left}`, score && `scores ${score.influence} IP`].filter(Boolean).join(", ");
  return details ? [text, element("small", {}, details)] : text;
}

function byTarget(moves) {
  const targets = new Map();
  for (const move of moves) {
    for (const target of move.targets) targets.set(target, [...(targets.get(target) || []), move]);
  }
  return targets;
}
