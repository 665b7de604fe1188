// Undo and redo: at once, or after the other players agree.

/** @import { UndoProposal } from "openapi" */
/** @import { Session } from "./session.js" */
/** @import { Change } from "../types.js" */

import { button, element } from "./dom.js";
import { listed, nameOf } from "./words.js";

/**
 * Make the buttons, or show the open proposal.
 * @param {Session} session
 * @param {Change} change
 */
export function undoControls(session, change) {
  const { undo, redo, proposal, options } = session.state.game;
  const asks = options.undo === "agree" && !session.playsAll;
  const offers = [
    session.mayAsk(undo) &&
      button(asks ? "Ask to undo" : "Undo", () => change(() => session.undo()), { "data-focus": "undo" }),
    session.mayAsk(redo) &&
      button(asks ? "Ask to redo" : "Redo", () => change(() => session.redo()), { "data-focus": "redo" }),
  ];
  return element(
    "div",
    { class: "undo" },
    proposal ? proposalNote(session, change, proposal) : element("div", { class: "buttons" }, offers),
  );
}

/** @param {Session} session @param {Change} change @param {UndoProposal} proposal */
function proposalNote(session, change, { seat, redo, waiting }) {
  /** @param {number} each */
  const name = (each) => nameOf(session.state.game, each);
  const mine = waiting.filter((each) => session.tokenOf(each));
  const answers = (session.playsAll ? mine.slice(0, 1) : mine).map((each) =>
    answerButtons(session, change, each, name(each)),
  );
  const withdraw =
    session.tokens.seats[seat] && button("Withdraw", () => change(() => session.answerUndo(seat, false)));
  return element(
    "div",
    { class: "note", role: "status" },
    element("p", {}, `${name(seat)} asks to ${redo ? "redo" : "undo"}. Waiting for ${listed(waiting.map(name))}.`),
    element("div", { class: "buttons" }, answers, withdraw),
  );
}

/** @param {Session} session @param {Change} change @param {number} seat @param {string} name */
function answerButtons(session, change, seat, name) {
  /** @param {boolean} accept */
  const answer = (accept) => () => change(() => session.answerUndo(seat, accept));
  /** @param {string} verb */
  const label = (verb) => ({ "aria-label": `${verb} as ${name}`, "data-focus": `${verb}-${seat}` });
  return [
    button("Agree", answer(true), { class: "primary", ...label("Agree") }),
    button("Decline", answer(false), label("Decline")),
  ];
}
