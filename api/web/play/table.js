// An open table: its seats, the form to join, and the controls of the host.

/** @import { BotKind, Colour, JoinRequest, SeatAtTable, Summary } from "openapi" */
/** @import { Session } from "./session.js" */
/** @import { Attributes, Select } from "../types.js" */

import { get, post, remove } from "./api.js";
import { confirmed, copy } from "./dialogs.js";
import { button, element, field, fill, form, options, pair, select } from "./dom.js";
import { deleteGame, renewButton, renewSeat } from "./hosting.js";
import { attempt } from "./notices.js";
import { player } from "./people.js";
import { dropSeat, goTo, keep, keepTokens, readingToken, recall } from "./tokens.js";
import { optionTexts } from "./words.js";

export class TablePage {
  /**
   * @param {Session} session
   * @param {() => Promise<void>} changed reads the table again
   */
  constructor(session, changed) {
    this.session = session;
    this.changed = changed;
    this.heading = element("h1", { tabindex: "-1" });
    this.options = element("p", { class: "badges" });
    this.seats = element("ol", { class: "seats card" });
    this.join = element("section", { class: "card", "aria-label": "Join" });
    this.own = element("section", { class: "card", "aria-label": "Your seat" });
    this.host = element("section", { class: "card", "aria-label": "Host controls" });
    this.share = element("section", { class: "card", "aria-label": "Invite others" });
    this.element = element(
      "div",
      { class: "table-page" },
      this.heading,
      this.options,
      element("div", { class: "columns" }, this.seats, element("div", {}, this.join, this.own, this.share, this.host)),
    );
    this.made = false;
  }

  /** @param {Summary} game */
  show(game) {
    const taken = game.seats.filter(({ name }) => name).length;
    document.title = `Franchise: table (${taken}/${game.seats.length})`;
    fill(this.heading, `Table: ${taken} of ${game.seats.length} seats taken`);
    fill(
      this.options,
      optionTexts(game.options).map((text) => element("span", { class: "badge" }, text)),
    );
    fill(
      this.seats,
      game.seats.map((seat) => this.#seat(seat, game)),
    );
    if (!this.made) this.#makeForms(game);
    this.made = true;
    const free = game.seats.some(({ open }) => open);
    this.join.hidden = !free || this.#seated;
    fill(this.own, this.#ownControls(game));
    this.own.hidden = !this.#seated;
    this.host.hidden = !this.#isHost;
    this.share.hidden = !free;
    this.#showWith("free", free);
    this.#showWith("players", taken >= 2);
  }

  /**
   * Show the host's controls that need something only if it is there.
   * @param {"free" | "players"} need
   * @param {boolean} there
   */
  #showWith(need, there) {
    /** @type {NodeListOf<HTMLElement>} */
    const needing = this.host.querySelectorAll(`[data-needs=${need}]`);
    for (const each of needing) each.hidden = !there;
  }

  get #tokens() {
    return this.session.tokens;
  }

  get #isHost() {
    return Boolean(this.#tokens.host);
  }

  get #seated() {
    return Object.keys(this.#tokens.seats).length > 0;
  }

