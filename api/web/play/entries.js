// The entries of the lobby.

/** @import { GameEntry, TokenRole } from "openapi" */

import { countdown, relativeTime } from "./clock.js";
import { element } from "./dom.js";
import { listed, optionTexts, waited } from "./words.js";

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
      element("span", { class: "meta" }, ...metaOf(entry, roles.length > 0, myTurn)),
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
    entry.imported_from && badge("Import"),
    ...optionTexts(entry.options).map(badge),
  ];
}

/** @param {string} text */
const badge = (text) => element("span", { class: "badge" }, text);

/** @param {GameEntry} entry @param {boolean} mine @param {boolean} myTurn */
function metaOf(entry, mine, myTurn) {
  const { waiting_since, deadline, to_play, players } = entry;
  if (mine && deadline) return [progressOf(entry), " · ", countdown(deadline)];
  if (mine && !myTurn && waiting_since && to_play !== null)
    return [`${momentOf(entry)} · waiting for ${players[to_play]} `, relativeTime(waiting_since, waited)];
  return [progressOf(entry), " · ", relativeTime(entry.changed_at)];
}

/** @param {GameEntry} entry */
const momentOf = ({ turn }) => (turn ? `Turn ${turn}` : "Set-up");

/** @param {GameEntry} entry */
function progressOf(entry) {
  const { status, players, seats, winners, to_play } = entry;
  if (status === "open") return `${players.length} of ${seats} seats taken`;
  if (status === "finished") return `${listed((winners || []).flatMap((seat) => players[seat] ?? []))} won`;
  return to_play === null ? momentOf(entry) : `${momentOf(entry)} · ${players[to_play]} to play`;
}
