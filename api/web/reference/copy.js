// Buttons that copy commands, examples and answers.

import { button, element } from "./dom.js";

const SHOWN_FOR = 2000;

/**
 * Put a button beside every command and example that is there.
 * @param {Element} root
 */
export function addCopyButtons(root) {
  for (const block of root.querySelectorAll("pre")) {
    const frame = element("div", { class: "copyable" });
    block.replaceWith(frame);
    frame.append(block, copyButton(block));
  }
}

/**
 * Make a button that copies the text of an element.
 * @param {Element} block
 */
function copyButton(block) {
  const made = button("Copy", async () => {
    const done = await copy(block);
    made.textContent = done ? "Copied" : "Press Ctrl+C";
    announce(made.textContent);
    setTimeout(() => {
      made.textContent = "Copy";
    }, SHOWN_FOR);
  });
  made.classList.add("copy");
  return made;
}

/**
 * Copy a text. Where pages may not write to the clipboard, as without HTTPS, it is selected for the keys that copy.
 * @param {Element} block
 */
async function copy(block) {
  try {
    await navigator.clipboard.writeText(block.textContent);
    return true;
  } catch {
    getSelection()?.selectAllChildren(block);
    return false;
  }
}

const news = element("p", { class: "unseen", role: "status" });
document.body.append(news);

/**
 * Tell screen readers what has happened.
 * @param {string} text
 */
function announce(text) {
  news.textContent = text;
}
