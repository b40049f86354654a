/** The dialog for a new game: who plays, and who starts. */

import { h } from "./dom.js";
import { openDialog } from "./dialog.js";
import { icon } from "./icons.js";
import { SeatPicker } from "./seat_picker.js";
import { changeSettings, settings } from "./settings.js";

/** @typedef {import("./types.js").Catalog} Catalog */
/** @typedef {import("./seat_picker.js").SeatChoice} SeatChoice */

const MOST_SEATS = 4;
const LEAST_SEATS = 2;

/**
 * Ask who plays.
 *
 * @param {Catalog} catalog
 * @param {{title?: string, seats?: number, isWatched?: boolean}} [options] `seats` fixes their number; a game that is
 * watched begins with agents in all seats
 * @returns {Promise<Record<string, unknown> | null>} what POST /api/games takes
 */
export function newGameDialog(catalog, { title = "New game", seats, isWatched = false } = {}) {
  return openDialog(title, (/** @type {(wanted: Record<string, unknown> | null) => void} */ close) => {
    const choices = isWatched ? watchedSeats(catalog) : startingSeats(catalog, seats);
    const pickers = choices.map((choice, seat) => new SeatPicker(catalog, seat, choice));
    const list = h("ol", { class: "seat-list" });
    const count = h("div", { class: "segmented", role: "group", "aria-label": "Number of players" });
    const starts = h("select", { id: "starts" });
    const seed = h("input", { id: "seed", type: "number", min: 0, max: 2 ** 32 - 1, placeholder: "random", class: "seed" });
    const refresh = () => {
      list.replaceChildren(...pickers.map((picker) => picker.root));
      const chosen = starts.value;
      starts.replaceChildren(...pickers.map((_, seat) => h("option", { value: seat, selected: String(seat) === chosen }, `Seat ${seat + 1}`)));
      count.replaceChildren(...[2, 3, 4].map((number) => h("button", {
        type: "button",
        "aria-pressed": String(number === pickers.length),
        onclick: () => {
          while (pickers.length < number) pickers.push(new SeatPicker(catalog, pickers.length, { kind: "level", name: "casual" }));
          pickers.length = Math.min(MOST_SEATS, Math.max(LEAST_SEATS, number));
          refresh();
        },
      }, number)));
    };
    refresh();
    const start = () => {
      if (!pickers.every((picker) => picker.isValid())) return;
      const chosen = pickers.map((picker) => picker.choice());
      const names = chosen.map((choice) => (choice.kind === "human" && choice.person?.trim() ? choice.person.trim() : null));
      if (seats === undefined && !isWatched) changeSettings({ newGame: chosen });
      close({
        seats: pickers.map((picker) => picker.spec()),
        ...(names.some(Boolean) ? { names } : {}),
        ...(seats === undefined
          ? { starting_player: Number(starts.value), seed: seed.value === "" ? null : Number(seed.value) }
          : {}),
      });
    };
    return {
      body: [
        seats === undefined ? h("div", { class: "row spread" }, h("span", { class: "strong" }, "Players"), count) : null,
        list,
        catalog.levels.some((level) => level.rating)
          ? h("p", { class: "small muted" }, "Numbers are ratings in games of two: random play has 1000, and 200 points more win about three games of four.") : null,
        seats === undefined ? h("details", { class: "more-options" }, h("summary", {}, "More options"), h("div", { class: "row" },
          h("div", { class: "field" }, h("label", { for: "starts" }, "Who starts"), starts),
          h("div", { class: "field" }, h("label", { for: "seed" }, "Seed of the deals"), seed))) : null,
      ],
      foot: [
        h("button", { type: "button", class: "button large", onclick: () => close(null) }, "Cancel"),
        h("button", { type: "button", class: "button primary large", autofocus: true, onclick: start }, icon("play"), "Start"),
      ],
    };
  }, "wide");
}

/**
 * Two of the stronger levels.
 *
 * @param {Catalog} catalog
 * @returns {SeatChoice[]}
 */
function watchedSeats(catalog) {
  return catalog.levels.slice(-3, -1).map(({ name }) => ({ kind: "level", name }));
}

/**
 * The seats of the last new game, if they still make sense.
 *
 * @param {Catalog} catalog
 * @param {number | undefined} count
 * @returns {SeatChoice[]}
 */
function startingSeats(catalog, count) {
  /** @type {SeatChoice[]} */
  const fresh = [{ kind: "human", name: "human", person: "" }, { kind: "level", name: catalog.levels[2]?.name ?? "casual" }];
  const kept = Array.isArray(settings().newGame) ? /** @type {SeatChoice[]} */ (settings().newGame) : fresh;
  const known = kept.length >= LEAST_SEATS && kept.length <= MOST_SEATS && kept.every((choice) => isKnown(catalog, choice));
  const seats = structuredClone(known ? kept : fresh);
  if (count === undefined) return seats;
  while (seats.length < count) seats.push({ kind: "human", name: "human", person: "" });
  return seats.slice(0, count);
}

/**
 * @param {Catalog} catalog
 * @param {SeatChoice} choice
 */
function isKnown(catalog, choice) {
  /** @type {Record<string, {name: string}[]>} */
  const lists = { human: [{ name: "human" }], level: catalog.levels, agent: catalog.agents, own: catalog.own };
  return Boolean(lists[choice?.kind]?.some(({ name }) => name === choice.name));
}
