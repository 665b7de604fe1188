// The panel of the player to move: advice, actions without a place on the board, a hint, and all actions as a list.

/** @import { Action, Hint, LegalMove, State } from "openapi" */
/** @import { Session } from "./session.js" */
/** @import { Attributes, Change } from "../types.js" */

import { adviceTexts } from "./advice.js";
import { get } from "./api.js";
import { relativeTime } from "./clock.js";
import { button, element, field, fill, pair, select } from "./dom.js";
import { attempt } from "./notices.js";
import { player } from "./people.js";
import { rematchControl } from "./rematch.js";
import { undoControls } from "./undo.js";
import { counted, seatOf, waited } from "./words.js";

export class Actions {
  /** @type {Hint | null} */
  #hint = null;

  /**
   * @param {Session} session
   * @param {Change} change
   * @param {(place: string) => Promise<void>} explain shows why nothing can be done at a place
   */
  constructor(session, change, explain) {
    this.session = session;
    this.change = change;
    this.explain = explain;
    this.element = element("section", { class: "card actions", "aria-label": "Your turn" });
  }

  /** @param {State} state @param {boolean} live */
  show(state, live) {
    this.element.hidden = !live;
    if (this.#hint?.version !== state.version) this.#hint = null;
    if (live) fill(this.element, this.#contents(state));
  }

  /** @param {State} state */
  #contents(state) {
    if (state.game.status === "finished") return this.#over(state);
    const { to_play } = state.game;
    if (to_play === null || !this.session.myTurn)
      return [this.#waiting(state), undoControls(this.session, this.change)];
    const { items } = state.legal_moves;
    return [
      element("h2", {}, "Your turn: ", player(seatOf(state.game, to_play))),
      element(
        "ul",
        { class: "advice quiet" },
        adviceTexts(state).map((text) => element("li", {}, text)),
      ),
      element(
        "div",
        { class: "buttons" },
        ...this.#withoutTarget(items),
        state.game.options.hints && this.#hintButton(),
      ),
      this.#hintNote(),
      endOfTurn(state),
      undoControls(this.session, this.change),
      this.#all(items),
      this.#whyNot(state),
    ];
  }

  /** @param {State} state */
  #over({ game }) {
    return [
      element("h2", {}, "Game over"),
      element(
        "div",
        { class: "buttons" },
        rematchControl(this.session, game),
        element("a", { class: "button", href: "/play#new" }, "New table"),
        element("a", { class: "button", href: `#v=${game.version}` }, "Watch the replay"),
      ),
      undoControls(this.session, this.change),
    ];
  }

  /** @param {State} state */
  #waiting({ game }) {
    if (game.to_play === null) return element("h2", {}, "One moment");
    const seat = seatOf(game, game.to_play);
    if (seat.bot) return element("h2", {}, "Thinking: ", player(seat));
    const wait = game.waiting_since && relativeTime(game.waiting_since, waited);
    return element("h2", {}, "Waiting for ", player(seat), " ", wait);
  }

  /**
   * Make buttons for the moves that have no place on the board, the end of the turn first.
   * @param {LegalMove[]} items
   */
  #withoutTarget(items) {
    const moves = items.filter(({ targets }) => !targets.length);
    return moves
      .sort(endFirst)
      .map((move) => this.#button(move, { class: isEnd(move) ? "primary" : "", "data-focus": move.action.type }));
  }

  /** @param {LegalMove} move @param {Attributes} attributes */
  #button({ action, text }, attributes) {
    return button(text, () => this.#play(action), attributes);
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
        button("Explain", () => this.explain(place.value), { "data-focus": "say-why-not" }),
      ),
    );
  }

  #hintButton() {
    return button("Hint", () => attempt(() => this.#ask()), { "data-focus": "hint" });
  }

  async #ask() {
    this.#hint = await get(`${this.session.path}/hint`, this.session.reading);
    this.show(this.session.state, true);
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
  if (!end.text) return element("p", { class: "quiet" }, "If you end the turn now, nothing scores.");
  return element(
    "div",
    { class: "end-of-turn" },
    element("h3", {}, "If you end the turn now"),
    element("p", {}, end.text),
  );
}

/** @param {LegalMove} move */
const isEnd = ({ action }) => action.type === "end_turn";

/** @param {LegalMove} a @param {LegalMove} b */
const endFirst = (a, b) => Number(isEnd(b)) - Number(isEnd(a));
