// What a page says to people beside its contents: problems, news for screen readers, the connection.

import { Problem } from "./api.js";
import { button, element } from "./dom.js";

const SHOWN_FOR = 12_000;
const place = (id) => document.getElementById(id);

/** Show a notice for a while, or until it is dismissed, one of the kind `answer` until the next one; the same text once only. */
export function notify(text, kind = "info") {
  [...place("notices").children].find((each) => each.firstChild.textContent === text)?.remove();
  const notice = element("div", { class: `notice ${kind}` }, element("p", {}, text));
  const dismiss = () => notice.remove();
  notice.append(button("×", dismiss, { class: "quiet", "aria-label": "Dismiss" }));
  setTimeout(dismiss, SHOWN_FOR);
  if (kind === "answer") dismissAnswer();
  place("notices").append(notice);
}

/** Take an answer away that was about what is not shown any more. */
export const dismissAnswer = () => place("notices").querySelector(".answer")?.remove();

/** Say what the server refused, in its own words; what is no problem of the server is a mistake of this page. */
export function showProblem(problem) {
  if (!(problem instanceof Problem)) throw problem;
  notify(problem.text, "problem");
}

/** Do something, and say what the server refuses of it. */
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    return showProblem(error);
  }
}

/** Tell screen readers what has happened. */
export function announce(text) {
  place("news").textContent = text;
}

let connection = null;

/** Show whether news of games come in. */
export function showConnection(state) {
  connection = state;
  drawConnection();
}

/** Nothing comes in while the device is offline, even if the streams have not noticed yet. */
function drawConnection() {
  const sign = place("connection");
  const state = connection && (navigator.onLine ? connection : "lost");
  if (!state || sign.dataset.state === state) return;
  sign.dataset.state = state;
  sign.textContent = state === "lost" ? "Connection lost, trying again" : "Live";
}

addEventListener("offline", drawConnection);
addEventListener("online", drawConnection);
