// The entries of the lobby.

/** @import { GameEntry, TokenRole } from "openapi" */

import { element } from "./dom.js";
import { ago, listed, optionTexts } from "./words.js";

/**
 * @param {GameEntry} entry
 * @param {{ myTurn?: boolean, roles?: TokenRole[] }} [mine]
 */
export function entryItem(entry, { myTurn = false, roles = [] } = {}) {
  const names = entry.players.length ? listed(entry.players) : "No players yet";
  return element(
    "li",
    {},
    element(
      "a",
      { class: `card entry ${myTurn ? "my-turn" : ""}`, href: `/play/${entry.id}`, "data-focus": entry.id },
      element("span", { class: "title" }, names),
      element("span", { class: "meta" }, ...metaOf(entry)),
      element("span", { class: "badges" }, badges(entry, myTurn, roles)),
    ),
  );
}

/** @param {GameEntry} entry @param {boolean} myTurn @param {TokenRole[]} roles */
function badges(entry, myTurn, roles) {
  return [
    myTurn && element("strong", { class: "badge mine" }, "Your turn"),
    roles.length > 0 && roles.every((role) => role === "spectator") && badge("Spectator"),
    entry.forked_from && badge("Fork"),
    ...optionTexts(entry.options).map(badge),
  ];
}

/** @param {string} text */
const badge = (text) => element("span", { class: "badge" }, text);

/** @param {GameEntry} entry */
function metaOf(entry) {
  const time = element(
    "time",
    { datetime: entry.changed_at, title: new Date(entry.changed_at).toLocaleString() },
    ago(entry.changed_at),
  );
  return [progressOf(entry), " · ", time];
}

/** @param {GameEntry} entry */
function progressOf({ status, players, seats, winners, turn, to_play }) {
  if (status === "open") return `${players.length} of ${seats} seats taken`;
  if (status === "finished") return `${listed((winners || []).flatMap((seat) => players[seat] ?? []))} won`;
  const moment = turn ? `Turn ${turn}` : "Set-up";
  return to_play === null ? moment : `${moment} · ${players[to_play]} to play`;
}
