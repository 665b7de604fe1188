// The screen of a game that has begun: its parts, and whether they show the newest state or an earlier one.

/** @import { HistoryLine, State } from "openapi" */
/** @import { Ending } from "./ending.js" */
/** @import { Milestones } from "./milestones.js" */
/** @import { Replay } from "./replay.js" */
/** @import { Session } from "./session.js" */
/** @import { Change, News } from "../types.js" */

import { Actions } from "./actions.js";
import { Board } from "./board.js";
import { coalesced } from "./coalesced.js";
import { element, fill, keepFocus } from "./dom.js";
import { GameMenu } from "./gamemenu.js";
import { HistoryList, versionInAddress } from "./history.js";
import { newsBetween, ownLines } from "./news.js";
import { attempt, showProblem } from "./notices.js";
import { player, statusOf } from "./people.js";
import { Scores } from "./scores.js";
import { Telling } from "./telling.js";
import { seatOf } from "./words.js";

export class PlayPage {
  /** @type {Replay | null} */
  #replay = null;
  /** @type {Ending | null} */
  #ending = null;
  /**
   * The state that is shown.
   * @type {State | null}
   */
  #shown = null;
  /** The version after the last action that was told. */
  #told = 0;
  /** The version of the last decision or click at this browser: everything after it is news. */
  #seen = 0;
  /** Whether the next state shows an own decision. */
  #deciding = false;
  /** @type {Milestones | null} */
  #milestones = null;

