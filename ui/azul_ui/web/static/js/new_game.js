/** The dialog for a new game: who plays on which wall, and who starts. */

import { note } from "./announce.js";
import { catalog } from "./api.js";
import { h } from "./dom.js";
import { openDialog } from "./dialog.js";
import { icon } from "./icons.js";
import { SeatPicker } from "./seat_picker.js";
import { changeSettings, settings } from "./settings.js";
import { capital, errorWords } from "./words.js";

/** @typedef {import("./types.js").Catalog} Catalog */
/** @typedef {import("./seat_picker.js").SeatChoice} SeatChoice */

const MOST_SEATS = 4;
const LEAST_SEATS = 2;
/** @type {SeatChoice} who plays in a seat that is added, or whose agent does not play on the wall */
const FRESH_AGENT = { kind: "level", name: "casual" };

/**
 * Ask who plays, and on which wall.
 *
 * @param {{title?: string, seats?: number, variant?: string, isWatched?: boolean}} [options] `seats` fixes their number and
 * `variant` the wall; a game that is watched begins with agents in all seats
 * @returns {Promise<Record<string, unknown> | null>} what POST /api/games takes
 */
export async function newGameDialog({ title = "New game", seats, variant, isWatched = false } = {}) {
  const { variants } = await catalog();
  const kept = variants.find(({ name }) => name === settings().variant);
  const chosen = { variant: variant ?? kept?.name ?? "colored" };
  // Only agents that play on the wall are offered.
  const known = { catalog: await catalog(chosen.variant) };
  return openDialog(title, (/** @type {(wanted: Record<string, unknown> | null) => void} */ close) => {
    const choices = isWatched ? watchedSeats(known.catalog) : startingSeats(known.catalog, seats);
    /** @param {SeatChoice} choice @param {number} seat */
    const picker = (choice, seat) => new SeatPicker(known.catalog, seat, isKnown(known.catalog, choice) ? choice : FRESH_AGENT);
    let pickers = choices.map(picker);
    const list = h("ol", { class: "seat-list" });
    const count = h("div", { class: "segmented", role: "group", "aria-label": "Number of players" });
    const starts = h("select", { id: "starts" });
    const seed = h("input", { id: "seed", type: "number", min: 0, max: 2 ** 32 - 1, placeholder: "random", class: "seed" });
    const begin = h("button", { type: "button", class: "button primary large", autofocus: true, onclick: () => start() }, icon("play"), "Start");
    let wanted = chosen.variant;
    const wall = wallChoice(variants, wanted, async (name) => {
      wanted = name;
      begin.disabled = true; // until it is known who plays on this wall
      try {
        const offered = await catalog(name);
        if (wanted !== name) return; // another wall was chosen meanwhile
        known.catalog = offered;
        chosen.variant = name;
        pickers = pickers.map((each, seat) => picker(each.choice(), seat));
        refresh();
      } catch (error) {
        note(errorWords(error), "error");
        if (wanted !== name) return;
        wanted = chosen.variant;
        wall.show(wanted);
      }
      begin.disabled = false;
    });
    const refresh = () => {
      list.replaceChildren(...pickers.map((each) => each.root));
      const first = starts.value;
      starts.replaceChildren(...pickers.map((_, seat) => h("option", { value: seat, selected: String(seat) === first }, `Seat ${seat + 1}`)));
      count.replaceChildren(...[2, 3, 4].map((number) => h("button", {
        type: "button",
        "aria-pressed": String(number === pickers.length),
        onclick: () => {
          while (pickers.length < number) pickers.push(picker(FRESH_AGENT, pickers.length));
          pickers.length = Math.min(MOST_SEATS, Math.max(LEAST_SEATS, number));
          refresh();
        },
      }, number)));
    };
    refresh();
    const start = () => {
      if (!pickers.every((each) => each.isValid())) return;
      const sitting = pickers.map((each) => each.choice());
      const names = sitting.map((choice) => (choice.kind === "human" && choice.person?.trim() ? choice.person.trim() : null));
      if (seats === undefined) changeSettings(isWatched ? { variant: chosen.variant } : { variant: chosen.variant, newGame: sitting });
      close({
        seats: pickers.map((each) => each.spec()),
        ...(names.some(Boolean) ? { names } : {}),
        ...(seats === undefined
          ? { starting_player: Number(starts.value), seed: seed.value === "" ? null : Number(seed.value), variant: chosen.variant }
          : {}),
      });
    };
    return {
      body: [
        seats === undefined ? h("div", { class: "row spread" }, h("span", { class: "strong" }, "Players"), count) : null,
        seats === undefined ? wall.root : null,
        list,
        known.catalog.levels.some((level) => level.rating)
          ? h("p", { class: "small muted" }, "Numbers are ratings in games of two on the colored wall: random play has 1000, and 200 points more win about three games of four.") : null,
        seats === undefined ? h("details", { class: "more-options" }, h("summary", {}, "More options"), h("div", { class: "row" },
          h("div", { class: "field" }, h("label", { for: "starts" }, "Who starts"), starts),
          h("div", { class: "field" }, h("label", { for: "seed" }, "Seed of the deals"), seed))) : null,
      ],
      foot: [
        h("button", { type: "button", class: "button large", onclick: () => close(null) }, "Cancel"),
        begin,
      ],
    };
  }, "wide");
}

/**
 * The choice of a wall, with a sentence about it.
 *
 * @param {Catalog["variants"]} variants
 * @param {string} chosen
 * @param {(name: string) => void} onChoose
 */
function wallChoice(variants, chosen, onChoose) {
  const words = h("p", { class: "small muted", "aria-live": "polite" });
  const buttons = variants.map(({ name }) => h("button", {
    type: "button",
    onclick: () => {
      show(name);
      onChoose(name);
    },
  }, capital(name)));
  /** @param {string} name */
  const show = (name) => {
    variants.forEach((variant, index) => buttons[index].setAttribute("aria-pressed", String(variant.name === name)));
    words.textContent = variants.find((variant) => variant.name === name)?.description ?? "";
  };
  show(chosen);
  const root = h("div", { class: "stack wall-choice" },
    h("div", { class: "row spread" }, h("span", { class: "strong" }, "Wall"),
      h("div", { class: "segmented", role: "group", "aria-label": "Wall" }, buttons)),
    words);
  return { root, show };
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
  const fresh = [{ kind: "human", name: "human", person: "" }, FRESH_AGENT];
  const kept = Array.isArray(settings().newGame) ? /** @type {SeatChoice[]} */ (settings().newGame) : fresh;
  const isPossible = kept.length >= LEAST_SEATS && kept.length <= MOST_SEATS;
  const seats = structuredClone(isPossible ? kept.map((choice) => (isKnown(catalog, choice) ? choice : FRESH_AGENT)) : fresh);
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
