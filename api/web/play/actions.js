// The panel of the player to move: advice, actions without a place on the board, a hint, and all actions as a list.

/** @import { Action, BoardView, Hint, HistoryLine, LegalMove, LegalMoves, State } from "openapi" */
/** @import { Board } from "./board.js" */
/** @import { Session } from "./session.js" */
/** @import { Attributes, Change } from "../types.js" */

import { adviceTexts } from "./advice.js";
import { get } from "./api.js";
import { relativeTime } from "./clock.js";
import { confirmed } from "./dialogs.js";
import { button, element, field, fill, keepFocus, pair, select } from "./dom.js";
import { attempt } from "./notices.js";
import { player, timeOf } from "./people.js";
import { undoControls } from "./undo.js";
import { counted, seatOf, waited } from "./words.js";

const NOTHING_SCORES = "If you end the turn now, nothing scores.";
const END = "End the turn";

export class Actions {
  /** @type {Hint | null} */
  #hint = null;
  /** The turn in which the player was asked whether it may end. */
  #askedIn = 0;

  /**
   * @param {Session} session
   * @param {Change} change
   * @param {Board} board
   */
  constructor(session, change, board) {
    this.session = session;
    this.change = change;
    this.board = board;
    this.element = element("section", { class: "card actions", "aria-label": "Your turn" });
    this.absence = element("div", { class: "absence" });
  }

