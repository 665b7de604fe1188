// The end of a game: one table with the influence of all players by source, what decided it, and how to go on.

/** @import { PlayerScore, State } from "openapi" */
/** @import { PlayPage } from "./playing.js" */
/** @import { Child, Game, Reached } from "../types.js" */

import { button, element, fill, loadStyle } from "./dom.js";
import { attempt } from "./notices.js";
import { chip } from "./people.js";
import { Plot } from "./plot.js";
import { downloadRecord } from "./records.js";
import { rematchControl } from "./rematch.js";
import { ranked, SOURCES } from "./scores.js";
import { undoControls } from "./undo.js";
import { counted, listed, nameOf, seatOf } from "./words.js";

export const style = loadStyle("./ending.css");

export class Ending {
  /** The version whose curve is shown. */
  #version = 0;

  /** @param {PlayPage} page */
  constructor({ session, change }) {
    this.session = session;
    this.change = change;
    this.plot = new Plot(session, (version) => {
      location.hash = `#v=${version}`;
    });
    this.lead = element("p");
    this.table = element("div", { class: "final", role: "group", "aria-label": "Final count", tabindex: "0" });
    this.decision = element("p");
    this.ways = element("div");
    this.element = element(
      "section",
      { class: "card ending", "aria-labelledby": "ending-title" },
      element(
        "div",
        { class: "outcome" },
        element("h2", { id: "ending-title" }, "Game over"),
        this.lead,
        this.decision,
      ),
      this.table,
      this.plot.element,
      this.ways,
    );
  }

  /** @param {State} state */
  async show({ game, scores: { players, winners }, version }) {
    const order = ranked(players, winners);
    fill(this.table, finalTable(order, game, winners ?? []));
    fill(this.ways, element("div", { class: "buttons" }, this.#ways(game)), undoControls(this.session, this.change));
    const [winner, second] = game.ending?.decided_by === "influence" ? order : [];
    fill(this.lead, winner && second && leadText(winner, second, game));
    if (this.#version === version) return;
    await this.plot.load();
    this.#version = version;
    fill(this.decision, winner && decision(winner.seat, this.plot.reached, game));
  }

  /** @param {State["game"]} game */
  #ways(game) {
    return [
      rematchControl(this.session, game),
      element("a", { class: "button", href: "/play#new" }, "New table"),
      element("a", { class: "button", href: `#v=${game.version}` }, "Watch the replay"),
      button("Save record", () => attempt(() => downloadRecord(this.session)), { "data-focus": "save" }),
    ];
  }
}

/**
 * Make a table with a column for each player and a row for each source of influence.
 * @param {PlayerScore[]} players
 * @param {Game} game
 * @param {number[]} winners
 */
function finalTable(players, game, winners) {
  const rows = SOURCES.map(([source, text]) =>
    row(
      text,
      players.map((player) => [player.influence_from[source], " ", countOf(player, source)]),
    ),
  );
  return element(
    "table",
    {},
    element("caption", { class: "unseen" }, "Final count in influence points (IP)"),
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        element("th", { scope: "col" }, "IP"),
        players.map(({ seat }) => playerHead(seatOf(game, seat), winners.includes(seat))),
      ),
    ),
    element("tbody", {}, rows),
    element(
      "tfoot",
      {},
      row(
        "Total",
        players.map(({ influence }) => influence),
      ),
    ),
  );
}

/** @param {Game["seats"][number]} seat @param {boolean} won */
const playerHead = (seat, won) =>
  element(
    "th",
    { scope: "col", title: seat.name },
    chip(seat),
    element("span", { class: "name" }, seat.name),
    won && element("span", { class: "won" }, " won"),
  );

/** @param {string} text @param {Child[]} cells */
const row = (text, cells) =>
  element(
    "tr",
    {},
    element("th", { scope: "row" }, text),
    cells.map((cell) => element("td", {}, cell)),
  );

/**
 * Show the money or the bonus tiles that the final count has turned into influence.
 * @param {PlayerScore} player
 * @param {(typeof SOURCES)[number][0]} source
 */
function countOf({ final }, source) {
  if (source === "dollars" && final?.dollars) return element("small", {}, `$${final.dollars}`);
  if (source === "bonus_tiles" && final?.bonus_tiles) return element("small", {}, counted(final.bonus_tiles, "tile"));
  return null;
}

/**
 * Say by how much the winner leads, and which source made the largest difference.
 * @param {PlayerScore} winner
 * @param {PlayerScore} second
 * @param {Game} game
 */
function leadText(winner, second, game) {
  /** @param {(typeof SOURCES)[number]} source */
  const ahead = ([source]) => winner.influence_from[source] - second.influence_from[source];
  const [most] = [...SOURCES].sort((a, b) => ahead(b) - ahead(a));
  if (!most) return null;
  const [source, text] = most;
  const [more, less] = [winner, second].map((player) => player.influence_from[source]);
  const margin = `${nameOf(game, winner.seat)} won by ${winner.influence - second.influence} IP over ${nameOf(game, second.seat)}.`;
  return `${margin} The largest difference: ${text.toLowerCase()}, ${more} to ${less}.`;
}

/**
 * Name the last change of the lead, with a link to it.
 * @param {number} winner
 * @param {Reached[]} reached
 * @param {Game} game
 */
function decision(winner, reached, game) {
  /** @type {{ at: Reached, before: number | undefined } | null} */
  let change = null;
  let leader;
  for (const at of reached) {
    const [first, ...others] = leadersOf(at);
    if (first === undefined || others.length || first === leader) continue;
    change = { at, before: leader };
    leader = first;
  }
  if (!change || leader !== winner) return null;
  const { at, before } = change;
  const name = nameOf(game, winner);
  if (at === reached.at(-1)) {
    const led = leadersOf(/** @type {Reached} */ (reached.at(-2))).map((seat) => nameOf(game, seat));
    return `The final count decided the game. Before it, ${listed(led)} led.`;
  }
  const turn = element("a", { href: `#v=${at.version}` }, `Turn ${at.turn}`);
  const text = before === undefined ? `${name} took the lead.` : `${name} took the lead from ${nameOf(game, before)}.`;
  return [turn, ` decided the game: ${text}`];
}

/**
 * Return the seats with the most influence.
 * @param {Reached} reached
 */
function leadersOf({ influence }) {
  const most = Math.max(...influence.values());
  return [...influence].flatMap(([seat, each]) => (each === most ? [seat] : []));
}
