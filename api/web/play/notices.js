// Notices, announcements for screen readers, the state of the connection, and the tab.

/** @import { Connection } from "../types.js" */

import { Problem } from "./api.js";
import { button, element, find, setAttribute } from "./dom.js";

const SHOWN_FOR = 12_000;
const RULE = /\b(R\d+(?:\.\d+)?)\b/;

/**
 * Turn the numbers of rules in a text into links.
 * @param {string} text
 */
const withRules = (text) =>
  text
    .split(RULE)
    .map((part, index) => (index % 2 ? element("a", { href: `/rules#${part}`, target: "rules" }, part) : part));

/**
 * Show a notice for a while, or until it is dismissed. The same text is shown only once. A refusal stays until it is
 * dismissed, the next one replaces it, or the board changes.
 * @param {string | string[]} text a paragraph or several
 * @param {"info" | "problem" | "refusal"} [kind]
 */
export function notify(text, kind = "info") {
  const notices = find("#notices");
  const paragraphs = [text].flat().map((each) => element("p", {}, withRules(each)));
  const notice = element("div", { class: `notice ${kind}` }, element("div", {}, paragraphs));
  const dismiss = () => notice.remove();
  notice.append(button("×", dismiss, { class: "quiet", "aria-label": "Dismiss" }));
  [...notices.children].find((each) => each.textContent === notice.textContent)?.remove();
  if (kind === "refusal") dismissRefusal();
  else setTimeout(dismiss, SHOWN_FOR);
  notices.append(notice);
}

export const dismissRefusal = () => find("#notices").querySelector(".refusal")?.remove();

/**
 * Show a problem in the words of the server. Any other error is a bug of this page.
 * @param {unknown} problem
 */
export function showProblem(problem) {
  if (!(problem instanceof Problem)) throw problem;
  const { text, rule } = problem;
  notify(rule?.startsWith("R") ? `${text} (${rule})` : text, "problem");
}

/**
 * Do something, and show the problem if the server refuses it.
 * @template T
 * @param {() => Promise<T>} work
 */
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    return showProblem(error);
  }
}

/**
 * Announce a text to screen readers.
 * @param {string} text
 */
export function announce(text) {
  find("#news").textContent = text;
}

/** @type {Record<Connection, string>} */
const SIGNS = { live: "Live", lost: "Connection lost, reconnecting" };

/** @type {Connection | null} */
let connection = null;

/** @param {Connection | null} state null if the page follows nothing */
export function showConnection(state) {
  connection = state;
  drawConnection();
}

/** Show an offline device as lost at once, before the streams notice. */
function drawConnection() {
  const sign = find("#connection");
  const state = connection && (navigator.onLine ? connection : "lost");
  if (sign.dataset.state === (state ?? "")) return;
  sign.dataset.state = state ?? "";
  sign.textContent = state ? SIGNS[state] : "";
}

addEventListener("offline", drawConnection);
addEventListener("online", drawConnection);

/**
 * Show the title of the page, and a dot in its icon while it is the turn of a player here.
 * @param {string} title
 * @param {boolean} mine
 */
export function showTab(title, mine) {
  document.title = title;
  const icon = find("link[rel=icon]");
  const shown = icon.getAttribute("href");
  icon.dataset.plain ||= shown ?? "";
  const { plain, turn } = icon.dataset;
  const wanted = mine ? turn : plain;
  if (wanted !== shown) setAttribute(icon, "href", wanted);
}
