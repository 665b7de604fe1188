// Making and replacing elements.

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * Make an element. Functions become listeners (`onclick`), `true` an attribute without a value; what is null or false is
 * left out, among attributes and among children.
 * @param {string} name
 * @param {Record<string, unknown>} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {any} the element
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key.slice(2), value);
    else setAttribute(made, key, value);
  }
  made.append(...present(children));
  return made;
}

/** Set an attribute, or remove it if the value is null or false. */
export function setAttribute(target, name, value) {
  if (value === null || value === undefined || value === false) target.removeAttribute(name);
  else target.setAttribute(name, value === true ? "" : String(value));
}

/** @param {(Child | Child[])[]} children */
const present = (children) =>
  children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);

/**
 * Put new children into an element. The focus stays on the element with the same `id` or `data-focus`, and open details
 * stay open.
 */
export function fill(target, ...children) {
  const focusAgain = keepFocus(target);
  const open = new Set([...target.querySelectorAll("details[open][data-focus]")].map((each) => each.dataset.focus));
  target.replaceChildren(...present(children));
  for (const each of target.querySelectorAll("details[data-focus]")) each.open ||= open.has(each.dataset.focus);
  focusAgain();
  return target;
}

/**
 * Remember which element inside another one has the focus. The function that comes back gives it to the one with the same
 * `id` or `data-focus`, or to another one if that is gone.
 */
export function keepFocus(target, otherwise = null) {
  const key = focusKey(target);
  return () => key && (target.querySelector(key) || otherwise)?.focus({ preventScroll: true });
}

function focusKey(target) {
  const active = document.activeElement;
  if (!active || !target.contains(active)) return null;
  if (active.id) return `#${CSS.escape(active.id)}`;
  return active.dataset.focus ? `[data-focus="${CSS.escape(active.dataset.focus)}"]` : null;
}

/** Make a button; while the promise that its work returns is pending it cannot be pressed again. */
export function button(text, work, attributes = {}) {
  const made = element("button", { type: "button", onclick: () => busy(made, work), ...attributes }, text);
  return made;
}

/** Do some work while a button shows that it is under way. */
export async function busy(pressed, work) {
  if (pressed.getAttribute("aria-disabled")) return;
  pressed.setAttribute("aria-disabled", "true");
  try {
    await work();
  } finally {
    pressed.removeAttribute("aria-disabled");
  }
}

let labels = 0;

/** Label a control by a text before it. */
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

/** Make a checkbox or radio button with its label after it. */
export function choice(type, text, attributes = {}, help = null) {
  const control = element("input", { type, ...attributes });
  return element("label", { class: "choice" }, control, element("span", {}, text, help && element("small", {}, help)));
}

/** Make a select from pairs of value and text. */
export const select = (pairs, attributes = {}, chosen = undefined) =>
  element("select", attributes, options(pairs, chosen));

/** Make the options of a select from pairs of value and text. */
export function options(pairs, chosen = undefined) {
  return pairs.map(([value, text]) => element("option", { value, selected: value === chosen }, text));
}
