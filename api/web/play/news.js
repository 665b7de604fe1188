// The effects of the actions between two versions: the places where something happened, and the gains of the players.

/** @import { Effect, HistoryLine } from "openapi" */
/** @import { News } from "../types.js" */
/** @import { HistoryList } from "./history.js" */
/** @import { Session } from "./session.js" */

/**
 * Return the news between two versions. Own actions are news only where somebody has scored.
 * @param {HistoryList} history
 * @param {number} after
 * @param {number} last
 * @param {(line: HistoryLine) => boolean} [isOwn]
 * @returns {News}
 */
export function newsBetween(history, after, last, isOwn = () => false) {
  /** @type {News} */
  const news = { targets: new Set(), gains: [], players: new Map() };
  const { lines, openings } = history.between(after, last);
  for (const line of lines) for (const effect of line.effects) add(news, effect, isOwn(line));
  for (const effect of openings) add(news, effect, true);
  return news;
}

/** @param {News} news @param {Effect} effect @param {boolean} isOwn */
function add({ targets, gains, players }, { changes, targets: where }, isOwn) {
  const scored = changes.filter(({ influence }) => influence);
  if (!isOwn || scored.length) for (const target of where) targets.add(target);
  const [target] = where;
  if (target) gains.push(...scored.map(({ seat, influence }) => ({ target, seat, influence })));
  for (const { seat, money, influence } of changes) {
    const before = players.get(seat) ?? { money: 0, influence: 0 };
    players.set(seat, { money: before.money + money, influence: before.influence + influence });
  }
}

/**
 * Return whether a player at this browser took the action of a line.
 * @param {Session} session
 * @returns {(line: HistoryLine) => boolean}
 */
export function ownLines({ mySeats }) {
  return ({ seat, by }) => mySeats.includes(seat) && (by === "seat" || by === "host");
}
