// Marks on the board: where something happened, and the points that players have gained there.

/** @import { Summary } from "openapi" */
/** @import { News } from "../types.js" */

import { drawn } from "./dom.js";
import { seatLetter, seatOf } from "./words.js";

const HEIGHT = 22;
const GAP = 2;

/**
 * Mark the places and regions of some news, with the points that players have gained there.
 * @param {SVGSVGElement} picture
 * @param {News} news
 * @param {Summary} game
 */
export function markNews(picture, { targets, gains }, game) {
  clearNews(picture);
  for (const target of targets) for (const part of partsOf(picture, target)) part.classList.add("changed");
  const layer = drawn("g", { class: "gains", "aria-hidden": "true" });
  for (const target of new Set(gains.map((gain) => gain.target))) {
    const here = gains.filter((gain) => gain.target === target);
    layer.append(...pills(picture, target, here, game));
  }
  picture.append(layer);
}

/** @param {SVGSVGElement} picture */
export function clearNews(picture) {
  for (const part of picture.querySelectorAll(".changed")) part.classList.remove("changed");
  picture.querySelector(".gains")?.remove();
}

/**
 * Return the group of a place, or the area, tile and tie-break marker of a region.
 * @param {SVGSVGElement} picture
 * @param {string} target
 */
const partsOf = (picture, target) => [
  ...picture.querySelectorAll(`.place[data-place="${target}"], [data-region="${target}"]`),
];

/**
 * Draw the gains of players side by side on a place or a region's tile.
 * @param {SVGSVGElement} picture
 * @param {string} target
 * @param {News["gains"]} gains
 * @param {Summary} game
 */
function pills(picture, target, gains, game) {
  const middle = middleOf(picture, target);
  if (!middle) return [];
  /** @type {Map<number, number>} */
  const sums = new Map();
  for (const { seat, influence } of gains) sums.set(seat, (sums.get(seat) ?? 0) + influence);
  const texts = [...sums].map(([seat, influence]) => ({ seat, text: `${seatLetter(seat)} +${influence}` }));
  const widths = texts.map(({ text }) => 14 + 10 * text.length);
  let left = middle.x - widths.reduce((sum, width) => sum + width + GAP, -GAP) / 2;
  return texts.map(({ seat, text }, index) => {
    const width = widths[index] ?? 0;
    const x = left + width / 2;
    left += width + GAP;
    return drawn(
      "g",
      { class: `gain ${seatOf(game, seat).colour}`, transform: `translate(${x} ${middle.y})` },
      drawn("rect", { x: -width / 2, y: -HEIGHT / 2, width, height: HEIGHT, rx: HEIGHT / 2 }),
      drawn("text", { y: 5.5, "text-anchor": "middle", "font-size": 15.5, "font-weight": 700 }, text),
    );
  });
}

/**
 * Return the middle of a place, or of a region's tile.
 * @param {SVGSVGElement} picture
 * @param {string} target
 */
function middleOf(picture, target) {
  /** @type {SVGGElement | null} */
  const place = picture.querySelector(`.place[data-place="${target}"]`);
  const matrix = place?.transform.baseVal.consolidate()?.matrix;
  if (matrix) return { x: matrix.e, y: matrix.f };
  const tile = picture.querySelector(`.tiles > :not(.tie-break)[data-region="${target}"] > rect`);
  return tile && { x: middleAlong(tile, "x", "width"), y: middleAlong(tile, "y", "height") };
}

/**
 * Return the middle of a rectangle in one direction.
 * @param {Element} rectangle
 * @param {string} start
 * @param {string} length
 */
const middleAlong = (rectangle, start, length) =>
  Number(rectangle.getAttribute(start)) + Number(rectangle.getAttribute(length)) / 2;
