// Tell what others did: show their actions one by one before the newest state.

/** @import { HistoryLine } from "openapi" */

import { pause } from "./api.js";

const STEP = 400;
/** The longest time that a player has to watch, however many actions others have taken. */
const ROUND = 5000;
/** More actions than this have happened while the page was asleep: it shows their result. */
const MOST = 60;

const CALM = matchMedia("(prefers-reduced-motion: reduce)");

export class Telling {
  #until = 0;
  /** @type {null | (() => void)} */
  #skip = null;
  /** Whether the last press of a pointer or key has skipped something. */
  isSkipped = false;

  constructor() {
    for (const name of ["pointerdown", "keydown", "click"]) addEventListener(name, (event) => this.#press(event), true);
  }

  /** @param {Event} event of which a click often follows a press */
  #press({ type }) {
    if (this.#skip || type !== "click") this.isSkipped = this.#skip !== null;
    this.skip();
  }

  /** Let the next line begin a round of its own. */
  rest() {
    this.#until = 0;
  }

  /** Show the result at once. */
  skip() {
    this.#skip?.();
  }

  /**
   * Show lines one after the other, until all are shown, a click or key skips them, or the round has lasted too long.
   * @param {HistoryLine[]} lines
   * @param {(line: HistoryLine) => Promise<unknown>} show
   * @returns {Promise<boolean>} whether all were shown
   */
  async tell(lines, show) {
    if (CALM.matches || document.hidden || lines.length > MOST) return false;
    this.#until ||= performance.now() + ROUND;
    /** @type {Promise<boolean>} */
    const skipped = new Promise((resolve) => {
      this.#skip = () => resolve(false);
    });
    try {
      for (const [index, line] of lines.entries()) {
        const left = this.#until - performance.now();
        if (left <= 0) return false;
        const shown = Promise.all([show(line), pause(Math.min(STEP, left / (lines.length - index)))]);
        if (!(await Promise.race([skipped, pause(left).then(() => false), shown.then(() => true)]))) return false;
      }
      return true;
    } finally {
      this.#skip = null;
    }
  }
}
