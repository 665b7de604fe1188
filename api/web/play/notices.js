// What a page says to people beside its contents: problems, news for screen readers, the connection.

/** @import { Connection } from "../types.js" */

import { Problem } from "./api.js";
import { button, element, find } from "./dom.js";

const SHOWN_FOR = 12_000;

/**
 * Show a notice for a while, or until it is dismissed. The same text is shown once only. A refusal stays until it is
 * dismissed or the next one replaces it.
 * @param {string} text
 * @param {"info" | "problem" | "refusal"} [kind]
 */
export function notify(text, kind = "info") {
  const notices = find("#notices");
  [...notices.children].find((each) => each.firstChild?.textContent === text)?.remove();
  const notice = element("div", { class: `notice ${kind}` }, element("p", {}, text));
  const dismiss = () => notice.remove();
  notice.append(button("×", dismiss, { class: "quiet", "aria-label": "Dismiss" }));
  if (kind === "refusal") dismissRefusal();
  else setTimeout(dismiss, SHOWN_FOR);
  notices.append(notice);
}

/** Remove the refusal, such as when the board that it is about has changed. */
export const dismissRefusal = () => find("#notices").querySelector(".refusal")?.remove();

/**
 * Say what the server refused, in its own words; what is no problem of the server is a mistake of this page.
 * @param {unknown} problem
 */
export function showProblem(problem) {
  if (!(problem instanceof Problem)) throw problem;
  notify(problem.text, "problem");
}

/**
 * Do something, and say what the server refuses of it.
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
 * Tell screen readers what has happened.
 * @param {string} text
 */
export function announce(text) {
  find("#news").textContent = text;
}

/** @type {Connection | null} */
let connection = null;

/**
 * Show whether news of games come in.
 * @param {Connection} state
 */
export function showConnection(state) {
  connection = state;
  drawConnection();
}

/** Nothing comes in while the device is offline, even if the streams have not noticed yet. */
function drawConnection() {
  const sign = find("#connection");
  const state = connection && (navigator.onLine ? connection : "lost");
  if (!state || sign.dataset.state === state) return;
  sign.dataset.state = state;
  sign.textContent = state === "lost" ? "Connection lost, reconnecting" : "Live";
}

addEventListener("offline", drawConnection);
addEventListener("online", drawConnection);
