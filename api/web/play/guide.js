// The guide of a first game: short steps, each with a card next to the part of the page that it explains.

/** @import { LegalMove, State } from "openapi" */
/** @import { Session } from "./session.js" */

import { button, element, fill, find, focused, keepFocus, loadStyle } from "./dom.js";
import { keep } from "./tokens.js";

const GAP = 14;
const MARGIN = 8;
const FRAME = 6;

const TOUCH = matchMedia("(hover: none)");
const TAP = "Tap one to play it. Hold it to see what it brings.";
const CLICK = "Point at one to see what it brings, and click it to play it. On the keyboard, use Tab and Enter.";

/** @type {Guide | null} */
let shown = null;

const style = loadStyle("./guide.css");

/**
 * Show the guide from its first step on.
 * @param {Session} session
 * @param {HTMLElement} game the screen of the game
 */
export async function showGuide(session, game) {
  await style;
  shown?.close();
  shown = new Guide(session, game);
}

/** Steps through the parts of a game. It follows them when the page changes, and never blocks the game. */
class Guide {
  #session;
  #game;
  #steps;
  #step = 0;
  /** Whether the part of this step has been scrolled into view. */
  #reached = false;
  #frame = 0;
  #left = new AbortController();
  #observer = new MutationObserver(() => this.#follow());

