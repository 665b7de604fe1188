// The page of one game, from the open table to the final count.

import { Problem, get } from "./api.js";
import { button, element, fill } from "./dom.js";
import { tokenForm } from "./hosting.js";
import { attempt, showConnection } from "./notices.js";
import { PlayPage } from "./playing.js";
import { Session } from "./session.js";
import { TablePage } from "./table.js";
import { keepTokens, onTokensChanged, readingToken, tokensOf } from "./tokens.js";

const PRIVATE = {
  title: "This game is private",
  detail: "Open the link of your invitation, or give the token of your seat.",
};

/** Show a game, and follow it for as long as the page is open. */
export async function gamePage(main, id) {
  keepInvitation(id);
  const page = new GamePage(main, new Session(id));
  addEventListener("hashchange", () => keepInvitation(id) && location.reload());
  addEventListener("pagehide", () => page.session.close());
  addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
  onTokensChanged(() => attempt(() => page.read()));
  await page.read();
}

/** Keep the code of an invitation, unless as the host, who has the true one, and take it out of the address. */
function keepInvitation(id) {
  const [, invite] = location.hash.match(/^#invite=([\w-]+)$/) || [];
  if (!invite) return false;
  if (!tokensOf(id).host) keepTokens(id, { invite });
  history.replaceState(history.state, "", location.pathname);
  return true;
}

class GamePage {
  #shown = null;
  #following = false;

  constructor(main, session) {
    this.main = main;
    this.session = session;
    session.addEventListener("state", () => this.#show());
  }

  /** Read the game, show it, and follow it from then on. */
  async read() {
    try {
      if (await this.#readAsGuest()) return;
      await this.session.load();
      this.#follow();
    } catch (problem) {
      this.#refused(problem);
    }
  }

  /** Show a private table to somebody who has nothing but an invitation, which opens its summary only. */
  async #readAsGuest() {
    const { invite } = this.session.tokens;
    if (!invite || readingToken(this.session.id)) return false;
    const game = await get(this.session.path, { headers: { "X-Invite": invite } });
    const guest = game.status === "open" && game.options.private;
    if (guest) this.#page(TablePage).show(game);
    return guest;
  }

  #follow() {
    if (this.#following) return;
    this.#following = true;
    this.session.follow(showConnection, (problem) => {
      this.#following = false;
      this.#refused(problem);
    });
  }

  #show() {
    const { game } = this.session.state;
    this.#page(game.status === "open" ? TablePage : PlayPage).show(game);
  }

  /** The part of this kind, which takes the place of another one. */
  #page(Kind) {
    if (!(this.#shown instanceof Kind)) {
      this.#shown = new Kind(this.session, () => this.read());
      fill(this.main, this.#shown.element);
    }
    return this.#shown;
  }

  /** Show what is left to somebody who may not read the game, or cannot any more. */
  #refused(problem) {
    if (!(problem instanceof Problem)) throw problem;
    if ([401, 403].includes(problem.status))
      this.#explain(
        readingToken(this.session.id) ? problem : PRIVATE,
        tokenForm(this.session, () => this.read()),
      );
    else if (problem.status === 404)
      this.#explain(problem, element("a", { class: "button", href: "/play" }, "To the lobby"));
    else
      this.#explain(
        problem,
        button("Try again", () => this.read()),
      );
  }

  #explain({ title, detail }, more) {
    this.#shown = null;
    document.title = "Franchise";
    fill(
      this.main,
      element("section", { class: "card narrow" }, element("h1", {}, title), element("p", {}, detail), more),
    );
  }
}
