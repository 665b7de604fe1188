// The screen of a game that has begun: its parts, and whether they show the newest state or an earlier one.

/** @import { HistoryLine, State } from "openapi" */
/** @import { Ending } from "./ending.js" */
/** @import { Replay } from "./replay.js" */
/** @import { Session } from "./session.js" */
/** @import { Change, News } from "../types.js" */

import { Actions } from "./actions.js";
import { Board } from "./board.js";
import { coalesced } from "./coalesced.js";
import { element, fill, keepFocus } from "./dom.js";
import { GameMenu } from "./gamemenu.js";
import { HistoryList } from "./history.js";
import { Milestones } from "./milestones.js";
import { newsBetween, ownLines } from "./news.js";
import { attempt, showProblem } from "./notices.js";
import { Places } from "./places.js";
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
  /** The version of the last decision or click at this browser: everything after it is news. */
  #seen = 0;
  /** Whether the next state shows an own decision. */
  #deciding = false;

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
    this.milestones = new Milestones();
    this.history = new HistoryList(session);
    this.places = new Places();
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
        this.milestones.element,
        this.history.element,
        this.menu.element,
      ),
      element("div", { class: "words" }, this.places.element),
    );
  }

  /** Show the newest state, unless the replay is open. Own decisions are shown at once, those of others are told. */
  show() {
    const replay = this.#replay;
    if (replay) {
      attempt(() => replay.present());
      return;
    }
    if (this.#deciding || !this.#shown) this.#present();
    this.#deciding = false;
    this.#follow()
      .catch(showProblem)
      .finally(() => this.telling.rest());
  }

  #present() {
    this.telling.skip();
    this.render(this.session.state, true);
  }

  /** Tell what others did until the newest state is shown, and mark what is new. */
  #follow = coalesced(async () => {
    await this.history.update();
    const before = this.#shown?.version ?? 0;
    const { lines } = this.history.between(before, this.session.state.version);
    await this.telling.tell(lines, (line) => this.#tell(line));
    if (this.#replay) return;
    if (this.#shown !== this.session.state) this.#present();
    this.#seen ||= this.#lastDecision();
    const news = this.#newsUntil(this.session.state.version);
    this.board.ready.then(() => this.board.markNews(news));
    this.scores.mark(news);
  });

  /**
   * Show an action of somebody else.
   * @param {HistoryLine} line
   */
  #tell(line) {
    const { game } = this.session.state;
    const news = this.#newsUntil(line.version);
    fill(this.status, `Turn ${line.turn}: `, player(seatOf(game, line.seat)));
    this.actions.tell(line);
    this.scores.tell(line.players);
    this.scores.mark(news);
    return this.board.tell(line.version, news);
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
   * A click, or a key that presses something, shows that the player has noticed the news.
   * @param {Event} event
   */
  #noticed(event) {
    if (!this.#shown || this.telling.isRunning || this.#replay) return;
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
    this.milestones.show(state).catch(showProblem);
    this.places.show(state);
    this.history.mark(live ? null : state.version);
    this.menu.show(state, live);
    if (over) attempt(() => this.#end(state));
    else this.endingBox.hidden = true;
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
    const [, version] = location.hash.match(/^#v=(\d+)$/) || [];
    if (!version) return this.#leavePast();
    const { Replay } = await import("./replay.js");
    if (!this.#replay) {
      this.#replay = new Replay(this);
      fill(this.replayBox, this.#replay.element);
      fill(this.plotBox, this.#replay.plot.element);
    }
    return this.#replay.visit(Number(version));
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
