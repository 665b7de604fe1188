// The page at `/embed/{game}`: a public game to look at in a frame of any page, without tokens and without actions.

/** @import { State } from "openapi" */
/** @import { Child, News, Tokens } from "../types.js" */

import { Problem } from "./api.js";
import { Board } from "./board.js";
import { button, element, fill, find } from "./dom.js";
import { HistoryList, versionInAddress } from "./history.js";
import { attempt, showConnection } from "./notices.js";
import { namesOf, player, statusOf } from "./people.js";
import { Replay } from "./replay.js";
import { Scores } from "./scores.js";
import { Session } from "./session.js";

const PRIVATE = "This game is private.";

/** A game without the tokens of this browser: they show nothing and do nothing in a frame of another page. */
class PublicSession extends Session {
  /**
   * @override
   * @returns {Tokens}
   */
  get tokens() {
    return { seats: {} };
  }

  /** @override */
  get reading() {
    return { token: undefined };
  }
}

/** The screen of a game: the newest state while the replay is at its end, an earlier one otherwise. */
class EmbedPage {
  /** @type {Promise<void> | null} */
  #opened = null;
  #follows = true;

  /** @param {PublicSession} session */
  constructor(session) {
    this.session = session;
    this.status = element("h1", { class: "status" });
    this.board = new Board(session, async () => {});
    this.board.frame.classList.replace("large", "fit"); // the whole board, however small the frame is
    this.link = find("#open");
    this.scores = new Scores();
    this.history = new HistoryList(session);
    this.replay = new Replay(this);
    this.side = element("div", { class: "side" }, this.scores.element, this.history.element);
    this.element = element(
      "div",
      { class: "game" },
      element(
        "div",
        { class: "stage" },
        element("div", { class: "bar" }, this.status, this.board.zoom),
        this.board.element,
        this.replay.element,
      ),
      this.side,
    );
    addEventListener("hashchange", () => this.#opened && attempt(() => this.#visit()));
  }

  /** Show the newest state, unless an earlier one was chosen. */
  async update() {
    const { game, version } = this.session.state;
    this.replay.element.hidden = this.side.hidden = game.status === "open";
    if (game.status === "open") this.render(this.session.state, true);
    else if (this.#opened) await this.#append(version);
    else await this.#open();
  }

  /** Open the replay at the version in the address, or at the end. */
  async #open() {
    if (!versionInAddress()) this.render(this.session.state, true);
    this.#opened = this.#visit();
    try {
      await this.#opened;
    } catch (error) {
      this.#opened = null;
      throw error;
    }
  }

  /**
   * Add the moves since the last state.
   * @param {number} version the newest one
   */
  async #append(version) {
    await this.#opened;
    await this.replay.present();
    if (this.#follows || this.replay.isAtEnd) await this.replay.visit(version);
  }

  #visit() {
    return this.replay.visit(versionInAddress() ?? this.session.state.version);
  }

  /**
   * @param {State} state
   * @param {boolean} live
   * @param {News | null} [news] to mark
   */
  render(state, live, news = null) {
    this.#follows = live || this.replay.isAtEnd;
    const shown = this.#follows ? this.session.state : state;
    const page = `/play/${this.session.id}`;
    if (this.#follows) history.replaceState(history.state, "", location.pathname);
    this.link.hidden = false;
    this.link.setAttribute("href", this.#follows ? page : `${page}#v=${shown.version}`);
    this.element.classList.toggle("past", !this.#follows);
    fill(this.status, ...statusOf(shown), shown.game.status === "open" && shown.game.seats.map((seat) => player(seat)));
    this.board.show(shown, this.#follows, news);
    this.scores.show(shown, this.#follows);
    this.scores.mark(news);
    this.history.mark(this.#follows ? null : shown.version);
  }
}

const main = find("#main");
const session = new PublicSession((location.pathname.split("/")[2] || "").toLowerCase());
const page = new EmbedPage(session);

async function open() {
  try {
    const { game } = await session.load();
    if (game.status !== "finished") await session.follow(showConnection, refused);
  } catch (problem) {
    refused(problem);
  }
}

function show() {
  document.title = `Franchise: ${namesOf(session.state)}`;
  if (!page.element.isConnected) fill(main, page.element);
  attempt(() => page.update());
}

/**
 * Explain why the game cannot be shown.
 * @param {unknown} problem
 */
function refused(problem) {
  if (!(problem instanceof Problem)) throw problem;
  if ([401, 403].includes(problem.status)) explain(PRIVATE);
  else if (problem.status === 404) explain(problem.detail);
  else explain(problem.text, button("Try again", open));
}

/** @param {string} text @param {Child} [more] */
function explain(text, more) {
  page.link.hidden = true;
  fill(main, element("p", { class: "note" }, text, more));
}

session.addEventListener("state", show);
addEventListener("pagehide", () => session.close());
addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
open();
