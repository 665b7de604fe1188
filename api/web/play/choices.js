// The choices on the board: each kind of action has its own mark, and explains itself before it is taken.

/** @import { Action, LegalMove, State } from "openapi" */
/** @import { Target } from "../types.js" */
/** @import { Session } from "./session.js" */

import { post } from "./api.js";
import { drawn, element, fill } from "./dom.js";
import { makeButton, targetIn } from "./picture.js";
import { nameIn } from "./words.js";

/** The distance of the middle of a ring from the disc of its place. */
const RING = 4.25;
const LONG_PRESS = 450;
const DWELL = 120;
const MARGIN = 10;

export class Choices {
  #timer = 0;
  /** @type {Map<string, Promise<string[]>>} */
  #outcomes = new Map();
  #version = -1;
  #pressed = false;

  /**
   * @param {Session} session
   * @param {HTMLElement} frame
   * @param {(moves: LegalMove[]) => unknown} choose
   */
  constructor(session, frame, choose) {
    this.session = session;
    this.frame = frame;
    this.choose = choose;
    this.card = element("div", { class: "card about", id: "about-choice", role: "tooltip", hidden: true });
    frame.addEventListener("scroll", () => this.hide());
    addEventListener("keydown", ({ key }) => key === "Escape" && this.hide());
  }

  /** @param {SVGSVGElement} picture @param {State} state */
  show(picture, { version, board, legal_moves: { items } }) {
    this.hide();
    if (this.#version !== version) this.#outcomes.clear();
    this.#version = version;
    for (const target of byTarget(items)) {
      const part = targetIn(picture, target.kind, target.id);
      const [first] = target.moves;
      if (!part || !first) continue;
      const name = nameIn(target.kind === "region" ? board.regions : board.places, target.id);
      const text = target.moves.length === 1 ? first.text : `${name}: ${target.moves.length} actions`;
      makeButton(part, text, () => this.#press(target.moves));
      part.classList.add(first.action.type);
      if (target.kind === "place") part.after(...marks(part, first.action));
      this.#explain(part, target, picture);
    }
  }

  /** @param {LegalMove[]} moves */
  #press(moves) {
    this.hide();
    if (!this.#pressed) this.choose(moves);
    this.#pressed = false;
  }

  /**
   * Show the card of a choice on hover, on focus by the keyboard, and on a long press.
   * @param {SVGElement} part
   * @param {Target} target
   * @param {SVGSVGElement} picture
   */
  #explain(part, target, picture) {
    /** @param {number} delay */
    const soon = (delay, pressed = false) => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => {
        this.#pressed = pressed;
        this.#open(part, target, picture);
      }, delay);
    };
    part.addEventListener("pointerenter", ({ pointerType }) => pointerType === "mouse" && soon(DWELL));
    part.addEventListener("pointerleave", () => this.hide());
    part.addEventListener("focus", () => part.matches(":focus-visible") && soon(DWELL));
    part.addEventListener("blur", () => this.hide());
    part.addEventListener("pointerdown", ({ pointerType }) => {
      this.#pressed = false;
      if (pointerType === "touch") soon(LONG_PRESS, true);
    });
    part.addEventListener("pointerup", () => this.#pressed || this.hide());
    part.addEventListener("contextmenu", (event) => this.#pressed && event.preventDefault());
  }

  hide() {
    clearTimeout(this.#timer);
    if (this.card.hidden) return;
    this.card.hidden = true;
    for (const part of this.frame.querySelectorAll(".way:not(.hinted)")) part.classList.remove("way");
    for (const part of this.frame.querySelectorAll("[aria-describedby]")) part.removeAttribute("aria-describedby");
  }

  /** @param {SVGElement} part @param {Target} target @param {SVGSVGElement} picture */
  async #open(part, { moves }, picture) {
    this.hide();
    for (const { action } of moves) for (const link of linksOf(picture, action)) link.classList.add("way");
    fill(this.card, ...moves.map(line));
    this.#place(part);
    part.setAttribute("aria-describedby", this.card.id);
    const outcomes = await Promise.all(moves.map((move) => this.#outcome(move.action)));
    if (this.card.hidden || part.getAttribute("aria-describedby") !== this.card.id) return;
    fill(
      this.card,
      moves.map((move, index) => [line(move), ...(outcomes[index] ?? []).map((text) => element("p", {}, text))]),
    );
    this.#place(part);
  }

  /**
   * Put the card below or above a choice, where there is room.
   * @param {SVGElement} part
   */
  #place(part) {
    this.card.hidden = false;
    const area = this.card.offsetParent?.getBoundingClientRect() ?? new DOMRect();
    const at = part.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.card;
    const left = Math.min(Math.max(at.left + at.width / 2 - width / 2 - area.left, 0), area.width - width);
    const below = at.bottom - area.top + MARGIN;
    const top = at.bottom + MARGIN + height > innerHeight ? at.top - area.top - height - MARGIN : below;
    Object.assign(this.card.style, { left: `${left}px`, top: `${top}px` });
  }

  /**
   * Ask the server what an action brings if the turn ends after it. Without an answer the card has less to say.
   * @param {Action} action
   */
  #outcome(action) {
    const { legal_moves: moves } = this.session.state;
    if (!moves.end_of_turn) return [];
    const key = JSON.stringify(action);
    const known = this.#outcomes.get(key);
    if (known) return known;
    const asked = this.#preview(action).catch(() => []);
    this.#outcomes.set(key, asked);
    return asked;
  }

  /** @param {Action} action */
  async #preview(action) {
    const plan = [action, /** @type {const} */ ({ type: "end_turn" })];
    const { steps } = await post(`${this.session.path}/preview`, plan, this.session.reading);
    const effects = steps.slice(1).flatMap((step) => step.effects);
    const matter = effects.filter(({ targets, changes }) => targets.length || changes.some((each) => each.influence));
    return matter.map(({ text }) => text);
  }

