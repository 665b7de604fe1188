// Names and numbers in words.

/** @typedef {{seat: number, name: string | null, colour: string, bot?: string | null}} Seat */

const PHASES = {
  lobby: "Waiting for players",
  set_up: "Set-up",
  city_tiles: "Set-up: lay the city tiles",
  region_tiles: "Set-up: lay the region tiles",
  towns: "Set-up: choose a town",
  place_boom: "Set-up: place the Boom marker",
  boom: "Move the Boom marker or leave it",
  expand: "Expand and increase",
  increase: "Increase market share",
  finished: "Game over",
};

const ENDINGS = {
  red_zone: "a region tile lies in the red zone",
  no_expansion: "nobody expanded any more",
  resigned: "only one player was left",
};

const DECISIONS = {
  influence: "with the most influence",
  towns: "with the most franchises in towns, tied for influence",
  shared: "together, tied for influence and towns",
  last_player: "as the last player",
};

const KINDS = {
  dollars: "in dollars",
  bonus_tile: "with a bonus tile",
  regions: "by the number of regions",
  development: "with the Development tile",
  route: "with the Route tile",
};

/** The letter that stands for a seat beside its colour. */
export const seatLetter = (seat) => "ABCDE"[seat];

/** A phase in words; those of modules not known here by their id. */
export const phaseText = (phase) => PHASES[phase] || phase.replaceAll("_", " ");

/** The end of a game in words. */
export function endingText({ reason, decided_by, winners }, seats) {
  const names = listed(winners.map((seat) => seats[seat].name));
  return `${names} ${winners.length > 1 ? "win" : "wins"} ${DECISIONS[decided_by]}. The game is over: ${ENDINGS[reason]}.`;
}

/** The reason why the end of this turn would end the game. */
export const endReason = (reason) => ENDINGS[reason];

/** A region tile in words: its values, and its speciality. */
export function tileText({ values, kind }) {
  const shown = values.map((value) => (kind === "regions" && value >= 0 ? `+${value}` : value)).join("/");
  return [shown, KINDS[kind]].filter(Boolean).join(" ");
}

/** Words with commas between them, and "and" before the last one. */
export function listed(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** A number with its noun. */
export const counted = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

/** The options of a table that differ from the base game, each in a word or two. */
export function optionTexts({ start, expert, modules, undo, hot_seat, invite, private: hidden }) {
  return [
    start === "introductory" && "Introductory start",
    expert && `Expert (${expert.mode})`,
    modules.milestones && "Milestones",
    modules.boom && "Boom",
    modules.region_tiles && "Region tiles",
    hot_seat && "Hot seat",
    invite && "By invitation",
    hidden && "Private",
    undo !== "turn" && `Undo: ${undo}`,
  ].filter(Boolean);
}

const UNITS = [
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
];

/** How long ago something was. */
export function ago(time) {
  const seconds = (Date.now() - new Date(time)) / 1000;
  const format = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  const [unit, length] = UNITS.find(([, each]) => seconds >= each) || ["second", 1];
  return seconds < 60 ? "just now" : format.format(-Math.floor(seconds / length), unit);
}
