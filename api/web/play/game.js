// The page of one game, from the open table to the end.

/** @import { TablePage } from "./table.js" */
/** @import { Child } from "../types.js" */

import { Problem, get } from "./api.js";
import { button, element, fill } from "./dom.js";
import { tokenForm, useToken } from "./hosting.js";
import { attempt, showConnection, showTab } from "./notices.js";
import { namesOf } from "./people.js";
import { PlayPage } from "./playing.js";
import { Session } from "./session.js";
import { forgetRefused, hasRefused, keepTokens, onTokensChanged, readingToken, tokensOf } from "./tokens.js";

const PRIVATE = {
  title: "This game is private",
  detail: "Open your invitation link, or enter your token.",
};
const REVOKED = {
  title: "Your token no longer works",
  detail: "It was renewed, or the host removed you from the table. Enter your new token, or ask the host.",
};

/**
 * Show a game, and follow it while the page is open.
 * @param {HTMLElement} main
 * @param {string} id
 */
export async function gamePage(main, id) {
  await attempt(() => keepLink(id));
  const page = new GamePage(main, new Session(id));
  addEventListener("hashchange", () => attempt(async () => (await keepLink(id)) && location.reload()));
  addEventListener("pagehide", () => page.session.close());
  addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
  onTokensChanged(() => attempt(() => page.read()));
  await page.read();
}

/**
 * Store the code of an invitation or the token of a seat, and remove it from the address. The host keeps the true code.
 * @param {string} id
 */
async function keepLink(id) {
  const [, kind, code = ""] = location.hash.match(/^#(invite|token)=([\w-]+)$/) || [];
  if (!kind) return false;
  history.replaceState(history.state, "", location.pathname);
  if (kind === "token") return useToken(id, code);
  if (!tokensOf(id).host) keepTokens(id, { invite: code });
  return true;
}

class GamePage {
  /** @type {TablePage | PlayPage | null} */
  #shown = null;
  /** @type {PlayPage | null} */
  #playing = null;
  #following = false;

  /** @param {HTMLElement} main @param {Session} session */
  constructor(main, session) {
    this.main = main;
    this.session = session;
    this.note = element("div", { role: "status" });
    session.addEventListener("state", () => attempt(() => this.#show()));
  }

  async read() {
    try {
      const { renewal } = this.session.tokens;
      if (renewal) await this.session.renewToken(renewal.seat);
      if (await this.#readAsGuest()) return;
      await this.session.load();
      this.#follow();
    } catch (problem) {
      this.#refused(problem);
    }
  }

  /** Show a private table to a guest: an invitation opens the summary only. */
  async #readAsGuest() {
    const { invite } = this.session.tokens;
    if (!invite || readingToken(this.session.id)) return false;
    const game = await get(this.session.path, { headers: { "X-Invite": invite } });
    const guest = game.status === "open" && game.options.private;
    if (guest) (await this.#table()).show(game);
    return guest;
  }

  #follow() {
    if (this.#following) return;
    this.#following = true;
    this.session.follow(showConnection, (problem) => {
      this.#following = false;
      if (problem instanceof Problem && problem.status === 401) this.read();
      else this.#refused(problem);
    });
  }

  async #show() {
    const { game } = this.session.state;
    this.#tellRevoked();
    if (game.status === "open") return (await this.#table()).show(game);
    const { myTurn } = this.session;
    showTab(`${myTurn ? "● Your turn" : "Franchise"}: ${namesOf(this.session.state)}`, myTurn);
    return this.#play().show();
  }

  async #table() {
    const { TablePage } = await import("./table.js");
    if (this.#shown instanceof TablePage) return this.#shown;
    return this.#put(new TablePage(this.session, () => this.read()));
  }

  #play() {
    this.#playing ||= new PlayPage(this.session);
    return this.#shown === this.#playing ? this.#playing : this.#put(this.#playing);
  }

  /**
   * @template {TablePage | PlayPage} Page
   * @param {Page} page
   */
  #put(page) {
    this.#shown = page;
    fill(this.main, this.note, page.element);
    return page;
  }

  /** Say above the game if a token no longer works. The game goes on without it. */
  #tellRevoked() {
    const revoked = hasRefused(this.session.id);
    if (revoked === this.note.hasChildNodes()) return;
    fill(
      this.note,
      revoked &&
        element(
          "section",
          { class: "note revoked", "aria-labelledby": "revoked-title" },
          element("h2", { id: "revoked-title" }, REVOKED.title),
          element("p", {}, `${REVOKED.detail} Until then you can only watch.`),
          this.#tokenForm(),
        ),
    );
  }

  /** Make a form for a token, and a button to forget those that no longer work. */
  #tokenForm() {
    const forget = () => {
      forgetRefused(this.session.id);
      return this.read();
    };
    return [
      tokenForm(this.session, () => this.read()),
      hasRefused(this.session.id) && button("Forget the old token", forget, { class: "quiet" }),
    ];
  }

  /**
   * Explain why the game cannot be shown, and offer a way on.
   * @param {unknown} problem
   */
  #refused(problem) {
    if (!(problem instanceof Problem)) throw problem;
    if (problem.status === 401 && this.session.tokens.renewal) return void this.read();
    if ([401, 403].includes(problem.status)) this.#explain(this.#denial(problem), this.#tokenForm());
    else if (problem.status === 404)
      this.#explain(problem, element("a", { class: "button", href: "/play" }, "Back to the lobby"));
    else
      this.#explain(
        problem,
        button("Try again", () => this.read()),
      );
  }

  /** @param {Problem} problem */
  #denial(problem) {
    if (hasRefused(this.session.id)) return REVOKED;
    return readingToken(this.session.id) ? problem : PRIVATE;
  }

  /** @param {{ title: string, detail: string }} problem @param {Child} more */
  #explain({ title, detail }, more) {
    this.#shown = null;
    showTab("Franchise", false);
    showConnection(null);
    fill(
      this.main,
      element("section", { class: "card narrow" }, element("h1", {}, title), element("p", {}, detail), more),
    );
  }
}