  /** @param {SeatAtTable} seat @param {Summary} game */
  #seat(seat, game) {
    const mine = this.#tokens.seats[seat.seat] && element("span", { class: "badge" }, "You");
    const closed = !seat.name && !seat.open && element("span", { class: "badge" }, "Closed");
    const absent = seat.reserved && element("span", { class: "badge" }, "Not here yet");
    return element(
      "li",
      { class: "seat-row" },
      player(seat, mine || closed || absent),
      this.#isHost && seat.name && this.#hostButtons(seat, game),
    );
  }

  /** @param {SeatAtTable} seat @param {Summary} game */
  #hostButtons({ seat, name, bot }, { version }) {
    const kick = () => attempt(() => this.#kick(seat, name, version));
    const renew = () => attempt(() => this.#newToken(seat, name));
    return element(
      "span",
      { class: "buttons" },
      !bot &&
        button("New token", renew, {
          class: "quiet",
          "aria-label": `New token for ${name}`,
          "data-focus": `token-${seat}`,
        }),
      button("Kick", kick, {
        class: "quiet",
        "aria-label": `Kick ${name}`,
        "data-focus": `kick-${seat}`,
      }),
    );
  }

  /** @param {Summary} game */
  #makeForms({ options: { invite } }) {
    fill(this.join, element("h2", {}, "Join"), this.#joinForm(invite));
    fill(this.share, element("h2", {}, "Invite others"), ...this.#shareButtons(invite));
    fill(this.host, element("h2", {}, "Host controls"), ...this.#hostControls());
  }

  /** @param {boolean} needsInvite */
  #joinForm(needsInvite) {
    const name = element("input", { value: recall("name"), required: true, maxlength: 40, autocomplete: "nickname" });
    const colour = this.#colourSelect();
    const invite = element("input", {
      value: this.#tokens.invite,
      required: true,
      autocomplete: "off",
      spellcheck: "false",
    });

    const submit = () => {
      const body = {
        name: name.value,
        ...(colour.value && { colour: colour.value }),
        ...(needsInvite && { invite: invite.value.trim() }),
      };
      attempt(async () => {
        await this.#join(body);
        keep("name", name.value.trim());
      });
    };
    return form(
      submit,
      {},
      field("Your name", name),
      field("Colour", colour),
      needsInvite && field("Invitation", invite, "The code that the host gave you."),
      element("button", { class: "primary" }, "Join"),
    );
  }

  /** @param {Attributes} [attributes] */
  #colourSelect(attributes) {
    /** @type {Colour[]} */
    const colours = ["blue", "red", "orange", "black", "beige"];
    return select([pair("", "Any colour"), ...colours.map((each) => pair(each))], attributes);
  }

  /** @param {JoinRequest} body */
  async #join(body) {
    const { seat, token } = await post(`${this.session.path}/seats`, body, this.session.reading);
    if (token) keepTokens(this.session.id, { seats: { [seat]: token } });
    await this.changed();
  }

  /** @param {Summary} game */
  #ownControls({ seats }) {
    const mine = seats.filter(({ seat }) => this.#tokens.seats[seat]);
    const alone = mine.length === 1;
    const buttons = mine.map((seat) => [
      button(alone ? "Leave this table" : `Leave this table as ${seat.name}`, () => attempt(() => this.#leave(seat)), {
        "data-focus": `leave-${seat.seat}`,
      }),
      renewButton(this.session, seat, alone),
    ]);
    return [element("h2", {}, alone ? "Your seat" : "Your seats"), element("div", { class: "buttons" }, buttons)];
  }

  /** @param {SeatAtTable} seat */
  async #leave({ seat, name }) {
    if (!(await confirmed(`Leave this table as ${name}? Others can then take the seat.`, "Leave"))) return;
    await this.session.leave(seat);
    if (readingToken(this.session.id)) return this.changed();
    this.session.close();
    return goTo("/play");
  }

  /** @param {boolean} needsInvite */
  #shareButtons(needsInvite) {
    const { invite } = this.#tokens;
    const link = `${location.origin}/play/${this.session.id}`;
    return [
      element(
        "p",
        {},
        needsInvite ? "Only people with the invitation link can join." : "Anyone with this link can join.",
      ),
      button("Copy link", () => copy(invite ? `${link}#invite=${invite}` : link, "The link")),
    ];
  }

  #hostControls() {
    return [
      element(
        "div",
        { class: "buttons" },
        button("Start with these players", () => this.#do("start"), { class: "primary", "data-needs": "players" }),
        button("Let no one else join", () => this.#do("close"), { "data-needs": "free" }),
        button("Delete this table", () => attempt(() => deleteGame(this.session, "table")), { class: "danger" }),
      ),
      this.#botForm(),
    ];
  }

  #botForm() {
    /** @type {Select<BotKind>} */
    const kind = select([], { "aria-label": "Kind of bot" });
    attempt(() => this.#fillBots(kind));
    const name = element("input", { maxlength: 40, "aria-label": "Name of the bot", placeholder: "Name (optional)" });
    const colour = this.#colourSelect({ "aria-label": "Colour of the bot" });
    const add = () => attempt(() => this.#seatBot(kind.value, name.value.trim(), colour.value));
    const row = element("div", { class: "seat-row" }, kind, name, colour);
    return form(add, { "data-needs": "free" }, row, element("button", {}, "Add bot"));
  }

  /** @param {Element} kind */
  async #fillBots(kind) {
    const { items } = await get("/v1/bots");
    fill(kind, options(items.map(({ bot }) => pair(bot))));
  }

  /** @param {BotKind} bot @param {string} name @param {Colour | ""} colour */
  async #seatBot(bot, name, colour) {
    const body = { bot, ...(name && { name }), ...(colour && { colour }) };
    await post(`${this.session.path}/seats`, body, this.#asHost);
    await this.changed();
  }

  get #asHost() {
    return { token: this.#tokens.host };
  }

  /** @param {"start" | "close"} operation */
  #do(operation) {
    return attempt(async () => {
      await post(`${this.session.path}/${operation}`, {}, this.#asHost);
      await this.changed();
    });
  }

  /** @param {number} seat @param {string | null} name @param {number} version */
  async #kick(seat, name, version) {
    if (!(await confirmed(`Kick ${name} from this table?`, "Kick"))) return;
    const headers = { "If-Match": `"${version}"` };
    await remove(`${this.session.path}/seats/${seat}`, { ...this.#asHost, headers });
    dropSeat(this.session.id, seat);
    await this.changed();
  }

  /** @param {number} seat @param {string | null} name */
  async #newToken(seat, name) {
    await renewSeat(this.session, seat, name);
    await this.changed();
  }
}
