// Buttons that copy commands, examples and responses.

import { button, element } from "./dom.js";

const SHOWN_FOR = 2000;

/**
 * Add a button to every command and example.
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
 * Copy a text, or select it where pages may not write to the clipboard, such as without HTTPS.
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
 * Announce a text to screen readers.
 * @param {string} text
 */
function announce(text) {
  news.textContent = text;
}
