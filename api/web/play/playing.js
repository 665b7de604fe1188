// The screen of a game that has begun: its parts, and whether they show the newest state or an earlier one.

/** @import { State } from "openapi" */
/** @import { Replay } from "./replay.js" */
/** @import { Session } from "./session.js" */
/** @import { Change } from "../types.js" */

import { Actions } from "./actions.js";
import { Board } from "./board.js";
import { element, fill, keepFocus } from "./dom.js";
import { GameMenu } from "./gamemenu.js";
import { HistoryList } from "./history.js";
import { Milestones } from "./milestones.js";
import { attempt, showProblem } from "./notices.js";
import { Places } from "./places.js";
import { player } from "./people.js";
import { Scores } from "./scores.js";
import { seatOf } from "./words.js";

export class PlayPage {
  /** @type {Replay | null} */
  #replay = null;

  /** @param {Session} session */
  constructor(session) {
    this.session = session;
    /** @type {Change} */
    const change = (work) => this.change(work);
    this.status = element("h1", { class: "status", tabindex: "-1" });
    this.replayBox = element("div", { class: "replay-box" });
    this.actions = new Actions(session, change, (place) => this.board.explain(place));
    this.board = new Board(session, change);
    this.scores = new Scores();
    this.milestones = new Milestones();
    this.history = new HistoryList(session);
    this.places = new Places();
    this.menu = new GameMenu(session, change);
    this.element = this.#layout();
    addEventListener("hashchange", () => attempt(() => this.#visit()));
    if (location.hash) attempt(() => this.#visit());
  }

  #layout() {
    return element(
      "div",
      { class: "game" },
      element("div", { class: "stage" }, this.status, this.board.element, this.replayBox),
      element(
        "div",
        { class: "side" },
        this.actions.element,
        this.scores.element,
        this.milestones.element,
        this.history.element,
        this.menu.element,
      ),
      element("div", { class: "words" }, this.places.element),
    );
  }

  /** Show the newest state, unless the replay is open. */
  show() {
    const replay = this.#replay;
    if (replay) {
      attempt(() => replay.present());
      return;
    }
    this.history.update().catch(showProblem);
    this.render(this.session.state, true);
  }

  /**
   * @param {State} state
   * @param {boolean} live whether it is the newest state, in which moves are possible
   * @param {boolean} [step] whether it is one move away from the state before
   */
  render(state, live, step = false) {
    this.element.classList.toggle("past", !live);
    fill(this.status, ...statusOf(state));
    if (live) document.title = `${this.session.myTurn ? "● Your turn" : "Franchise"}: ${namesOf(state)}`;
    this.board.show(state, live, step);
    this.actions.show(state, live);
    this.scores.show(state, live);
    this.milestones.show(state).catch(showProblem);
    this.places.show(state);
    this.history.mark(live ? null : state.version);
    this.menu.show(state, live);
  }

  /**
   * Change the game, or show why the server refuses. The page is inert until the result is shown.
   * @type {Change}
   */
  async change(work) {
    const focusAgain = keepFocus(this.element, this.status);
    this.element.inert = true;
    try {
      await attempt(work);
      await this.board.ready;
    } finally {
      this.element.inert = false;
      focusAgain();
    }
  }

  /** Show the version in the address, or the newest state. */
  async #visit() {
    const [, version] = location.hash.match(/^#v=(\d+)$/) || [];
    if (!version) return this.#leavePast();
    const { Replay } = await import("./replay.js");
    if (!this.#replay) {
      this.#replay = new Replay(this);
      fill(this.replayBox, this.#replay.element);
    }
    return this.#replay.visit(Number(version));
  }

  #leavePast() {
    this.#replay?.close();
    this.#replay = null;
    fill(this.replayBox);
    if (this.session.isLoaded) this.render(this.session.state, true);
  }
}

/** @param {State} state */
function statusOf({ game }) {
  if (game.ending) return [game.ending.text];
  const turn = game.turn ? `Turn ${game.turn}: ` : "";
  if (game.to_play === null) return [game.phase_text];
  return [turn, player(seatOf(game, game.to_play)), element("span", { class: "phase" }, game.phase_text)];
}

/** @param {State} state */
const namesOf = ({ game }) => game.seats.map(({ name }) => name).join(", ");
