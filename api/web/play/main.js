// Show the page of the address: `/play` is the lobby, `/play/{game}` a game.

import { element, fill, find } from "./dom.js";
import { keepsTokens } from "./tokens.js";

const NO_STORAGE =
  "This browser does not let pages store data. Copy your token before you leave a game (“Continue on another device”), " +
  "or you lose your seat.";

const main = find("#main");

async function show() {
  const [, , game] = location.pathname.split("/");
  if (game) return (await import("./game.js")).gamePage(main, game.toLowerCase());
  return (await import("./lobby.js")).lobbyPage(main);
}

if (!keepsTokens) main.before(element("p", { class: "note unkept", role: "note" }, NO_STORAGE));

show().catch((error) => {
  fill(main, element("p", { class: "note problem", role: "alert" }, `This page has failed: ${error.message}`));
  throw error;
});
