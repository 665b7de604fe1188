// The welcome of the lobby: what the game is, and the ways to a table.

/** @import { NewGame } from "openapi" */

import { post } from "./api.js";
import { button, element } from "./dom.js";
import { attempt } from "./notices.js";
import { goTo, keepCreated, recall } from "./tokens.js";

const NO_NAME = "Guest";

export const welcome = () =>
  element(
    "header",
    { class: "welcome" },
    element("h1", {}, "Play Franchise"),
    element(
      "p",
      { class: "quiet" },
      "Franchise is a board game for two to five players. Open franchises across the USA, from town to town and from ",
      "city to city. You gain influence when cities and regions score, and the player with the most influence wins.",
    ),
    element(
      "p",
      { class: "quiet" },
      "You need no account. Play against the computer, with others on this device, or online with friends.",
    ),
    element(
      "div",
      { class: "buttons" },
      button("Play against the computer", () => attempt(playComputer), { class: "primary" }),
      element("a", { class: "button", href: "#new" }, "New table"),
      element("a", { class: "button", href: "/rules", target: "rules" }, "How to play"),
    ),
  );

/** Open a table with two bots, at which the person at this browser begins, and go there. */
async function playComputer() {
  /** @type {NewGame} */
  const table = {
    seats: 3,
    players: [recall("name") || NO_NAME, { bot: "greedy" }, { bot: "planner" }],
    options: { start: "introductory", first_player: 0 },
  };
  goTo(`/play/${keepCreated(await post("/v1/games", table))}`);
}
