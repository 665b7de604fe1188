// The contents beside the text: they fold on narrow screens, and follow what is being read.

/** @import { ContentsLink } from "../types.js" */

import { find } from "./dom.js";

const contents = /** @type {HTMLDetailsElement} */ (find("nav > details"));
const narrow = matchMedia("(max-width: 52rem)");

/** Pixels below the upper edge of the window, and of what covers the text there, that a target is read from. */
const READING_LINE = 24;

/** Fold the contents on narrow screens until they are asked for, and once a target was chosen there. */
export function foldOnPhones() {
  const adjust = () => {
    contents.open = !narrow.matches;
  };
  narrow.addEventListener("change", adjust);
  adjust();
  contents.addEventListener("click", ({ target }) => {
    if (narrow.matches && target instanceof Element && target.closest("a")) contents.open = false;
  });
  contents.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !narrow.matches) return;
    contents.open = false;
    find("summary", contents).focus();
  });
}

/** Show the contents, also where they are folded. */
export function openContents() {
  contents.open = true;
}

/** Mark the entry of the target that is being read. */
export function followReading() {
  /** @type {NodeListOf<HTMLAnchorElement>} */
  const links = contents.querySelectorAll(".links a[href^='#']");
  const targets = [...links]
    .flatMap((link) => {
      const target = document.getElementById(link.hash.slice(1));
      return target ? [{ link, target }] : [];
    })
    .sort((one, other) =>
      one.target.compareDocumentPosition(other.target) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1,
    );
  if (targets.length < 2) return;
  /** @type {HTMLAnchorElement | null} */
  let current = null;
  let waiting = false;
  const follow = () => {
    waiting = false;
    const found = lastAbove(targets, (narrow.matches ? find("summary", contents).offsetHeight : 0) + READING_LINE);
    if (found && found !== current) mark(found, current);
    current = found;
  };
  const soon = () => {
    if (!waiting) requestAnimationFrame(follow);
    waiting = true;
  };
  addEventListener("scroll", soon, { passive: true });
  addEventListener("resize", soon);
  contents.addEventListener("toggle", soon);
  soon();
}

/**
 * The entry of the last target that begins above a line; the links stand in the order of the page.
 * @param {ContentsLink[]} targets
 * @param {number} line
 */
function lastAbove(targets, line) {
  let from = 0;
  let to = targets.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    const top = targets[middle]?.target.getBoundingClientRect().top ?? Infinity;
    if (top <= line) from = middle + 1;
    else to = middle;
  }
  return targets[from - 1]?.link || null;
}

/**
 * The group that was opened to show the entry of the target that was read.
 * @type {HTMLDetailsElement | null}
 */
let opened = null;

/** @param {HTMLAnchorElement} link @param {HTMLAnchorElement | null} before */
function mark(link, before) {
  before?.removeAttribute("aria-current");
  link.setAttribute("aria-current", "location");
  find(".where", contents).textContent = `: ${link.firstChild?.textContent}`;
  /** @type {HTMLDetailsElement | null} */
  const group = link.closest(".entries details");
  if (opened && opened !== group) opened.open = false;
  opened = group && (!group.open || opened === group) ? group : null;
  if (group) group.open = true;
  reveal(link);
}

/**
 * Scroll the contents, and nothing else, so far that an entry can be seen.
 * @param {Element} link
 */
function reveal(link) {
  const box = find(".links", contents);
  const { top, bottom } = link.getBoundingClientRect();
  const edges = box.getBoundingClientRect();
  if (top < edges.top || bottom > edges.bottom) box.scrollTop += (top + bottom - edges.top - edges.bottom) / 2;
}
