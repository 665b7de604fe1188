// The contents beside the text: they fold on narrow screens, and follow what is being read.

const contents = document.querySelector("nav > details");
const narrow = matchMedia("(max-width: 52rem)");

/** Pixels below the upper edge of the window, and of what covers the text there, that a place is read from. */
const READING_LINE = 24;

/** Fold the contents on narrow screens until they are asked for, and once a place was chosen there. */
export function foldOnPhones() {
  const adjust = () => {
    contents.open = !narrow.matches;
  };
  narrow.addEventListener("change", adjust);
  adjust();
  contents.addEventListener("click", ({ target }) => {
    if (narrow.matches && target.closest("a")) contents.open = false;
  });
  contents.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !narrow.matches) return;
    contents.open = false;
    contents.querySelector("summary").focus();
  });
}

/** Show the contents, also where they are folded. */
export function openContents() {
  contents.open = true;
}

/** Mark the entry of the place that is being read. */
export function followReading() {
  const places = [...contents.querySelectorAll(".links a[href^='#']")]
    .map((link) => ({ link, place: document.getElementById(link.hash.slice(1)) }))
    .filter(({ place }) => place)
    .sort((one, other) => (one.place.compareDocumentPosition(other.place) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
  if (places.length < 2) return;
  let current = null;
  let waiting = false;
  const follow = () => {
    waiting = false;
    const found = lastAbove(places, (narrow.matches ? contents.firstElementChild.offsetHeight : 0) + READING_LINE);
    if (found && found !== current) mark(found, current);
    current = found;
  };
  const soon = () => {
    if (!waiting) requestAnimationFrame(follow);
    waiting = true;
  };
  addEventListener("scroll", soon, { passive: true });
  addEventListener("resize", soon);
  contents.addEventListener("toggle", soon);
  soon();
}

/** The entry of the last place that begins above a line; the places stand in the order of the page. */
function lastAbove(places, line) {
  let from = 0;
  let to = places.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (places[middle].place.getBoundingClientRect().top <= line) from = middle + 1;
    else to = middle;
  }
  return places[from - 1]?.link;
}

/** Groups that were opened to show the entry of the place that was read. */
let opened = null;

function mark(link, before) {
  before?.removeAttribute("aria-current");
  link.setAttribute("aria-current", "location");
  contents.querySelector(".where").textContent = `: ${link.firstChild.textContent}`;
  const group = link.closest(".entries details");
  if (opened && opened !== group) opened.open = false;
  opened = group && (!group.open || opened === group) ? group : null;
  if (group) group.open = true;
  reveal(link);
}

/** Scroll the contents, and nothing else, so far that an entry can be seen. */
function reveal(link) {
  const box = contents.querySelector(".links");
  const { top, bottom } = link.getBoundingClientRect();
  const edges = box.getBoundingClientRect();
  if (top < edges.top || bottom > edges.bottom) box.scrollTop += (top + bottom - edges.top - edges.bottom) / 2;
}
