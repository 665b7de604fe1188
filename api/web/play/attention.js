// Tell players who look elsewhere that their turn has begun: a sound, and a notification if the page is hidden.

/** @import { Session } from "./session.js" */

import { choice, element, find } from "./dom.js";
import { namesOf } from "./people.js";
import { keep, recall } from "./tokens.js";

const NOTES = [660, 880];
const NOTE_STEP = 0.16;
const NOTE_LENGTH = 0.5;
const VOLUME = 0.2;
const SILENCE = 0.0001;

export class Attention {
  /** @type {Notification | null} */
  #notification = null;
  /** Whether it was the turn of this browser in the last state. */
  #mine;
  /** The number of the last turn that was told; in the set-up each decision of others is followed by a new one. */
  #told = 0;

  /** @param {Session} session */
  constructor(session) {
    this.session = session;
    this.#mine = session.myTurn;
    this.#told = session.myTurn ? session.state.game.turn : 0;
    this.how = element("small", { role: "status" });
    const label = choice("checkbox", "Tell me when it is my turn", {
      checked: isWanted(),
      onchange: () => this.#switch(control.checked),
    });
    const control = /** @type {HTMLInputElement} */ (find("input", label));
    this.element = element("div", { class: "attention" }, label, this.how);
    if (isWanted()) this.#explain();
    session.addEventListener("state", () => this.#changed());
  }

  /** Whether the browser plays some seats, but not all: then it has to wait for others. */
  get #waits() {
    const { mySeats, state } = this.session;
    return state.game.status === "playing" && mySeats.length > 0 && mySeats.length < state.game.seats.length;
  }

  /** Show the switch only where it has an effect. */
  show() {
    this.element.hidden = !this.#waits;
  }

  /** @param {boolean} on */
  async #switch(on) {
    keep("attention", on ? "on" : "off");
    this.how.textContent = "";
    if (!on) return;
    chime();
    if (canNotify() && Notification.permission === "default") await Notification.requestPermission();
    this.#explain();
  }

  #explain() {
    const allowed = canNotify() && Notification.permission === "granted";
    this.how.textContent = allowed
      ? "You hear a sound, and get a notification while this page is hidden."
      : "You hear a sound. This browser does not allow notifications from this page.";
  }

  #changed() {
    const { turn } = this.session.state.game;
    const begins = this.session.myTurn && !this.#mine;
    this.#mine = this.session.myTurn;
    if (!this.#mine) this.#notification?.close();
    if (!begins || !this.#waits || (turn && turn === this.#told)) return;
    this.#told = turn;
    if (!isWanted() || (document.hasFocus() && !document.hidden)) return;
    chime();
    if (document.hidden) this.#notify();
  }

  #notify() {
    if (!canNotify() || Notification.permission !== "granted") return;
    const { id, state } = this.session;
    try {
      const shown = new Notification("Your turn", { body: namesOf(state), tag: `franchise:${id}` });
      shown.addEventListener("click", () => {
        window.focus();
        shown.close();
      });
      this.#notification = shown;
    } catch {
      // browsers of phones allow notifications to service workers only
    }
  }
}

const canNotify = () => "Notification" in window;

const isWanted = () => recall("attention") === "on";

/** @type {AudioContext | null} */
let audio = null;

/** Play two notes. Browsers allow sounds after the first click or key on a page. */
function chime() {
  if (!navigator.userActivation.hasBeenActive) return;
  audio ||= new AudioContext();
  audio.resume();
  for (const [index, frequency] of NOTES.entries()) playNote(audio, frequency, audio.currentTime + index * NOTE_STEP);
}

/** @param {AudioContext} context @param {number} frequency @param {number} start */
function playNote(context, frequency, start) {
  const tone = context.createOscillator();
  const volume = context.createGain();
  tone.frequency.value = frequency;
  volume.gain.setValueAtTime(VOLUME, start);
  volume.gain.exponentialRampToValueAtTime(SILENCE, start + NOTE_LENGTH);
  tone.connect(volume).connect(context.destination);
  tone.start(start);
  tone.stop(start + NOTE_LENGTH);
}
