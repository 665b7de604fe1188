// Dialogs: choices, confirmations, texts to be copied.

/** @import { Child, Close } from "../types.js" */

import { button, element, fill, focused } from "./dom.js";
import { notify } from "./notices.js";

/**
 * Show a dialog until it is closed: by `close`, by Escape, or by a click beside it. The focus then goes back to where it
 * was.
 * @param {string} label
 * @param {(close: Close) => Child[]} makeContents
 * @returns {Promise<string>} what it was closed with, nothing if it was left
 */
export function ask(label, makeContents) {
  const before = focused();
  return new Promise((resolve) => {
    const closed = () => {
      dialog.remove();
      before?.focus({ preventScroll: true });
      resolve(dialog.returnValue);
    };
    const dialog = element("dialog", { class: "dialog", "aria-label": label, onclose: closed });
    fill(dialog, ...makeContents((value = "") => dialog.close(value)));
    dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
    document.body.append(dialog);
    dialog.showModal();
  });
}

/**
 * Ask for a confirmation.
 * @param {string} question
 * @param {string} yes
 */
export async function confirmed(question, yes) {
  const chosen = await ask(question, (close) => [
    element("p", {}, question),
    element(
      "div",
      { class: "buttons" },
      button(yes, () => close("yes"), { class: "primary" }),
      button("Cancel", () => close(), { autofocus: true }),
    ),
  ]);
  return chosen === "yes";
}

/**
 * Put a text where it can be pasted elsewhere, or show it if that is not allowed here.
 * @param {string} text
 * @param {string} what
 */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    notify(`${what} was copied.`);
  } catch {
    await showText(text, what);
  }
}

/**
 * Show a text to be copied by hand.
 * @param {string} text
 * @param {string} what
 */
export function showText(text, what) {
  const shown = element("input", { readonly: true, value: text, "aria-label": what });
  shown.addEventListener("focus", () => shown.select());
  return ask(what, (close) => [
    element("p", {}, `${what}:`),
    shown,
    button("Close", () => close(), { class: "primary" }),
  ]);
}
