// Dialogs: choices, confirmations, texts to be copied.

import { button, element, fill } from "./dom.js";
import { notify } from "./notices.js";

/**
 * Show a dialog until it is closed: by `close`, by Escape, or by a click beside it. The focus then goes back to where it
 * was.
 * @param {string} label
 * @param {(close: (answer?: string) => void) => (Node | null)[]} makeContents
 * @returns {Promise<string>} what it was closed with, nothing if it was left
 */
export function ask(label, makeContents) {
  const focused = document.activeElement;
  return new Promise((answered) => {
    const closed = () => {
      dialog.remove();
      focused?.focus({ preventScroll: true });
      answered(dialog.returnValue);
    };
    const dialog = element("dialog", { class: "dialog", "aria-label": label, onclose: closed });
    fill(dialog, ...makeContents((answer = "") => dialog.close(answer)));
    dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Ask for a confirmation. */
export async function confirmed(question, yes) {
  const answer = await ask(question, (close) => [
    element("p", {}, question),
    element(
      "div",
      { class: "buttons" },
      button(yes, () => close("yes"), { class: "primary" }),
      button("Cancel", () => close(), { autofocus: true }),
    ),
  ]);
  return answer === "yes";
}

/** Put a text where it can be pasted elsewhere, or show it if that is not allowed here. */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    notify(`${what} was copied.`);
  } catch {
    await showText(text, what);
  }
}

/** Show a text to be copied by hand. */
export function showText(text, what) {
  return ask(what, (close) => [
    element("p", {}, `${what}:`),
    element("input", { readonly: true, value: text, "aria-label": what, onfocus: ({ target }) => target.select() }),
    button("Close", () => close(), { class: "primary" }),
  ]);
}
