// Texts that depend on the present time. They stay right while the page is open.

/** @import { Attributes } from "../types.js" */

import { element } from "./dom.js";
import { ago } from "./words.js";

const REFRESH = 10_000;

/** @type {WeakMap<Element, () => string>} */
const texts = new WeakMap();

/**
 * Make an element with a text that is computed again every few seconds.
 * @param {keyof HTMLElementTagNameMap} name
 * @param {Attributes} attributes
 * @param {() => string} text
 */
export function clock(name, attributes, text) {
  const made = element(name, { ...attributes, "data-clock": true }, text());
  texts.set(made, text);
  return made;
}

/**
 * Show a time in relation to the present.
 * @param {string} time
 * @param {(time: string) => string} [text]
 */
export const relativeTime = (time, text = ago) =>
  clock("time", { datetime: time, title: new Date(time).toLocaleString() }, () => text(time));

setInterval(() => {
  for (const each of document.querySelectorAll("[data-clock]")) each.textContent = texts.get(each)?.() ?? "";
}, REFRESH);
