// Make and replace elements.

/** @import { AttributeValue, Attributes, Child, Pair, Select } from "../types.js" */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Make an element. Functions become listeners (`onclick`), `true` an attribute without a value. Attributes and children
 * that are null or false are omitted.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key.slice(2), /** @type {EventListener} */ (value));
    else setAttribute(made, key, value);
  }
  made.append(...present(children));
  return made;
}

/**
 * Make an element of a picture.
 * @param {string} name
 * @param {Record<string, AttributeValue>} attributes
 * @param {...(Node | string)} children
 */
export function drawn(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) setAttribute(made, key, value);
  made.append(...children);
  return made;
}

/**
 * Set an attribute, or remove it if the value is null or false.
 * @param {Element} target
 * @param {string} name
 * @param {AttributeValue} value
 */
export function setAttribute(target, name, value) {
  if (value === null || value === undefined || value === false) target.removeAttribute(name);
  else target.setAttribute(name, value === true ? "" : String(value));
}

/**
 * @param {Child[]} children
 * @returns {(Node | string)[]}
 */
function present(children) {
  return children.flatMap((child) => {
    if (child === null || child === undefined || child === false) return [];
    if (Array.isArray(child)) return present(child);
    return [typeof child === "number" ? String(child) : child];
  });
}

/**
 * Replace the children of an element. The focus stays on the element with the same `id` or `data-focus`, and open
 * details stay open.
 * @param {Element} target
 * @param {...Child} children
 */
export function fill(target, ...children) {
  const focusAgain = keepFocus(target);
  const open = new Set(detailsIn(target).map((each) => each.open && each.dataset.focus));
  target.replaceChildren(...present(children));
  for (const each of detailsIn(target)) each.open ||= open.has(each.dataset.focus);
  focusAgain();
}

/** @param {Element} target */
const detailsIn = (target) => [...target.querySelectorAll("details")].filter(({ dataset }) => dataset.focus);

/**
 * Load a style sheet that few screens need.
 * @param {string} path
 */
export function loadStyle(path) {
  const href = new URL(path, import.meta.url).href;
  return new Promise((loaded) => {
    document.head.append(element("link", { rel: "stylesheet", href, onload: loaded, onerror: loaded }));
  });
}

/**
 * Return an element that the page must have.
 * @param {string} selector
 * @param {ParentNode} [root]
 */
export function find(selector, root = document) {
  /** @type {HTMLElement | null} */
  const found = root.querySelector(selector);
  if (!found) throw new Error(`The page has no ${selector}.`);
  return found;
}

export const focused = () => /** @type {HTMLElement | SVGElement | null} */ (document.activeElement);

/**
 * Remember which element inside another one has the focus. The returned function focuses the element with the same `id`
 * or `data-focus`, or `otherwise` if there is none.
 * @param {Element} target
 * @param {HTMLElement | null} [otherwise]
 */
export function keepFocus(target, otherwise = null) {
  const key = focusKey(target);
  return () => {
    if (!key) return;
    /** @type {HTMLElement | SVGElement | null} */
    const found = target.querySelector(key) || otherwise;
    found?.focus({ preventScroll: true });
  };
}

/** @param {Element} target */
function focusKey(target) {
  const active = focused();
  if (!active || !target.contains(active)) return null;
  if (active.id) return `#${CSS.escape(active.id)}`;
  return active.dataset.focus ? `[data-focus="${CSS.escape(active.dataset.focus)}"]` : null;
}

/**
 * Make a button. It cannot be pressed again while the promise of its work is pending.
 * @param {Child} text
 * @param {() => unknown} work
 * @param {Attributes} [attributes]
 */
export function button(text, work, attributes = {}) {
  const made = element("button", { type: "button", ...attributes }, text);
  made.addEventListener("click", () => busy(made, work));
  return made;
}

/**
 * @param {() => unknown} work
 * @param {Attributes} attributes
 * @param {...Child} children
 */
export function form(work, attributes, ...children) {
  const made = element("form", attributes, ...children);
  made.addEventListener("submit", (event) => {
    event.preventDefault();
    work();
  });
  return made;
}

/**
 * Disable a button while its work runs.
 * @param {HTMLButtonElement} pressed
 * @param {() => unknown} work
 */
async function busy(pressed, work) {
  if (pressed.getAttribute("aria-disabled")) return;
  pressed.setAttribute("aria-disabled", "true");
  try {
    await work();
  } finally {
    pressed.removeAttribute("aria-disabled");
  }
}

let labels = 0;

/**
 * Put a label before a control.
 * @param {string} text
 * @param {HTMLElement} control
 * @param {string | null} [help]
 */
export function field(text, control, help = null) {
  control.id ||= `field-${(labels += 1)}`;
  const helpId = help && `${control.id}-help`;
  setAttribute(control, "aria-describedby", helpId);
  return element(
    "div",
    { class: "field" },
    element("label", { for: control.id }, text),
    control,
    help && element("small", { id: helpId }, help),
  );
}

/**
 * Make a checkbox or radio button with its label after it.
 * @param {"checkbox" | "radio"} type
 * @param {string} text
 * @param {Attributes} [attributes]
 * @param {string | null} [help]
 */
export function choice(type, text, attributes = {}, help = null) {
  const control = element("input", { type, ...attributes });
  return element("label", { class: "choice" }, control, element("span", {}, text, help && element("small", {}, help)));
}

/**
 * @template {string} Value
 * @param {Value} value
 * @param {string} [text]
 * @returns {Pair<Value>}
 */
export const pair = (value, text = value) => [value, text];

/**
 * @template {string} Value
 * @param {Pair<Value>[]} pairs
 * @param {Attributes} [attributes]
 * @param {NoInfer<Value>} [chosen]
 */
export const select = (pairs, attributes = {}, chosen) =>
  /** @type {Select<Value>} */ (element("select", attributes, options(pairs, chosen)));

/**
 * @param {Pair[]} pairs
 * @param {string} [chosen]
 */
export function options(pairs, chosen) {
  return pairs.map(([value, text]) => element("option", { value, selected: value === chosen }, text));
}
