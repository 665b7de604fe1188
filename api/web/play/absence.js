// Absent players: a bot plays for them, they come back, the host hands over their seats.

/** @import { SeatAtTable } from "openapi" */
/** @import { Session } from "./session.js" */
/** @import { Change, Child } from "../types.js" */

import { post, remove } from "./api.js";
import { shownFrom } from "./clock.js";
import { ask, confirmed, copyAndShow } from "./dialogs.js";
import { button, element, field, form, setAttribute } from "./dom.js";
import { timed } from "./people.js";
import { dropSeat } from "./tokens.js";

export class Absence {
  /**
   * @param {Session} session
   * @param {Change} change
   */
  constructor(session, change) {
    this.session = session;
    this.change = change;
  }

  /** The notes about players for whom a bot plays, or may play once the deadline has passed. */
  get notes() {
    const { game } = this.session.state;
    return [
      game.seats.filter(({ stand_in }) => stand_in).map((seat) => this.#standInNote(seat)),
      timed(game).map((seat) => this.#lateNote(seat, game.deadline ?? "")),
    ];
  }

  /**
   * Make a note with which the host or another player lets a bot play, shown as soon as the deadline has passed.
   * @param {SeatAtTable} seat
   * @param {string} deadline
   */
  #lateNote({ seat, name }, deadline) {
    const { host, seats } = this.session.tokens;
    const token = host || Object.values(seats)[0];
    if (!token || seats[seat]) return null;
    const text = `Let a bot play for ${name}`;
    const leave = async () => {
      if (await confirmed(`${text}? ${name} can come back at any time.`, "Let a bot play"))
        await this.#do(() => post(`${this.session.path}/absence`, { seat }, { token }));
    };
    const made = note(`The time of ${name} is over.`, [button(text, leave, { "data-focus": `absent-${seat}` })]);
    setAttribute(made, "role", "status");
    return shownFrom(made, deadline);
  }

  /**
   * Make a note with which an absent player comes back, and the host hands the seat over.
   * @param {SeatAtTable} seat
   */
  #standInNote({ seat, name }) {
    const { host, seats } = this.session.tokens;
    const token = seats[seat];
    const alone = Object.keys(seats).length === 1;
    const comeBack = () => this.#do(() => remove(`${this.session.path}/absence`, { token }));
    const handOver = () => this.#handOver(seat, name);
    const buttons = [
      token &&
        button(alone ? "I am back" : `${name} is back`, comeBack, { class: "primary", "data-focus": `back-${seat}` }),
      host && button(`Hand over the seat of ${name}`, handOver, { "data-focus": `handover-${seat}` }),
    ].filter(Boolean);
    return buttons.length ? note(`A bot plays for ${name}.`, buttons) : null;
  }

  /**
   * Give the seat of an absent player to somebody else, and show the link for the new player.
   * @param {number} seat
   * @param {string | null} name
   */
  async #handOver(seat, name) {
    const { id, path, tokens } = this.session;
    const successor = await askName(name);
    if (!successor) return;
    let link = "";
    await this.#do(async () => {
      const handed = post(`${path}/seats/${seat}/handover`, { name: successor }, { token: tokens.host });
      const { token } = await this.session.hold(handed);
      dropSeat(id, seat);
      link = `${location.origin}/play/${id}#token=${token}`;
    });
    if (link) await copyAndShow(link, `The link for ${successor}`);
  }

  /**
   * Change the table, and read the game again, also if the server refuses.
   * @param {() => Promise<unknown>} work
   */
  #do(work) {
    return this.change(async () => {
      try {
        await work();
      } finally {
        await this.session.load();
      }
    });
  }
}

/** @param {string} text @param {Child[]} buttons */
const note = (text, buttons) =>
  element("div", { class: "note" }, element("p", {}, text), element("div", { class: "buttons" }, buttons));

/**
 * Ask for the name of the player who gets a seat; empty if the dialog was cancelled.
 * @param {string | null} name of the absent player
 */
function askName(name) {
  const title = `Hand over the seat of ${name}`;
  const successor = element("input", { required: true, maxlength: 40, autocomplete: "off" });
  return ask(title, (close) => [
    element("h2", {}, title),
    element("p", {}, `${name} cannot come back then. You get a link: anyone who opens it can play for the seat.`),
    form(
      () => close(successor.value.trim()),
      {},
      field("Name of the new player", successor),
      element(
        "div",
        { class: "buttons" },
        element("button", { class: "primary" }, "Hand over"),
        button("Cancel", () => close()),
      ),
    ),
  ]);
}
