// The way from an address to what is shown there: `/play` is the lobby, `/play/{game}` a game.

import { element, fill } from "./dom.js";

const main = document.getElementById("main");

async function show() {
  const [, , game] = location.pathname.split("/");
  if (game) return (await import("./game.js")).gamePage(main, game.toLowerCase());
  return (await import("./lobby.js")).lobbyPage(main);
}

show().catch((error) => {
  fill(main, element("p", { class: "note problem", role: "alert" }, `This page has failed: ${error.message}`));
  throw error;
});