  /** @param {Session} session @param {HTMLElement} game */
  constructor(session, game) {
    this.#session = session;
    this.#game = game;
    this.#steps = stepsOf(session.state);
    this.focusAgain = keepFocus(game);
    this.title = element("h2", { id: "guide-title" });
    this.text = element("p", { id: "guide-text" });
    this.count = element("small", {});
    this.back = button("Back", () => this.#go(-1));
    this.next = button("", () => this.#go(1), { class: "primary" });
    this.skip = button("Skip", () => this.close(), { class: "quiet" });
    this.card = element(
      "div",
      { class: "card guide", role: "dialog", "aria-labelledby": "guide-title", "aria-describedby": "guide-text" },
      element("div", { "aria-live": "polite" }, this.title, this.text),
      element("div", { class: "buttons" }, this.next, this.back, this.skip, this.count),
    );
    this.mark = element("div", { class: "guide-mark", "aria-hidden": "true" });
    this.#follow();
    this.#observer.observe(find("#main"), { childList: true });
    this.#observer.observe(game, { subtree: true, childList: true, attributeFilter: ["class", "open", "hidden"] });
    const { signal } = this.#left;
    addEventListener("resize", () => this.#follow(), { signal });
    document.addEventListener("scroll", () => this.#follow(), { signal, capture: true, passive: true });
    addEventListener("keydown", ({ key }) => key === "Escape" && this.#escape(), { signal });
  }

  /** Close the guide, unless Escape closes a dialog. */
  #escape() {
    if (!document.querySelector("dialog[open]")) this.close();
  }

  close() {
    keep("guide", "shown");
    cancelAnimationFrame(this.#frame);
    this.#left.abort();
    this.#observer.disconnect();
    const hadFocus = this.card.contains(focused());
    this.mark.remove();
    this.card.remove();
    if (!hadFocus) return;
    this.focusAgain();
    if (focused() === document.body) find(".status", this.#game).focus({ preventScroll: true });
  }

  /** @param {1 | -1} by */
  #go(by) {
    if (!this.#steps[this.#step + by]) return this.close();
    this.#step += by;
    return this.#show();
  }

  #show() {
    const { title, text } = this.#here;
    const last = this.#steps.length - 1;
    this.#reached = false;
    fill(this.title, title);
    fill(this.text, text);
    fill(this.count, `${this.#step + 1} of ${last + 1}`);
    fill(this.next, this.#step === last ? "Done" : "Next");
    if (!this.#step && focused() === this.back) this.next.focus();
    this.back.hidden = !this.#step;
    this.skip.hidden = this.#step === last;
    this.#place();
  }

  get #here() {
    const step = this.#steps[this.#step];
    if (!step) throw new Error("The guide has no such step.");
    return step;
  }

  /** Follow the page once it is drawn, however much changes until then. */
  #follow() {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#update());
  }

  /** Open the card as soon as there is a board, and close it when the screen shows something else. */
  #update() {
    const isOver = !this.#game.isConnected || this.#game.matches(".past");
    if (isOver || this.#session.state.game.status !== "playing") this.close();
    else if (this.card.isConnected) this.#place();
    else if (this.#game.querySelector(".board")) this.#open();
  }

  #open() {
    this.#show();
    this.#game.before(this.mark, this.card);
    this.#place();
    this.next.focus({ preventScroll: true });
  }

  /** Put the mark around the part of this step, and the card next to it. */
  #place() {
    const found = this.#here.parts.map((selector) => document.querySelector(selector));
    const part = found.find((each) => each?.checkVisibility());
    if (!part || !this.card.isConnected) return;
    if (!this.#reached) part.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.#reached = true;
    const at = part.getBoundingClientRect();
    const { left, top, width, height } = at;
    const area = part.closest(".frame")?.getBoundingClientRect();
    Object.assign(this.mark.style, {
      ...pixels({ left: left - FRAME, top: top - FRAME, width: width + 2 * FRAME, height: height + 2 * FRAME }),
      visibility: area && !overlap(at, area) ? "hidden" : "visible",
    });
    Object.assign(this.card.style, pixels(this.#room(at)));
  }

  /**
   * Choose the place for the card, near a part or else in a corner, that covers least of it and then least of the
   * targets.
   * @param {DOMRect} at
   */
  #room(at) {
    const { offsetWidth: width, offsetHeight: height } = this.card;
    const [middle, centre] = [at.left + (at.width - width) / 2, at.top + (at.height - height) / 2];
    const highest = find(".site").getBoundingClientRect().bottom + MARGIN;
    /** @type {[left: number, top: number][]} */
    const near = [
      [middle, at.bottom + GAP],
      [middle, at.top - GAP - height],
      [at.right + GAP, centre],
      [at.left - GAP - width, centre],
      [0, 0],
      [innerWidth, 0],
      [0, innerHeight],
      [innerWidth, innerHeight],
    ];
    const rooms = near.map(([left, top]) => ({
      left: Math.max(MARGIN, Math.min(left, innerWidth - width - MARGIN)),
      top: Math.max(highest, Math.min(top, innerHeight - height - MARGIN)),
    }));
    const targets = this.#targets();
    /** @param {{ left: number, top: number }} room */
    const covered = ({ left, top }) => {
      const card = new DOMRect(left, top, width, height);
      return targets.reduce((sum, target) => sum + overlap(card, target), overlap(card, at) * innerWidth);
    };
    return rooms.reduce((best, room) => (covered(room) < covered(best) ? room : best));
  }

  /** Return the targets that the frame of the board does not hide. */
  #targets() {
    const frame = find(".frame", this.#game).getBoundingClientRect();
    const targets = [...this.#game.querySelectorAll(".board .target")].map((each) => each.getBoundingClientRect());
    return targets.filter((target) => overlap(target, frame));
  }
}

/**
 * Return the area that two rectangles share.
 * @param {DOMRect} a
 * @param {DOMRect} b
 */
function overlap(a, b) {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return Math.max(0, width) * Math.max(0, height);
}

/** @param {Record<string, number>} lengths */
const pixels = (lengths) => Object.fromEntries(Object.entries(lengths).map(([name, value]) => [name, `${value}px`]));

/**
 * Return the steps: the title, the text, and the selectors of the parts to point at. The first visible one is taken.
 * @param {State} state
 */
function stepsOf({ game: { options }, legal_moves: { items } }) {
  return [
    {
      title: "Choose a marked place",
      text: `In your turn, the marked places are your choices. ${TOUCH.matches ? TAP : CLICK}`,
      parts: [".board .target", ".frame"],
    },
    {
      title: "The price of a link",
      text:
        "Once a turn you expand along a link from a place where you have a franchise. The number on the link is the " +
        "price in dollars.",
      parts: [...items.flatMap(priceOf), ".board .price:not([opacity])", ".frame"],
    },
    {
      title: "The value of a city",
      text:
        "This number is the value of a city and the number of its spaces. Take more than half of them to gain the " +
        "value in influence points (IP). If all spaces fill up first, the player with the most gains half.",
      parts: [".board .city:has(.target) .disc", ".board .city:not(.closed, .scored) .disc", ".frame"],
    },
    {
      title: "Dollars and influence",
      text:
        "Each player's dollars and influence points. Free spaces in cities where you have a franchise bring dollars " +
        "at the start of your turn. The player with the most influence wins.",
      parts: [".score.current > summary", ".score > summary"],
    },
    {
      title: "End the turn",
      text:
        "After expanding you can pay $1 for one more franchise in each of your cities with a free space. Then end the " +
        "turn: your new franchises open, and cities and regions may score. This panel says what would score.",
      parts: ["[data-focus=end_turn]", ".actions"],
    },
    {
      title: options.hints ? "Hint and rules" : "Rules",
      text: [
        options.hints && "“Hint” shows what the computer would do and why. ",
        "“How to play” at the top explains the whole game. “Show the guide” under “This game” starts this guide again.",
      ],
      parts: ["[data-focus=hint]", ".site [href='/rules']"],
    },
  ];
}

/**
 * Return the selector of the price of an expansion that costs something.
 * @param {LegalMove} move
 */
function priceOf({ action, cost }) {
  if (!cost || !("path" in action)) return [];
  const [start, end] = action.path;
  return [`.price[data-link="${start} ${end}"]`, `.price[data-link="${end} ${start}"]`];
}
