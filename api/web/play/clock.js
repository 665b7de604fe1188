// Texts that depend on the present time. They stay right while the page is open.

/** @import { Attributes } from "../types.js" */

import { element } from "./dom.js";
import { ago, secondsSince, timeLeft } from "./words.js";

/** The milliseconds after which elements are updated, by the value of their `data-clock`. */
const REFRESH = { slow: 10_000, fast: 1000 };

/** @type {WeakMap<Element, () => void>} */
const updates = new WeakMap();

/**
 * Update an element now and every few seconds.
 * @template {HTMLElement} Made
 * @param {Made} made
 * @param {() => void} update
 * @param {keyof typeof REFRESH} [how]
 */
function updated(made, update, how = "slow") {
  made.dataset.clock = how;
  updates.set(made, update);
  update();
  return made;
}

/**
 * Make an element with a text that is computed again every few seconds.
 * @param {keyof HTMLElementTagNameMap} name
 * @param {Attributes} attributes
 * @param {() => string} text
 * @param {keyof typeof REFRESH} [how]
 */
export function clock(name, attributes, text, how) {
  const made = element(name, attributes);
  const update = () => {
    made.textContent = text();
  };
  return updated(made, update, how);
}

/**
 * Show a time in relation to the present.
 * @param {string} time
 * @param {(time: string) => string} [text]
 * @param {keyof typeof REFRESH} [how]
 */
export const relativeTime = (time, text = ago, how = "slow") =>
  clock("time", { datetime: time, title: new Date(time).toLocaleString() }, () => text(time), how);

/**
 * Show the time that is left until a deadline.
 * @param {string} deadline
 */
export const countdown = (deadline) => relativeTime(deadline, timeLeft, "fast");

/**
 * Hide an element until a time.
 * @param {HTMLElement} made
 * @param {string} time
 */
export const shownFrom = (made, time) => updated(made, () => (made.hidden = secondsSince(time) <= 0), "fast");

for (const [how, time] of Object.entries(REFRESH))
  setInterval(() => {
    for (const each of document.querySelectorAll(`[data-clock=${how}]`)) updates.get(each)?.();
  }, time);
