// The picture of the board, with the places and regions marked on which something can be done.

import { send } from "./api.js";
import { button, element, fill, setAttribute } from "./dom.js";
import { showProblem } from "./notices.js";

const DARK = matchMedia("(prefers-color-scheme: dark)");
const ZOOMS = ["fit", "large", "huge"];

export class Board {
  #shown = null;
  #wanted = null;

  /**
   * @param {import("./session.js").Session} session
   * @param {(action: object) => Promise<void>} play
   */
  constructor(session, play) {
    this.session = session;
    this.play = play;
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
    DARK.addEventListener("change", () => this.#shown && this.show(...this.#shown));
  }

  #zoom(step) {
    const size = ZOOMS.findIndex((name) => this.frame.classList.contains(name));
    const next = Math.min(Math.max(size + step, 0), ZOOMS.length - 1);
    this.frame.classList.replace(ZOOMS[size], ZOOMS[next]);
  }

  /** Show the board of a state, with what can be done there if it is the present one. */
  async show(state, live) {
    this.#shown = [state, live];
    const wanted = (this.#wanted = {});
    try {
      const picture = await loadPicture(this.session, state.version);
      if (this.#wanted === wanted) this.#put(picture, live ? state.legal_moves.items : [], live);
    } catch (problem) {
      showProblem(problem);
    }
  }

  #put(picture, moves, live) {
    const focused = this.frame.contains(document.activeElement) && document.activeElement.dataset;
    fill(this.frame, picture);
    if (live && this.session.myTurn) {
      this.#mark(picture, moves);
      this.#bringInView(picture.querySelectorAll(".target"));
    }
    const again = focused && (focused.place || focused.region);
    if (again) (targetIn(picture, again) || this.frame).focus({ preventScroll: true });
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
      const place = targetIn(picture, target);
      if (!place) continue;
      place.classList.add("target");
      const text = here.length === 1 ? here[0].text : `${this.#nameOf(target)}: ${here.length} actions`;
      for (const [name, value] of Object.entries({
        role: "button",
        tabindex: "0",
        "aria-label": text,
        "aria-hidden": null,
      })) {
        setAttribute(place, name, value);
      }
      place.addEventListener("click", () => this.#choose(here));
      place.addEventListener("keydown", (event) => isPress(event) && this.#choose(here));
    }
  }

  #nameOf(target) {
    const { places, regions } = this.#shown[0].board;
    return [...places, ...regions].find(({ id }) => id === target).name;
  }

  /** Play the only action, or ask which of several. */
  #choose(moves) {
    if (moves.length === 1) return this.play(moves[0].action);
    const choose = (move) => () => (dialog.close(), this.play(move.action));
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

function isPress(event) {
  const pressed = event.key === "Enter" || event.key === " ";
  if (pressed) event.preventDefault();
  return pressed;
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

const targetIn = (picture, id) =>
  picture.querySelector(`.place[data-place="${CSS.escape(id)}"], .region[data-region="${CSS.escape(id)}"]`);

/** The picture of a version; the browser keeps it, since a version never changes. */
export async function loadPicture(session, version) {
  const theme = DARK.matches ? "dark" : "light";
  const answer = await send("GET", `${session.path}/board.svg?at=${version}&theme=${theme}`, session.reading);
  const picture = new DOMParser().parseFromString(await answer.text(), "image/svg+xml").documentElement;
  return withButtons(document.importNode(picture, true));
}

/** As an image the picture would have no parts: it is a group here, of which only targets are told. */
function withButtons(picture) {
  setAttribute(picture, "role", "group");
  for (const part of picture.children) {
    if (!["title", "desc"].includes(part.localName)) hideParts(part);
  }
  return picture;
}

function hideParts(part) {
  if (part.matches(".place, .region") || !part.querySelector(".place, .region"))
    setAttribute(part, "aria-hidden", "true");
  else [...part.children].forEach(hideParts);
}
