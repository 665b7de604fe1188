// The players with their money and influence, and the sources of every point.

/** @import { Earned, HistoryLine, PlayerScore, SeatAtTable, State, Summary } from "openapi" */
/** @import { Child, News } from "../types.js" */

import { clock } from "./clock.js";
import { element, fill, find } from "./dom.js";
import { chip, timeOf } from "./people.js";
import { counted, duration, seatOf, secondsSince } from "./words.js";

/** @type {[source: keyof Earned, text: string][]} */
export const SOURCES = [
  ["cities", "Scored cities"],
  ["regions", "Ranks in regions"],
  ["region_track", "Region track"],
  ["towns", "Towns"],
  ["dollars", "Money left"],
  ["bonus_tiles", "Bonus tiles left"],
];

export class Scores {
  constructor() {
    this.body = element("div", { class: "scores" });
    this.element = element(
      "section",
      { class: "card", "aria-labelledby": "scores-title" },
      element("h2", { id: "scores-title" }, "Players"),
      this.body,
    );
  }

  /**
   * @param {State} state
   * @param {boolean} live
   * @param {boolean} [sources] whether to show the sources of influence; at the end, one table has those of all players
   */
  show({ scores: { players, winners }, game }, live, sources = true) {
    fill(
      this.body,
      ranked(players, winners).map((each) => playerCard(each, game, live, sources)),
    );
  }

  /**
   * Show the figures after an action on the way to the newest state, and whose action it was.
   * @param {HistoryLine} line
   */
  tell({ players, seat: acting }) {
    for (const card of this.body.children)
      card.classList.toggle("current", card.matches(`[data-focus="score-${acting}"]`));
    for (const { seat, money, influence } of players) {
      this.#figure("money", seat).textContent = `$${money}`;
      this.#figure("influence", seat).textContent = `${influence} IP`;
    }
  }

  /**
   * Mark the figures that have changed, and by how much.
   * @param {News | null} news
   */
  mark(news) {
    for (const each of this.body.querySelectorAll("[data-change]")) each.removeAttribute("data-change");
    for (const [seat, { money, influence }] of news?.players ?? []) {
      if (money) this.#figure("money", seat).dataset.change = signed(money);
      if (influence) this.#figure("influence", seat).dataset.change = signed(influence);
    }
  }

  /** @param {"money" | "influence"} name @param {number} seat */
  #figure(name, seat) {
    return find(`[data-figure="${name}-${seat}"]`, this.body);
  }
}

/**
 * Order players by seat during the game. After it winners come first, then others by influence, then those who resigned.
 * @param {PlayerScore[]} players
 * @param {number[] | null} winners
 */
export function ranked(players, winners) {
  if (!winners) return players;
  /** @param {PlayerScore} player */
  const group = ({ seat, resigned }) => (winners.includes(seat) ? 0 : resigned ? 2 : 1);
  return [...players].sort((a, b) => group(a) - group(b) || b.influence - a.influence);
}

/** @param {PlayerScore} score @param {Summary} game @param {boolean} live @param {boolean} sources */
function playerCard(score, game, live, sources) {
  const seat = seatOf(game, score.seat);
  const current = game.to_play === score.seat;
  return element(
    "details",
    {
      class: `score ${current ? "current" : ""} ${score.resigned ? "resigned" : ""}`,
      "data-focus": `score-${score.seat}`,
    },
    element(
      "summary",
      { "data-focus": `summary-${score.seat}` },
      chip(seat),
      element(
        "span",
        { class: "name" },
        seat.name,
        game.ending?.winners.includes(score.seat) && element("span", { class: "badge mine" }, "winner"),
        seat.bot && element("span", { class: "badge" }, "bot"),
      ),
      figure(`$${score.money}`, "dollars", `money-${score.seat}`),
      figure(`${score.influence} IP`, "influence points", `influence-${score.seat}`),
      current && element("span", { class: "unseen" }, "to play"),
      live && !game.ending && absence(seat, game),
    ),
    sources && sourcesTable(score),
    element("dl", { class: "facts" }, facts(score, timeUsed(seat, current && live ? game.waiting_since : null))),
  );
}

/**
 * Say that a bot plays for a player, or how much time the player has left.
 * @param {SeatAtTable} seat
 * @param {Summary} game
 */
const absence = (seat, game) =>
  seat.stand_in ? element("small", {}, `a bot plays for ${seat.name}`) : timeOf(game, seat);

/** @param {string} text @param {string} title @param {string} name */
const figure = (text, title, name) => element("span", { class: "figure", title, "data-figure": name }, text);

/** @param {number} change */
const signed = (change) => (change > 0 ? `+${change}` : `−${-change}`);

/** @param {PlayerScore} score */
function sourcesTable({ influence_from: from, influence }) {
  const rows = SOURCES.filter(([source]) => from[source]).map(([source, text]) => row(text, `${from[source]} IP`));
  return table("Sources of influence", [...rows, row("Total", `${influence} IP`)]);
}

/** @param {string} caption @param {Element[]} rows */
const table = (caption, rows) => element("table", {}, element("caption", {}, caption), element("tbody", {}, rows));
/** @param {string} text @param {string} value */
const row = (text, value) => element("tr", {}, element("th", { scope: "row" }, text), element("td", {}, value));

/**
 * Show how long a player has had to decide so far.
 * @param {SeatAtTable} seat
 * @param {string | null} since the beginning of the running wait, if any
 */
function timeUsed({ seconds_used }, since) {
  return since ? clock("span", {}, () => duration(seconds_used + secondsSince(since))) : duration(seconds_used);
}

/** @param {PlayerScore} score @param {Child} time */
function facts(score, time) {
  const tiles = [score.development_tile && "Development", score.route_tile && "Route"].filter(Boolean).join(", ");
  const all = [
    !score.final && [
      "Next income",
      `$${score.next_income.dollars} for ${counted(score.next_income.free_spaces, "free space")}`,
    ],
    ["Supply", score.supply],
    ["Towns", score.towns],
    ["Bonus tiles", `${score.bonus_tiles} left, ${score.bonus_tiles_used} used`],
    score.bonus_reserve > 0 && ["In reserve", score.bonus_reserve],
    tiles && ["Tiles", tiles],
    ["Time used", time],
    score.resigned && ["Resigned", "yes"],
  ];
  return all
    .filter(Boolean)
    .map(([term, text]) => element("div", {}, element("dt", {}, term), element("dd", {}, text)));
}
