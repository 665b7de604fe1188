// The tools of the documentation pages, which are readable without them.

import { addCopyButtons } from "./copy.js";
import { find } from "./dom.js";
import { addFilter } from "./filter.js";
import { foldOnPhones, followReading } from "./navigation.js";

document.documentElement.classList.add("scripted");
foldOnPhones();
followReading();
addFilter();
addCopyButtons(find("main"));

// Folding and adding parts has moved the target of the address.
const [page] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
if (page?.type === "navigate") document.getElementById(location.hash.slice(1))?.scrollIntoView();

const operations = document.querySelectorAll("section.operation");
if (operations.length) {
  const { addTryIt } = await import("./tryit.js");
  operations.forEach(addTryIt);
}
