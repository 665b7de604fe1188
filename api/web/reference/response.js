// A response: status, headers and body, or the events of a stream as they arrive.

/** @import { Created, Problem } from "openapi" */

import { addCopyButtons } from "./copy.js";
import { button, element, fill } from "./dom.js";
import { keepCreated } from "./values.js";

const LONGEST_TEXT = 200_000;
const EVENTS_SHOWN = 200;
const narrow = matchMedia("(max-width: 40rem)");

export class ResponseView {
  /** @param {string} title */
  constructor(title) {
    this.title = title;
    this.status = element("p", { class: "status", role: "status" });
    this.content = element("div");
    this.element = element("div", { class: "response" }, this.status, this.content);
  }

  /**
   * Send a request and show its response, until it ends or the signal stops it.
   * @param {string} method
   * @param {string} path
   * @param {{ headers: Record<string, string>, body?: string, signal: AbortSignal }} request
   */
  async show(method, path, { headers, body, signal }) {
    fill(this.content);
    this.setStatus(`${method} ${path} …`);
    const began = performance.now();
    try {
      const response = await fetch(path, { method, headers, body, signal, cache: "no-store" });
      this.setStatus(`${response.status} ${response.statusText}`, `${Math.round(performance.now() - began)} ms`);
      this.status.dataset.ok = String(response.ok);
      fill(this.content, element("p", {}, element("code", {}, `${method} ${path}`)), headersOf(response));
      await this.showBody(response);
    } catch (error) {
      if (signal.aborted) this.setStatus(`${this.status.textContent} · stopped`);
      else
        this.setStatus(
          error instanceof TypeError ? "The server cannot be reached." : /** @type {Error} */ (error).message,
        );
    }
    addCopyButtons(this.content);
  }

  /** @param {...string} parts */
  setStatus(...parts) {
    delete this.status.dataset.ok;
    this.status.textContent = parts.filter(Boolean).join(" · ");
  }

  /** @param {Response} response */
  async showBody(response) {
    const kind = (response.headers.get("Content-Type") || "").replace(/;.*/, "");
    if (kind === "text/event-stream") await this.showEvents(response);
    else if (kind.startsWith("image/")) this.content.append(await picture(response, this.title));
    else if (kind.endsWith("json")) this.content.append(...json(await response.text()));
    else this.content.append(text(await response.text()));
  }

  /** @param {Response} response */
  async showEvents(response) {
    const list = element("ol", { class: "events", role: "log", "aria-label": "Events", tabindex: 0 });
    this.content.append(list);
    const body = /** @type {ReadableStream} */ (response.body);
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = "", chunk; !(chunk = await reader.read()).done;) {
      const messages = (rest + chunk.value).split("\n\n");
      rest = messages.pop() || "";
      list.append(...messages.map((message) => element("li", {}, element("pre", {}, formatted(message)))));
      while (list.children.length > EVENTS_SHOWN) list.firstChild?.remove();
      list.scrollTop = list.scrollHeight;
    }
  }
}

/** @param {Response} response */
function headersOf(response) {
  const rows = [...response.headers].map(([name, value]) =>
    element("tr", {}, element("td", {}, element("code", {}, name)), element("td", {}, value)),
  );
  const table = element("table", {}, element("tbody", {}, rows));
  const head = element("summary", {}, `Headers (${rows.length})`);
  return element(
    "details",
    { class: "headers", open: !narrow.matches },
    head,
    element("div", { class: "table" }, table),
  );
}

/** @param {Response} response @param {string} title */
async function picture(response, title) {
  const address = URL.createObjectURL(await response.blob());
  const forget = () => URL.revokeObjectURL(address);
  return element("img", { src: address, alt: title, onload: forget, onerror: forget });
}

/**
 * Show a JSON body, after links for a problem and a button for a new game.
 * @param {string} raw
 */
function json(raw) {
  const body = parsed(raw);
  if (body === undefined) return [text(raw)];
  return [...problem(body), ...created(body), text(JSON.stringify(body, null, 2))];
}

/**
 * Link to the explanation of a problem and to its rule.
 * @param {Partial<Problem>} body
 */
function problem({ type, code, title, detail, rule }) {
  if (!code || !type?.startsWith("/problems/")) return [];
  const explained = element("a", { href: type }, title);
  const number = /^R\d/.test(rule || "") && element("a", { href: `/rules#${rule}` }, `Rule ${rule}`);
  return [element("p", { class: "problem" }, explained, `: ${detail} `, number)];
}

/**
 * Offer to use a new game in the other forms.
 * @param {Partial<Created>} body
 */
function created(body) {
  if (!body.host_token || !body.game) return [];
  const use = button("Use this game and its tokens in all forms", () => {
    keepCreated(body);
    use.replaceWith(element("p", { role: "status" }, "All forms now use this game and its tokens."));
  });
  return [use];
}

/** @param {string} raw */
function text(raw) {
  if (!raw) return element("p", {}, "No body.");
  const left = raw.length - LONGEST_TEXT;
  return element("pre", { tabindex: 0 }, raw.slice(0, LONGEST_TEXT), left > 0 && `\n… and ${left} more characters`);
}

/** @param {string} raw */
function parsed(raw) {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}

/**
 * Format the data in a message of a stream.
 * @param {string} message
 */
const formatted = (message) =>
  message.replace(/^data: (.*)$/m, (_, data) => {
    const body = parsed(data);
    return body === undefined ? data : `data: ${JSON.stringify(body, null, 2)}`;
  });
