// A form for every operation, which sends a request and shows the response.

/** @import { NewGame } from "openapi" */
/** @import { Expected, Field } from "../types.js" */

import { ResponseView } from "./response.js";
import { button, element, field, find, form, pair, select } from "./dom.js";
import { operationOf } from "./openapi.js";
import { fieldsOf, headersOf, pathOf } from "./parameters.js";
import { bind, keepCreated, valueOf } from "./values.js";

/**
 * Add the form to the section of an operation when it is opened.
 * @param {Element} section
 */
export function addTryIt(section) {
  const box = /** @type {HTMLDetailsElement} */ (find(".try", section));
  find("summary", box).append(element("span", { class: "unseen" }, `: ${section.id}`));
  /** @type {Form | null} */
  let shown = null;
  const follow = async () => {
    if (!box.open) shown?.stop();
    if (!box.open || shown) return;
    try {
      const operation = await operationOf(section.id);
      shown ||= new Form(operation);
      box.append(shown.element);
    } catch (error) {
      box.querySelector(".failed")?.remove();
      box.append(element("p", { class: "failed", role: "alert" }, /** @type {Error} */ (error).message));
    }
  };
  box.addEventListener("toggle", follow);
  if (box.open) follow(); // opened before this script was loaded
}

class Form {
  /** @param {Expected} operation */
  constructor(operation) {
    this.operation = operation;
    this.fields = fieldsOf(operation.parameters);
    this.token = tokenField(operation);
    this.body = operation.body && bodyField(operation.body);
    this.response = new ResponseView(operation.summary);
    this.controller = new AbortController();
    this.stopButton = button("Stop", () => this.stop(), { hidden: true });
    this.element = form(
      () => this.submit(),
      { autocomplete: "off" },
      operation.path.includes("{game_id}") && openingButton(),
      rowsOf(this.fields, "path"),
      this.token && field(operation.token === "HOST" ? "Token of the host" : "Token", this.token, tokenHelp(operation)),
      rowsOf(this.fields, "query"),
      headerRows(rowsOf(this.fields, "header")),
      this.body?.rows,
      element("div", { class: "buttons" }, element("button", { class: "primary" }, "Send"), this.stopButton),
      this.response.element,
    );
  }

  async submit() {
    this.stop();
    const controller = new AbortController();
    this.controller = controller;
    this.stopButton.hidden = false;
    await this.response.show(this.operation.method, pathOf(this.operation.path, this.fields), {
      headers: { ...headersOf(this.fields), ...this.ownHeaders() },
      body: this.body?.input.value || undefined,
      signal: controller.signal,
    });
    if (this.controller === controller) this.stopButton.hidden = true;
  }

  /** The headers that are not parameters. */
  ownHeaders() {
    const token = this.token?.value.trim();
    return {
      ...(token && { Authorization: `Bearer ${token}` }),
      ...(this.body?.input.value && { "Content-Type": "application/json" }),
    };
  }

  /** Abort the request, such as a stream. */
  stop() {
    this.controller.abort();
  }
}

/** @param {Expected} operation */
function tokenField({ token, tokenNeeded }) {
  return token && bind(element("input", { spellcheck: "false", required: tokenNeeded }), token);
}

/** @param {Expected} operation */
function tokenHelp({ token, tokenNeeded }) {
  if (!tokenNeeded) return "Only private games need it.";
  return token === "HOST" ? "You got it when you opened the table." : "The token of a seat or of the host.";
}

/** @param {Field[]} fields @param {"path" | "query" | "header"} location */
const rowsOf = (fields, location) => fields.filter((one) => one.location === location).map(({ row }) => row);

/**
 * Fold the headers: all of them are optional.
 * @param {Element[]} rows
 */
function headerRows(rows) {
  if (!rows.length) return null;
  return element("details", { class: "headers" }, element("summary", {}, `Headers (${rows.length})`), rows);
}

/**
 * Make the field of a body with an example, and a choice of several examples.
 * @param {NonNullable<Expected["body"]>} body
 */
function bodyField({ required, examples }) {
  const input = element("textarea", { spellcheck: "false", rows: 4, required });
  const chosen = select(examples.map(({ summary }, index) => pair(String(index), summary)));
  const put = () => {
    input.value = JSON.stringify(examples[Number(chosen.value)]?.value, null, 2);
    input.rows = Math.min(Math.max(input.value.split("\n").length, 3), 20);
  };
  chosen.addEventListener("change", put);
  put();
  const rows = [examples.length > 1 && field("Example", chosen), field("Body", input, required ? null : "Optional.")];
  return { input, rows };
}

/** Make a button that opens a table, shown until there is a game. */
function openingButton() {
  const status = element("p", { role: "status" });
  const made = button("Open a table to try this", async () => {
    const { method, path, body } = await operationOf("create_game");
    const examples = /** @type {NewGame[]} */ (body?.examples.map(({ value }) => value));
    const full = examples.find(({ players, seats }) => players?.length === seats) || examples[0];
    const headers = { "Content-Type": "application/json" };
    const response = await fetch(path, { method, headers, body: JSON.stringify(full) });
    if (!keepCreated(await response.json().catch(() => null))) status.textContent = "The table could not be opened.";
  });
  const offer = element("div", { class: "offer", hidden: Boolean(valueOf("GAME")) }, made, status);
  document.addEventListener("value", () => {
    if (!valueOf("GAME") || offer.hidden) return;
    if (offer.contains(document.activeElement)) offer.nextElementSibling?.querySelector("input")?.focus();
    offer.hidden = true;
  });
  return offer;
}