  /** @param {Session} session */
  constructor(session) {
    this.session = session;
    /** @type {Change} */
    const change = (work) => this.change(work);
    this.status = element("h1", { class: "status", tabindex: "-1" });
    this.replayBox = element("div");
    this.plotBox = element("div");
    this.endingBox = element("div", { class: "ending-box", hidden: true });
    this.board = new Board(session, change);
    this.actions = new Actions(session, change, this.board);
    this.telling = new Telling();
    this.scores = new Scores();
    this.milestonesBox = element("div");
    this.history = new HistoryList(session);
    this.places = element("div", { class: "tables" });
    this.words = element(
      "details",
      { class: "card", ontoggle: () => this.#describe() },
      element("summary", {}, "The board in words"),
      this.places,
    );
    this.menu = new GameMenu(session, change);
    this.element = this.#layout();
    addEventListener("hashchange", () => attempt(() => this.#visit()));
    for (const name of ["click", "keydown"]) addEventListener(name, (event) => this.#noticed(event), true);
    if (location.hash) attempt(() => this.#visit());
  }

  #layout() {
    return element(
      "div",
      { class: "game full" },
      element(
        "div",
        { class: "column" },
        element(
          "div",
          { class: "stage" },
          element("div", { class: "bar" }, this.status, this.board.zoom),
          this.endingBox,
          this.board.element,
        ),
        this.plotBox,
      ),
      element(
        "div",
        { class: "side" },
        element("div", { class: "panel" }, this.replayBox, this.actions.element),
        this.scores.element,
        this.milestonesBox,
        this.history.element,
        this.menu.element,
      ),
      element("div", { class: "words" }, this.words),
    );
  }

  /** Show the newest state, unless the replay is open. Own decisions are shown at once, others' decisions are told. */
  show() {
    const replay = this.#replay;
    if (replay) {
      attempt(() => replay.present());
      return;
    }
    if (this.#deciding || !this.#shown) this.#present();
    this.#deciding = false;
    this.#follow()
      .catch((problem) => {
        this.#catchUp();
        showProblem(problem);
      })
      .finally(() => this.telling.rest());
  }

  #present() {
    this.telling.skip();
    this.render(this.session.state, true);
  }

  /** Show the newest state, unless it is shown or the replay is open. */
  #catchUp() {
    if (this.#replay || this.#shown === this.session.state) return;
    const focusAgain = keepFocus(this.element, this.status);
    this.#present();
    focusAgain();
  }

  /** Tell what others did until the newest state is shown, and mark what is new. */
  #follow = coalesced(async () => {
    await this.history.update();
    if (this.#replay) return;
    const { state } = this.session;
    const { lines } = this.history.between(Math.max(this.#told, this.#shown?.version ?? 0), state.version);
    const isWhole = await this.telling.tell(lines, (line) => this.#tell(line));
    if (this.#replay || (isWhole && this.session.state !== state)) return; // the next run tells what came meanwhile
    this.#catchUp();
    this.#seen ||= this.#lastDecision();
    const shown = this.session.state;
    this.scores.mark(this.#newsUntil(shown.version));
    this.board.ready.then(() => this.#shown === shown && this.board.markNews(this.#newsUntil(shown.version)));
  });

  /**
   * Show an action of somebody else.
   * @param {HistoryLine} line
   */
  #tell(line) {
    const { game } = this.session.state;
    const news = this.#newsUntil(line.version);
    this.#told = line.version;
    fill(this.status, `Turn ${line.turn}: `, player(seatOf(game, line.seat)));
    this.actions.tell(line);
    this.scores.tell(line);
    this.scores.mark(news);
    return this.board.tell(line, news);
  }

  /** @param {number} version */
  #newsUntil(version) {
    return newsBetween(this.history, this.#seen, version, ownLines(this.session));
  }

  /** Return the version after the last own action; spectators have seen everything. */
  #lastDecision() {
    const { mySeats, state } = this.session;
    const own = mySeats.length ? this.history.lines.findLast(ownLines(this.session)) : null;
    return own?.version ?? state.version;
  }

  /**
   * A click, or a key that presses something, shows that the player has noticed the news, unless it skips them.
   * @param {Event} event
   */
  #noticed(event) {
    if (!this.#shown || this.telling.isSkipped || this.#replay) return;
    if (event instanceof KeyboardEvent && event.key !== "Enter" && event.key !== " ") return;
    this.#seen = this.#shown.version;
    this.board.clearNews();
    this.scores.mark(null);
  }

  /**
   * @param {State} state
   * @param {boolean} live whether it is the newest state, in which moves are possible
   * @param {News | null} [news] to mark
   */
  render(state, live, news = null) {
    this.#shown = state;
    this.element.classList.toggle("past", !live);
    fill(this.status, ...statusOf(state));
    this.board.show(state, live, news);
    this.actions.show(state, live);
    const over = live && Boolean(state.game.ending);
    this.scores.show(state, live, !over);
    this.scores.mark(news);
    attempt(() => this.#showMilestones(state));
    attempt(() => this.#describe());
    this.history.mark(live ? null : state.version);
    this.menu.show(state, live);
    if (over) attempt(() => this.#end(state));
    else this.endingBox.hidden = true;
  }

  /** @param {State} state */
  async #showMilestones(state) {
    if (!state.board.milestones.length) return;
    const { Milestones } = await import("./milestones.js");
    this.#milestones ||= new Milestones();
    if (!this.milestonesBox.hasChildNodes()) fill(this.milestonesBox, this.#milestones.element);
    await this.#milestones.show(state);
  }

  /** Show the board in words, if the player has opened them. */
  async #describe() {
    if (!this.words.open) return;
    const { boardTables } = await import("./places.js");
    if (this.#shown) fill(this.places, boardTables(this.#shown));
  }

  /** @param {State} state */
  async #end(state) {
    const { Ending, style } = await import("./ending.js");
    await style;
    if (this.#shown !== state) return;
    this.#ending ||= new Ending(this);
    if (!this.endingBox.hasChildNodes()) fill(this.endingBox, this.#ending.element);
    this.endingBox.hidden = false;
    await this.#ending.show(state);
  }

  /**
   * Change the game, or show why the server refuses. The page is inert until the result is shown.
   * @type {Change}
   */
  async change(work) {
    const focusAgain = keepFocus(this.element, this.status);
    this.element.inert = true;
    this.#deciding = true;
    try {
      await attempt(work);
      await this.board.ready;
    } finally {
      this.#deciding = false;
      this.element.inert = false;
      focusAgain();
    }
  }

  /** Show the version in the address, or the newest state. */
  async #visit() {
    const version = versionInAddress();
    if (version === null) return this.#leavePast();
    const { Replay } = await import("./replay.js");
    if (!this.#replay) {
      this.#replay = new Replay(this);
      fill(this.replayBox, this.#replay.element);
      fill(this.plotBox, this.#replay.plot.element);
      this.telling.skip();
    }
    return this.#replay.visit(version);
  }

  #leavePast() {
    this.#replay?.close();
    this.#replay = null;
    fill(this.replayBox);
    fill(this.plotBox);
    this.#shown = null;
    if (this.session.isLoaded) this.show();
  }
}
