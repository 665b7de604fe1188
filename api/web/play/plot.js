// The influence of all players over the turns, with a cursor at the version that is shown.

/** @import { Session } from "./session.js" */
/** @import { Reached } from "../types.js" */

import { drawn, element, fill, setAttribute } from "./dom.js";
import { attempt } from "./notices.js";
import { onThemeChanged, readScores } from "./picture.js";

export class Plot {
  /**
   * The influence of all players after each turn, and after the final count.
   * @type {Reached[]}
   */
  reached = [];
  /** @type {{ version: number, x: number }[]} */
  #points = [];
  /** @type {SVGElement | null} */
  #cursor = null;
  /** @type {number | undefined} */
  #version;

  /**
   * @param {Session} session
   * @param {(version: number) => void} go
   */
  constructor(session, go) {
    this.session = session;
    this.go = go;
    this.element = element("div", { class: "plot" });
    onThemeChanged(() => this.element.isConnected && attempt(() => this.load()));
  }

  /** Read the picture. A click on it leads to the nearest move. */
  async load() {
    const picture = await readScores(this.session);
    this.#points = pointsOf(picture);
    this.reached = reachedIn(picture);
    this.#cursor = cursorIn(picture);
    picture.addEventListener("click", (event) => this.#clicked(picture, event));
    fill(this.element, picture);
    this.mark(this.#version);
  }

  /** @param {SVGSVGElement} picture @param {MouseEvent} event */
  #clicked(picture, event) {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM()?.inverse()).x;
    const [nearest] = [...this.#points].sort((a, b) => Math.abs(a.x - at) - Math.abs(b.x - at));
    if (nearest) this.go(nearest.version);
  }

  /**
   * Move the cursor to a version.
   * @param {number | undefined} version
   */
  mark(version) {
    this.#version = version;
    if (!this.#cursor || version === undefined) return;
    const point = this.#points.findLast((each) => each.version <= version) || this.#points[0];
    if (point) for (const name of ["x1", "x2"]) setAttribute(this.#cursor, name, point.x);
  }
}

/**
 * Return the points of all curves, ordered by version.
 * @param {SVGSVGElement} picture
 */
function pointsOf(picture) {
  /** @type {NodeListOf<SVGElement>} */
  const all = picture.querySelectorAll("[data-version]");
  const points = new Map([...all].map(({ dataset }) => [Number(dataset.version), Number(dataset.x)]));
  return [...points].map(([version, x]) => ({ version, x })).sort((a, b) => a.version - b.version);
}

/**
 * Return the values of all points, ordered by turn.
 * @param {SVGSVGElement} picture
 */
function reachedIn(picture) {
  /** @type {Map<number, Reached>} */
  const reached = new Map();
  /** @type {NodeListOf<SVGElement>} */
  const all = picture.querySelectorAll("[data-seat] > [data-turn]");
  for (const { dataset, parentElement } of all) {
    const turn = Number(dataset.turn);
    const known = reached.get(turn) || { turn, version: Number(dataset.version), influence: new Map() };
    known.influence.set(Number(parentElement?.dataset.seat), Number(dataset.influence));
    reached.set(turn, known);
  }
  return [...reached.values()];
}

/** @param {SVGSVGElement} picture */
function cursorIn(picture) {
  const { top, bottom, left } = picture.dataset;
  const line = drawn("line", { class: "cursor", y1: top, y2: bottom, x1: left, x2: left });
  picture.append(line);
  return line;
}
