// The way from an address to what is shown there: `/play` is the lobby, `/play/{game}` a game.

import { element, fill } from "./dom.js";
import { gamePage } from "./game.js";
import { lobbyPage } from "./lobby.js";

const main = document.getElementById("main");
const [, , game] = location.pathname.split("/");

function show() {
  const page = game ? gamePage(main, decodeURIComponent(game)) : lobbyPage(main);
  page.catch((error) => {
    fill(main, element("p", { class: "note problem", role: "alert" }, `This page has failed: ${error.message}`));
    throw error;
  });
}

show();
