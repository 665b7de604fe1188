// The game and the tokens of the forms. They are stored until the tab is closed, and never in the address.

/** @import { Created } from "openapi" */
/** @import { ValueName } from "../types.js" */

const PREFIX = "franchise:reference:";

/** @param {ValueName} name */
export const valueOf = (name) => sessionStorage.getItem(PREFIX + name) || "";

/**
 * Store a value, and update all fields that show it.
 * @param {ValueName} name
 * @param {string} value
 */
export function keepValue(name, value) {
  if (value) sessionStorage.setItem(PREFIX + name, value);
  else sessionStorage.removeItem(PREFIX + name);
  document.dispatchEvent(new CustomEvent("value", { detail: name }));
}

/**
 * Show a value in a field, and store changes of the field.
 * @param {HTMLInputElement} input
 * @param {ValueName} name
 */
export function bind(input, name) {
  input.value = valueOf(name);
  input.addEventListener("input", () => keepValue(name, input.value.trim()));
  document.addEventListener("value", ({ detail }) => {
    if (detail === name && input.value.trim() !== valueOf(name)) input.value = valueOf(name);
  });
  return input;
}

/**
 * Store the game of a response with its tokens; return false if it has none.
 * @param {Partial<Created> | null} body
 */
export function keepCreated(body) {
  if (!body?.host_token || !body.game) return false;
  keepValue("GAME", body.game.id);
  keepValue("HOST", body.host_token);
  keepValue("TOKEN", body.seats?.find(({ token }) => token)?.token || "");
  return true;
}