  /**
   * Mark the action of a hint.
   * @param {Action} action
   */
  hint(action) {
    const picture = /** @type {SVGSVGElement | null} */ (this.frame.querySelector("svg"));
    if (!picture) return;
    const wanted = JSON.stringify(action);
    const { items } = this.session.state.legal_moves;
    const [target] = byTarget(items.filter((move) => JSON.stringify(move.action) === wanted));
    const part = target && targetIn(picture, target.kind, target.id);
    part?.classList.add("hinted");
    for (const link of linksOf(picture, action)) link.classList.add("way", "hinted");
  }
}

/**
 * Return an action in words, with the money left and the points that it would score.
 * @param {LegalMove} move
 */
export function moveText({ text, cost, money_left: left, would_score: score }) {
  const details = [cost > 0 && `leaves $${left}`, score && `scores ${score.influence} IP`].filter(Boolean).join(", ");
  return details ? [text, " ", element("small", {}, details)] : text;
}

/** @param {LegalMove} move */
const line = (move) => element("p", { class: "choice-text" }, moveText(move));

/**
 * Return the links of an expansion with their prices.
 * @param {SVGSVGElement} picture
 * @param {Action} action
 */
function linksOf(picture, action) {
  if (!("path" in action)) return [];
  return action.path.slice(1).flatMap((end, index) => {
    const start = action.path[index];
    return [...picture.querySelectorAll(`[data-link="${start} ${end}"], [data-link="${end} ${start}"]`)];
  });
}

/**
 * Draw the ring of a choice, and the piece that would be put there: on the next free space of a city.
 * @param {SVGElement} part
 * @param {Action} action
 */
function marks(part, { type }) {
  const place = /** @type {Element} */ (part.parentElement);
  const disc = Number(place.querySelector(".disc")?.getAttribute("r"));
  const ring = (/** @type {string} */ name) => drawn("circle", { class: `ring ${name} ${type}`, r: disc + RING });
  const rings = [ring("outer"), ...(BY_TILE.includes(type) ? [ring("inner")] : [])];
  const at = freeSpace(place, disc);
  const shape = at && SHAPES[type]?.(at.r);
  const ghost = shape && drawn("path", { class: `ghost ${type}`, d: shape, transform: `translate(${at.x} ${at.y})` });
  if (ghost) place.append(ghost);
  return rings;
}

/** The kinds of actions that use a bonus tile. */
const BY_TILE = ["expand_again", "double"];

/** @param {number} r */
const diamond = (r) => `M0 ${-r}L${r} 0L0 ${r}L${-r} 0Z`;
/** @param {number} r */
const square = (r) => `M${-r} ${-r}H${r}V${r}H${-r}Z`;

/** @type {Partial<Record<Action["type"], (r: number) => string>>} */
const SHAPES = {
  expand: diamond,
  expand_again: diamond,
  increase: (r) => square(0.75 * r),
  double: (r) => square(0.75 * r),
};

/**
 * Return the space where the next franchise would open, if the picture shows it.
 * @param {Element} place
 * @param {number} disc
 */
function freeSpace(place, disc) {
  if (place.matches(".town")) return { x: 0, y: 0, r: 0.6 * disc };
  const waiting = place.querySelectorAll(".marker, .centre").length;
  const space = place.querySelectorAll(".space")[waiting];
  return space && { x: number(space, "cx"), y: number(space, "cy"), r: number(space, "r") };
}

/** @param {Element} part @param {string} name */
const number = (part, name) => Number(part.getAttribute(name));

/**
 * Group the moves by their targets. A region and a place may have the same id.
 * @param {LegalMove[]} moves
 */
function byTarget(moves) {
  /** @type {Map<string, Target>} */
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
