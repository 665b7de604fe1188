// Taking back and putting back, under each policy: at once, or once the others agree.

import { button, element } from "./dom.js";
import { attempt } from "./notices.js";
import { listed } from "./words.js";

/**
 * The buttons and the open proposal that fit the present state.
 * @param {import("./session.js").Session} session
 */
export function undoControls(session) {
  const { undo, redo, proposal, options } = session.state.game;
  const asks = options.undo === "agree" && !session.playsAll;
  const offers = [
    session.mayAsk(undo) &&
      button(asks ? "Ask to take back" : "Undo", () => attempt(() => session.undo()), { "data-focus": "undo" }),
    session.mayAsk(redo) &&
      button(asks ? "Ask to put back" : "Redo", () => attempt(() => session.redo()), { "data-focus": "redo" }),
  ];
  return element(
    "div",
    { class: "undo" },
    proposal ? proposalNote(session, proposal) : element("div", { class: "buttons" }, offers),
  );
}

function proposalNote(session, { seat, waiting }) {
  const name = (each) => session.state.game.seats[each].name;
  const mine = waiting.filter((each) => session.tokenOf(each));
  const answers = (session.playsAll ? mine.slice(0, 1) : mine).map((each) => answerButtons(session, each, name(each)));
  const withdraw =
    session.tokens.seats[seat] && button("Withdraw", () => attempt(() => session.answerUndo(seat, false)));
  return element(
    "div",
    { class: "note", role: "status" },
    element("p", {}, `${name(seat)} asks to go back. Waiting for ${listed(waiting.map(name))}.`),
    element("div", { class: "buttons" }, answers, withdraw),
  );
}

function answerButtons(session, seat, name) {
  const answer = (accept) => () => attempt(() => session.answerUndo(seat, accept));
  const label = (verb) => ({ "aria-label": `${verb} as ${name}`, "data-focus": `${verb}-${seat}` });
  return [
    button("Agree", answer(true), { class: "primary", ...label("Agree") }),
    button("Decline", answer(false), label("Decline")),
  ];
}
