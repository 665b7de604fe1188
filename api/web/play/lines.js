// A game as a line of a list.

/** @import { GameEntry, TokenRole } from "openapi" */

import { element } from "./dom.js";
import { ago, listed, optionTexts } from "./words.js";

/**
 * Make the item of a list for a game.
 * @param {GameEntry} line
 * @param {{ myTurn?: boolean, roles?: TokenRole[] }} [mine]
 */
export function lineItem(line, { myTurn = false, roles = [] } = {}) {
  const names = line.players.length ? listed(line.players) : "No players yet";
  return element(
    "li",
    {},
    element(
      "a",
      { class: `card line ${myTurn ? "my-turn" : ""}`, href: `/play/${line.id}`, "data-focus": line.id },
      element("span", { class: "title" }, names),
      element("span", { class: "meta" }, ...metaOf(line)),
      element("span", { class: "badges" }, badges(line, myTurn, roles)),
    ),
  );
}

/** @param {GameEntry} line @param {boolean} myTurn @param {TokenRole[]} roles */
function badges(line, myTurn, roles) {
  return [
    myTurn && element("strong", { class: "badge mine" }, "Your turn"),
    roles.length > 0 && roles.every((role) => role === "spectator") && badge("Spectator"),
    line.forked_from && badge("Fork"),
    ...optionTexts(line.options).map(badge),
  ];
}

/** @param {string} text */
const badge = (text) => element("span", { class: "badge" }, text);

/** @param {GameEntry} line */
function metaOf(line) {
  const time = element(
    "time",
    { datetime: line.changed_at, title: new Date(line.changed_at).toLocaleString() },
    ago(line.changed_at),
  );
  return [progressOf(line), " · ", time];
}

/** @param {GameEntry} line */
function progressOf({ status, players, seats, winners, turn, to_play }) {
  if (status === "open") return `${players.length} of ${seats} seats taken`;
  if (status === "finished") return `${listed((winners || []).flatMap((seat) => players[seat] ?? []))} won`;
  const moment = turn ? `Turn ${turn}` : "Set-up";
  return to_play === null ? moment : `${moment} · ${players[to_play]} to play`;
}
