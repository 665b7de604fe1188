// Records: import one from a file, save one to a file.

/** @import { Session } from "./session.js" */

import { post, send } from "./api.js";
import { element, field } from "./dom.js";
import { attempt, notify } from "./notices.js";
import { goTo, keepCreated } from "./tokens.js";

/** Make a zone that takes a record file, dropped or chosen. */
export function recordDrop() {
  const file = element("input", { type: "file", accept: ".json,application/json" });
  const zone = element(
    "div",
    { class: "drop" },
    field("Record file", file, "Drop a file here, or choose one. The server verifies every move in it."),
  );
  /** @param {FileList | null | undefined} files */
  const take = (files) => {
    const chosen = files?.[0];
    if (chosen) attempt(() => importRecord(chosen));
  };
  /** @param {boolean} over @returns {(event: DragEvent) => void} */
  const mark = (over) => (event) => {
    event.preventDefault();
    zone.classList.toggle("over", over);
  };
  file.addEventListener("change", () => {
    take(file.files);
    file.value = ""; // so that the same file can be chosen again after a correction
  });
  zone.addEventListener("dragover", mark(true));
  zone.addEventListener("dragleave", mark(false));
  zone.addEventListener("drop", (event) => {
    mark(false)(event);
    take(event.dataTransfer?.files);
  });
  return zone;
}

/** @param {File} file */
async function importRecord(file) {
  const text = await file.text().catch(() => null);
  if (text === null) notify("This file cannot be read.", "problem");
  else goTo(`/play/${keepCreated(await post("/v1/records", text))}`);
}

/** @param {Session} session */
export async function downloadRecord(session) {
  const response = await send("GET", `${session.path}/record`, session.reading);
  const address = URL.createObjectURL(await response.blob());
  element("a", { href: address, download: `franchise-${session.id}.json` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
