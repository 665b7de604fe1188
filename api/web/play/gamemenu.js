// The menu of a game: share, fork, verify, save and resign, the guide, and the tokens.

/** @import { State, Summary } from "openapi" */
/** @import { Attention } from "./attention.js" */
/** @import { Session } from "./session.js" */
/** @import { Attributes, Change } from "../types.js" */

import { get, post } from "./api.js";
import { confirmed, copy } from "./dialogs.js";
import { button, element, fill, find } from "./dom.js";
import { deleteGame, tokenControls, tokenField } from "./hosting.js";
import { attempt } from "./notices.js";
import { namesOf } from "./people.js";
import { goTo, keepCreated, recall } from "./tokens.js";
import { counted } from "./words.js";

export class GameMenu {
  #guided = recall("guide") !== "";
  /** @type {Attention | null} */
  #attention = null;

  /**
   * @param {Session} session
   * @param {Change} change
   */
  constructor(session, change) {
    this.session = session;
    this.change = change;
    this.buttons = element("div", { class: "buttons" });
    this.more = element("div", { class: "more" });
    this.attention = element("div");
    this.seal = element("div", { "aria-live": "polite" });
    this.origin = element("div");
    this.element = element(
      "section",
      { class: "card", "aria-labelledby": "menu-title" },
      element("h2", { id: "menu-title" }, "This game"),
      this.buttons,
      this.seal,
      this.attention,
      element("div", { class: "more" }, this.origin, tokenField(session)),
      this.more,
    );
    attempt(() => this.#tellOrigin(session.state.game));
  }

  /** @param {Summary} game */
  async #tellOrigin(game) {
    if (!game.forked_from && !game.imported_from && !game.rematch_of) return;
    const { origin } = await import("./origin.js");
    fill(this.origin, origin(game));
  }

  async #save() {
    const { downloadRecord } = await import("./records.js");
    await downloadRecord(this.session);
  }

  /** @param {State} state @param {boolean} live */
  show(state, live) {
    const { status, version, options, forked_from, imported_from } = state.game;
    const session = this.session;
    fill(
      this.buttons,
      live && element("a", { class: "button", href: `#v=${version}`, "data-focus": "replay" }, "Replay"),
      this.#button("Copy link", () => copy(this.#link("play", live, version), "The link")),
      !options.private && this.#button("Embed", () => copy(this.#frame(state, live), "The HTML for your page")),
      this.#button(live ? "Fork" : "Fork from here", () => this.#fork(version)),
      live && status === "playing" && this.#button("Show the guide", () => this.#guide()),
      this.#button("Verify", () => this.#audit()),
      (!live || status === "playing") && this.#button("Save record", () => this.#save()),
      !live && session.mayAsk(session.state.game.undo) && this.#button("Undo to here", () => this.#takeBack(version)),
      live && status === "playing" && this.#resignButtons(state),
      session.tokens.host &&
        (forked_from || imported_from) &&
        this.#button("Delete this copy", () => deleteGame(session, "copy"), { class: "danger" }),
    );
    fill(this.more, tokenControls(session));
    if (!this.#guided && live && session.myTurn && isFirstRound(state)) this.#guide();
    if (session.mySeats.length) attempt(() => this.#offerAttention());
  }

  async #guide() {
    this.#guided = true;
    const { showGuide } = await import("./guide.js");
    await showGuide(this.session, find(".game"));
  }

  /** Let players be told of their turn. Spectators do not load this. */
  async #offerAttention() {
    const { Attention } = await import("./attention.js");
    if (!this.#attention) {
      this.#attention = new Attention(this.session);
      fill(this.attention, this.#attention.element);
    }
    this.#attention.show();
  }

  /** @param {string} text @param {() => Promise<void>} work @param {Attributes} [attributes] */
  #button(text, work, attributes = {}) {
    return button(text, () => attempt(work), { "data-focus": text, ...attributes });
  }

  /** @param {"play" | "embed"} page @param {boolean} live @param {number} version */
  #link(page, live, version) {
    return `${location.origin}/${page}/${this.session.id}${live ? "" : `#v=${version}`}`;
  }

  /**
   * Return the HTML of a frame with the game.
   * @param {State} state
   * @param {boolean} live
   */
  #frame(state, live) {
    const src = this.#link("embed", live, state.game.version);
    const title = `Franchise: ${namesOf(state)}`;
    return element("iframe", { src, title, width: 800, height: 640, loading: "lazy" }).outerHTML;
  }

  /** @param {number} version */
  async #fork(version) {
    goTo(`/play/${keepCreated(await post(`${this.session.path}/fork`, { at: version }, this.session.reading))}`);
  }

  /**
   * Undo everything after the version that is shown.
   * @param {number} version
   */
  async #takeBack(version) {
    if (!(await confirmed("Undo everything after this move?", "Undo"))) return;
    await this.change(() => this.session.undo(version));
    location.hash = "";
  }

  /** @param {State} state */
  #resignButtons({ game }) {
    const { session } = this;
    const people = game.seats.filter(({ seat, resigned, bot }) => session.tokenOf(seat) && !resigned && !bot);
    const own = people.filter(({ seat }) => seat === game.to_play || !session.playsAll);
    return own.map(({ seat, name }) => this.#button(`Resign as ${name}`, () => this.#resign(seat, name)));
  }

  /** @param {number} seat @param {string | null} name */
  async #resign(seat, name) {
    if (await confirmed(`Resign as ${name}? A player who has resigned cannot win.`, "Resign"))
      await this.change(() => this.session.resign(seat));
  }

  /** Show the result of the audit as a seal. */
  async #audit() {
    const audit = await get(`${this.session.path}/audit`, this.session.reading);
    /** @param {boolean} fine @param {string} yes @param {string} no */
    const sentence = (fine, yes, no) => element("li", { class: fine ? "fine" : "wrong" }, fine ? yes : no);
    fill(
      this.seal,
      element(
        "div",
        { class: `seal ${audit.ok ? "fine" : "wrong"}` },
        element("strong", {}, audit.ok ? "Verified" : "Verification failed"),
        element(
          "ul",
          {},
          element("li", {}, `${counted(audit.events, "event")} checked`),
          sentence(audit.chain_ok, "No event was changed after it was stored", "The chain of digests is broken"),
          sentence(audit.replay_ok, "Every decision follows from the rules", "An event does not follow from the rules"),
          audit.first_difference &&
            element(
              "li",
              { class: "wrong" },
              `First error at version ${audit.first_difference.version}: ${audit.first_difference.what}`,
            ),
        ),
      ),
    );
  }
}

/** @param {State} state */
const isFirstRound = ({ game: { turn, seats } }) => (turn ?? 0) <= seats.length;
