// The filter over the contents. It finds operations, types, problems and rules by their names and fields.

import { element, find } from "./dom.js";
import { openContents } from "./navigation.js";

const entries = find("nav .entries");

export function addFilter() {
  const links = [...entries.querySelectorAll("a")];
  const groups = [...entries.querySelectorAll("details")];
  const input = element("input", { type: "search", id: "filter", autocomplete: "off", placeholder: "Filter ( / )" });
  const found = element("p", { class: "found", role: "status" });
  const label = element("label", { for: "filter", class: "unseen" }, "Filter operations, types, problems and fields");
  entries.before(element("search", { class: "filter" }, label, input, found));

  /** @type {Map<Element, string> | null} */
  let words = null;
  /** @type {Set<Element> | null} */
  let openBefore = null;
  input.addEventListener("input", () => {
    const known = (words ||= new Map(links.map((link) => [link, wordsOf(link)])));
    openBefore ||= new Set(groups.filter((group) => group.open));
    const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const link of links) link.hidden = !wanted.every((word) => known.get(link)?.includes(word));
    for (const group of groups) {
      group.hidden = !group.querySelector("a:not([hidden])");
      group.open = wanted.length > 0 || openBefore.has(group);
    }
    const count = links.filter((link) => !link.hidden).length;
    found.textContent = wanted.length ? `${count || "Nothing"} found` : "";
    if (!wanted.length) openBefore = null;
  });
  input.addEventListener("keydown", (event) => useKey(event, input));
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return;
    event.preventDefault();
    openContents();
    input.focus();
  });
}

/**
 * Enter opens the first result, the down arrow focuses it, Escape clears the filter.
 * @param {KeyboardEvent} event
 * @param {HTMLInputElement} input
 */
function useKey(event, input) {
  /** @type {HTMLElement | null} */
  const first = entries.querySelector("a:not([hidden])");
  if (event.key === "Escape" && input.value) {
    input.value = "";
    input.dispatchEvent(new Event("input"));
    event.stopPropagation();
  } else if (event.key === "Enter") first?.click();
  else if (event.key === "ArrowDown" && first) {
    event.preventDefault();
    first.focus();
  }
}

/** @param {EventTarget | null} target */
const isField = (target) => target instanceof Element && target.matches("input, textarea, select");

/**
 * Return the words that find a link: its text, the id of its target, and the names in the tables there.
 * @param {HTMLAnchorElement} link
 */
function wordsOf(link) {
  const target = link.hash && document.getElementById(link.hash.slice(1));
  const part = target && target.closest("section, tr");
  const names = part ? [...part.querySelectorAll("td code, tr code")].map((name) => name.textContent) : [];
  return [link.textContent, link.hash, ...names].join(" ").toLowerCase();
}
