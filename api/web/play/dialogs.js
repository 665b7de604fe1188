// Dialogs: choices, confirmations, texts to copy.

/** @import { Child, Close } from "../types.js" */

import { button, element, fill, focused } from "./dom.js";
import { notify } from "./notices.js";

/**
 * Show a dialog until `close`, Escape or a click outside closes it. The focus then returns to where it was.
 * @param {string} label
 * @param {(close: Close) => Child[]} makeContents
 * @returns {Promise<string>} the value of `close`, empty if the dialog was cancelled
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
 * @param {string | [question: string, ...more: string[]]} question
 * @param {string} yes
 */
export async function confirmed(question, yes) {
  const texts = [question].flat();
  const chosen = await ask(texts.join(" "), (close) => [
    texts.map((text) => element("p", {}, text)),
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
 * Copy a text to the clipboard, or show it if the browser refuses.
 * @param {string} text
 * @param {string} label of the text
 */
export async function copy(text, label) {
  if (await copied(text)) notify(`${label} was copied.`);
  else await showText(text, label);
}

/**
 * Copy a text to the clipboard, and show it, since nothing shows it again.
 * @param {string} text
 * @param {string} label of the text
 */
export async function copyAndShow(text, label) {
  await showText(text, (await copied(text)) ? `${label}, which was copied` : label);
}

/**
 * Copy a text to the clipboard; return false if the browser refuses.
 * @param {string} text
 */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Show a text to copy by hand.
 * @param {string} text
 * @param {string} label of the text
 */
export function showText(text, label) {
  const shown = element("input", { readonly: true, value: text, "aria-label": label });
  shown.addEventListener("focus", () => shown.select());
  return ask(label, (close) => [
    element("p", {}, `${label}:`),
    shown,
    button("Close", () => close(), { class: "primary" }),
  ]);
}
