// The milestones of a game, with what each asks for and who has reached it.

import { get } from "./api.js";
import { element, fill } from "./dom.js";
import { chip } from "./people.js";

export class Milestones {
  #conditions = null;

  constructor() {
    this.list = element("ul", { class: "milestones" });
    this.element = element(
      "section",
      { class: "card", "aria-labelledby": "milestones-title", hidden: true },
      element("h2", { id: "milestones-title" }, "Milestones"),
      this.list,
    );
  }

  async show({ board: { milestones }, game }) {
    this.element.hidden = !milestones.length;
    if (!milestones.length) return;
    const conditions = (this.#conditions ||= await readConditions(game.options.board));
    fill(
      this.list,
      milestones.map(({ id, reached }) => milestone(conditions.get(id), reached, game.seats)),
    );
  }
}

function milestone(condition, reached, seats) {
  const names = reached.map((seat) => [chip(seats[seat]), element("span", { class: "unseen" }, seats[seat].name)]);
  return element("li", {}, element("span", {}, condition), element("span", { class: "reached" }, names));
}

async function readConditions(board) {
  const { milestones } = await get(`/v1/boards/${board}`);
  return new Map(milestones.map(({ id, condition }) => [id, condition]));
}
