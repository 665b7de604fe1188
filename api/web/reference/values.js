// The game and the tokens that requests are tried with: kept as long as the tab, and never part of an address of this page.

/** @import { Created } from "openapi" */
/** @import { ValueName } from "../types.js" */

const PREFIX = "franchise:reference:";

/** @param {ValueName} name */
export const valueOf = (name) => sessionStorage.getItem(PREFIX + name) || "";

/**
 * Keep a value, and tell all fields that show it.
 * @param {ValueName} name
 * @param {string} value
 */
export function keepValue(name, value) {
  if (value) sessionStorage.setItem(PREFIX + name, value);
  else sessionStorage.removeItem(PREFIX + name);
  document.dispatchEvent(new CustomEvent("value", { detail: name }));
}

/**
 * Let a field show a value, and keep what is typed into it.
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
 * Keep the game that an answer has made, with its tokens; false if it has made none.
 * @param {Partial<Created> | null} body
 */
export function keepCreated(body) {
  if (!body?.host_token || !body.game) return false;
  keepValue("GAME", body.game.id);
  keepValue("HOST", body.host_token);
  keepValue("TOKEN", body.seats?.find(({ token }) => token)?.token || "");
  return true;
}
