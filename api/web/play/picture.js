// Pictures of the server, put into the page: what can be pressed there is told, all else is described by their texts.

import { send } from "./api.js";
import { setAttribute } from "./dom.js";

const DARK = matchMedia("(prefers-color-scheme: dark)");

/** Call back when the person changes between light and dark. */
export const onThemeChanged = (changed) => DARK.addEventListener("change", changed);

const theme = () => (DARK.matches ? "dark" : "light");
const underWay = new Map();

/** The influence of all players over the whole game. */
export const readScores = async (session) => parsed(await fetchPicture(session, "scores.svg?"));

/** Ask for the board of a version, once at a time; the browser keeps what has come, since a version never changes. */
export function fetchBoard(session, version) {
  const name = `board.svg?at=${version}&`;
  const key = name + theme();
  if (!underWay.has(key)) {
    const asked = fetchPicture(session, name).finally(() => underWay.delete(key));
    underWay.set(key, asked);
  }
  return underWay.get(key);
}

async function fetchPicture({ path, reading }, name) {
  return (await send("GET", `${path}/${name}theme=${theme()}`, reading)).text();
}

const parsed = (text) => document.adoptNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement);

/** Read the board of a version. */
export async function readBoard(session, version) {
  const picture = parsed(await fetchBoard(session, version));
  setAttribute(picture, "role", "group");
  for (const part of picture.children) {
    if (!["title", "desc"].includes(part.localName)) hide(part);
  }
  return picture;
}

/**
 * Exchange the parts of a board that have changed for those of a later or earlier one.
 * @returns {{shown: SVGElement, changed: Element[]}} what is shown then, and the new parts in it
 */
export function exchange(shown, picture) {
  if (shown?.childElementCount !== picture.childElementCount) return { shown: picture, changed: [] };
  const before = [...shown.children];
  const changed = [...picture.children].flatMap((part, index) => {
    if (before[index].isEqualNode(part)) return [];
    before[index].replaceWith(part);
    return [part];
  });
  return { shown, changed };
}

/** Hide a part from screen readers, but so that parts of its places and regions can be shown to them. */
function hide(part) {
  if (part.matches(".place, .region") || part.querySelector(".place, .region")) [...part.children].forEach(hide);
  else setAttribute(part, "aria-hidden", "true");
}

/** The part of a board to click on for a place or a region. */
export function targetIn(picture, kind, id) {
  const part = kind === "region" ? ".area" : ".hit";
  return picture.querySelector(`.${kind}[data-${kind}="${CSS.escape(id)}"] > ${part}`);
}

/** The links of a place, with the place at the other end and the cost. */
export function linksOf(picture, place) {
  return [...picture.querySelectorAll(".price")].flatMap(({ dataset, textContent }) => {
    const ends = dataset.link.split(" ");
    return ends.includes(place) ? [{ other: ends.find((end) => end !== place), cost: Number(textContent) }] : [];
  });
}

/** Let a part of a picture be pressed like a button with this text. */
export function makeButton(part, text, press) {
  part.classList.add("target");
  part.removeAttribute("aria-hidden");
  const { place, region } = part.parentElement.dataset;
  const attributes = { role: "button", tabindex: 0, "aria-label": text, "data-focus": place || region };
  for (const [name, value] of Object.entries(attributes)) setAttribute(part, name, value);
  part.addEventListener("click", press);
  part.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    press();
  });
}
