// The milestones of a game, with their conditions and the players who have reached them.

/** @import { SeatAtTable, State } from "openapi" */

import { get } from "./api.js";
import { element, fill } from "./dom.js";
import { chip } from "./people.js";
import { seatOf } from "./words.js";

export class Milestones {
  /** @type {Map<string, string> | null} */
  #conditions = null;

  constructor() {
    this.list = element("ul", { class: "milestones" });
    this.element = element(
      "section",
      { class: "card", "aria-labelledby": "milestones-title" },
      element("h2", { id: "milestones-title" }, "Milestones"),
      this.list,
    );
  }

  /** @param {State} state */
  async show({ board: { milestones }, game }) {
    const conditions = (this.#conditions ||= await readConditions(game.options.board));
    fill(
      this.list,
      milestones.map(({ id, reached }) => {
        const seats = reached.map((seat) => seatOf(game, seat));
        return milestone(conditions.get(id), seats);
      }),
    );
  }
}

/** @param {string | undefined} condition @param {SeatAtTable[]} reached */
function milestone(condition, reached) {
  const names = reached.map((seat) => [chip(seat), element("span", { class: "unseen" }, seat.name)]);
  return element("li", {}, element("span", {}, condition), element("span", { class: "reached" }, names));
}

/** @param {string} board */
async function readConditions(board) {
  const { milestones } = await get(`/v1/boards/${board}`);
  return new Map(milestones.map(({ id, condition }) => [id, condition]));
}
