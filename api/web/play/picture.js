// Pictures of the server in the page. Screen readers get their descriptions and the parts that can be pressed.

/** @import { Session } from "./session.js" */

import { send } from "./api.js";
import { setAttribute } from "./dom.js";

const DARK = matchMedia("(prefers-color-scheme: dark)");

/**
 * @param {() => unknown} changed
 */
export const onThemeChanged = (changed) => DARK.addEventListener("change", changed);

const theme = () => (DARK.matches ? "dark" : "light");
/** @type {Map<string, Promise<string>>} */
const loading = new Map();

/** @param {Session} session */
export const readScores = async (session) => parsed(await fetchPicture(session, "scores.svg?"));

/**
 * Fetch the board of a version, never twice at the same time. The browser caches it: a version never changes.
 * @param {Session} session
 * @param {number} version
 */
export function fetchBoard(session, version) {
  const name = `board.svg?at=${version}&`;
  const key = name + theme();
  const known = loading.get(key);
  if (known) return known;
  const request = fetchPicture(session, name).finally(() => loading.delete(key));
  loading.set(key, request);
  return request;
}

/** @param {Session} session @param {string} name */
async function fetchPicture({ path, reading }, name) {
  return (await send("GET", `${path}/${name}theme=${theme()}`, reading)).text();
}

/** @param {string} text */
function parsed(text) {
  /** @type {Element} */
  const picture = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  return /** @type {SVGSVGElement} */ (document.adoptNode(picture));
}

/**
 * @param {Session} session
 * @param {number} version
 */
export async function readBoard(session, version) {
  const picture = parsed(await fetchBoard(session, version));
  setAttribute(picture, "role", "group");
  for (const part of picture.children) {
    if (!["title", "desc"].includes(part.localName)) hide(part);
  }
  return picture;
}

/**
 * Replace the parts of a board that differ in the picture of another version.
 * @param {SVGSVGElement | null} shown
 * @param {SVGSVGElement} picture
 * @returns {SVGSVGElement} the picture that is shown afterwards
 */
export function exchange(shown, picture) {
  if (shown?.childElementCount !== picture.childElementCount) return picture;
  const parts = [...picture.children];
  for (const [index, before] of [...shown.children].entries()) {
    const part = parts[index];
    if (part && !before.isEqualNode(part)) before.replaceWith(part);
  }
  return shown;
}

/**
 * Hide a part from screen readers, leaf by leaf: single parts of places and regions can be shown again.
 * @param {Element} part
 */
function hide(part) {
  if (part.matches(".place, .region") || part.querySelector(".place, .region")) [...part.children].forEach(hide);
  else setAttribute(part, "aria-hidden", "true");
}

/**
 * Return the part of a board to click on for a place or a region.
 * @param {SVGSVGElement} picture
 * @param {"place" | "region"} kind
 * @param {string} id
 * @returns {SVGElement | null}
 */
export function targetIn(picture, kind, id) {
  const part = kind === "region" ? ".area" : ".hit";
  return picture.querySelector(`.${kind}[data-${kind}="${CSS.escape(id)}"] > ${part}`);
}

/**
 * Turn a part of a picture into a button with this text.
 * @param {SVGElement} part
 * @param {string} text
 * @param {() => unknown} press
 */
export function makeButton(part, text, press) {
  part.classList.add("target");
  part.removeAttribute("aria-hidden");
  const { place, region } = part.parentElement?.dataset ?? {};
  const attributes = { role: "button", tabindex: 0, "aria-label": text, "data-focus": place || region };
  for (const [name, value] of Object.entries(attributes)) setAttribute(part, name, value);
  part.addEventListener("click", press);
  part.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    press();
  });
}