  /** @param {State} state @param {boolean} live */
  show(state, live) {
    const shown = live && state.game.status === "playing";
    this.element.hidden = !shown;
    if (this.#hint?.version !== state.version) this.#hint = null;
    this.element.style.minHeight = "";
    if (!shown) return;
    fill(this.element, this.absence, this.#contents(state));
    if (state.game.options.turn_limit) attempt(() => this.#showAbsence());
  }

  /**
   * Show an action of somebody else until the next one, or until a click or key: what it scored, or else what it was.
   * @param {HistoryLine} line
   */
  tell({ seat, effects }) {
    const scored = effects.filter(({ changes }) => changes.some(({ influence }) => influence));
    const skip = button("Skip", () => {}, { "data-focus": "skip" });
    const focusAgain = keepFocus(this.element, skip);
    this.element.style.minHeight = `${this.element.offsetHeight}px`;
    fill(
      this.element,
      element("h2", {}, player(seatOf(this.session.state.game, seat))),
      (scored.length ? scored : effects.slice(0, 1)).map(({ text }) => element("p", {}, text)),
      element("div", { class: "buttons" }, skip),
    );
    focusAgain();
  }

  async #showAbsence() {
    const { Absence } = await import("./absence.js");
    fill(this.absence, new Absence(this.session, this.change).notes);
  }

  /** @param {State} state */
  #contents(state) {
    const { to_play } = state.game;
    if (to_play === null || !this.session.myTurn)
      return [this.#waiting(state), undoControls(this.session, this.change)];
    const { items } = state.legal_moves;
    const seat = seatOf(state.game, to_play);
    const time = timeOf(state.game, seat);
    return [
      element("h2", {}, "Your turn: ", player(seat), time && [" ", time]),
      element(
        "ul",
        { class: "advice quiet" },
        adviceTexts(state).map((text) => element("li", {}, text)),
      ),
      endOfTurn(state),
      this.#hintNote(),
      element("div", { class: "buttons" }, this.#withoutTarget(items)),
      undoControls(this.session, this.change),
      items.length > 1 && this.#all(items),
      this.#whyNot(state),
    ];
  }

  /** @param {State} state */
  #waiting({ game }) {
    if (game.to_play === null) return element("h2", {}, "One moment");
    const seat = seatOf(game, game.to_play);
    if (seat.bot || seat.stand_in) return element("h2", {}, "Thinking: ", player(seat));
    const wait = timeOf(game, seat) || (game.waiting_since && relativeTime(game.waiting_since, waited));
    return element("h2", {}, "Waiting for ", player(seat), " ", wait);
  }

  /** @param {LegalMove} move @param {Attributes} attributes */
  #button(move, attributes) {
    return button(move.text, () => (isEnd(move) ? this.#end(move) : this.#play(move.action)), attributes);
  }

  /**
   * Make buttons for the moves without a place on the board. The end of the turn comes last, and is the main button only
   * if nothing can be done on the board.
   * @param {LegalMove[]} items
   */
  #withoutTarget(items) {
    const open = items.some(({ targets }) => targets.length);
    /** @param {LegalMove} move */
    const attributes = (move) => ({ class: isEnd(move) && !open ? "primary" : "", "data-focus": move.action.type });
    const moves = items.filter(({ targets }) => !targets.length).map((move) => this.#button(move, attributes(move)));
    const end = items.findIndex(isEnd) < 0 ? [] : moves.splice(-1);
    return [moves, this.session.state.game.options.hints && this.#hintButton(), end];
  }

  /**
   * End the turn. Ask once in a turn before something useful is given away.
   * @param {LegalMove} move
   */
  async #end({ action }) {
    const { legal_moves: moves, board } = this.session.state;
    const lost = this.#askedIn === moves.turn ? null : chanceLost(moves, board);
    this.#askedIn = moves.turn;
    if (!lost || (await confirmed([lost, moves.end_of_turn?.text || NOTHING_SCORES], END))) await this.#play(action);
  }

  /** @param {Action} action */
  #play(action) {
    return this.change(() => this.session.move(action));
  }

  /** @param {LegalMove[]} items */
  #all(items) {
    const list = items.map((move) => element("li", {}, this.#button(move, { class: "quiet move" })));
    return element(
      "details",
      { "data-focus": "all-actions" },
      element("summary", {}, `All ${counted(items.length, "action")} as a list`),
      element("ul", { class: "moves" }, list),
    );
  }

  /**
   * Let people without a mouse ask why nothing can be done at a place, as a click on it does.
   * @param {State} state
   */
  #whyNot({ board: { places }, legal_moves: { items, phase } }) {
    if (phase === "region_tiles") return null;
    const targets = new Set(items.flatMap((move) => move.targets));
    const others = places.filter(({ id }) => !targets.has(id)).sort((a, b) => a.name.localeCompare(b.name));
    const place = select(
      others.map(({ id, name }) => pair(id, name)),
      { id: "refused-place" },
    );
    return element(
      "details",
      { "data-focus": "why-not" },
      element("summary", {}, "Why not another place?"),
      element(
        "div",
        { class: "why-not" },
        field("Place", place),
        button("Explain", () => this.board.explain(place.value), { "data-focus": "say-why-not" }),
      ),
    );
  }

  #hintButton() {
    return button("Hint", () => attempt(() => this.#ask()), { "data-focus": "hint" });
  }

  async #ask() {
    this.#hint = await get(`${this.session.path}/hint`, this.session.reading);
    this.show(this.session.state, true);
    this.board.hint(this.#hint.action);
  }

  #hintNote() {
    if (!this.#hint) return null;
    const { text, why, action } = this.#hint;
    return element(
      "div",
      { class: "note", role: "status" },
      element("p", {}, element("strong", {}, text), `. ${why}`),
      button("Do it", () => this.#play(action), { "data-focus": "do-it" }),
    );
  }
}

/** @param {State} state */
function endOfTurn({ legal_moves: { end_of_turn: end } }) {
  if (!end) return null;
  if (!end.text) return element("p", { class: "quiet" }, NOTHING_SCORES);
  return element(
    "div",
    { class: "end-of-turn" },
    element("h3", {}, "If you end the turn now"),
    element("p", {}, end.text),
  );
}

/** @param {LegalMove} move */
const isEnd = ({ action }) => action.type === "end_turn";

/**
 * Say what the player gives away by ending the turn now, if anything.
 * @param {LegalMoves} moves
 * @param {BoardView} board
 */
function chanceLost({ items, to_play }, { places }) {
  const open = items.filter(({ targets }) => targets.length);
  const free = open.find(({ action, cost }) => action.type === "expand" && !cost);
  if (free) return `You can still do this without paying: ${free.text}.`;
  const done = places.some(({ markers, centre }) => to_play !== null && (markers.includes(to_play) || centre[to_play]));
  return open.length && !done ? "You have done nothing on the board in this turn." : null;
}
