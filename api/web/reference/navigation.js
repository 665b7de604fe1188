// The contents: they fold on narrow screens, and mark the section that is being read.

/** @import { ContentsLink } from "../types.js" */

import { find } from "./dom.js";

const contents = /** @type {HTMLDetailsElement} */ (find("nav > details"));
const narrow = matchMedia("(max-width: 52rem)");

/** A section is being read when it begins above this many pixels below the visible top of the text. */
const READING_LINE = 24;

/** Fold the contents on narrow screens, and fold them again after a link was chosen. */
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

export function openContents() {
  contents.open = true;
}

/** Mark the link of the section that is being read. */
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
 * Return the link of the last section that begins above a height; the targets are in the order of the page.
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
 * The group that was opened to show the marked link.
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
 * Scroll the contents, and nothing else, to a link.
 * @param {Element} link
 */
function reveal(link) {
  const box = find(".links", contents);
  const { top, bottom } = link.getBoundingClientRect();
  const edges = box.getBoundingClientRect();
  if (top < edges.top || bottom > edges.bottom) box.scrollTop += (top + bottom - edges.top - edges.bottom) / 2;
}
