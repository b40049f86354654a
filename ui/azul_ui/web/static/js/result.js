/** The end of a game, and the menu of a game. */

import { note } from "./announce.js";
import { createGame } from "./api.js";
import { confirmed } from "./dialog.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { isNarrow } from "./narrow.js";
import { linkContent, takeawayItems } from "./takeaway.js";
import { errorWords } from "./words.js";

/** @typedef {import("./game_view.js").GameView} GameView */
/** @typedef {import("./types.js").Game} Game */

/**
 * Show or hide the result. The last scoring should be seen before its sum, so the end of a game alone does not show it.
 *
 * @param {GameView} view
 * @param {boolean} isShown
 */
export function showResult(view, isShown) {
  view.showsResult = isShown;
  view.result.replaceChildren();
  view.headResult.replaceChildren();
  // On a phone the panels are far below the board.
  if (isShown && view.game) (isNarrow() ? view.headResult : view.result).append(...resultBox(view, view.game));
}

/**
 * What is shown when the game is over.
 *
 * @param {GameView} view
 * @param {Game} game
 * @returns {HTMLElement[]}
 */
function resultBox(view, game) {
  if (!game.is_over || !game.result) return [];
  return [h("section", { class: "result", "aria-label": "Result" },
    h("p", { class: "result-words strong" }, game.result.words),
    h("div", { class: "row spread" }, h("ol", { class: "result-scores" }, ranked(game).map((seat) => h("li", {},
      h("span", { class: `seat-name seat-${seat}` }, game.seats[seat].label),
      h("span", { class: "number strong" }, game.result?.scores[seat] ?? "")))),
    h("div", { class: "row" },
      game.can_rematch
        ? h("button", { type: "button", class: "button primary", onclick: () => void rematch(view) }, icon("again"), "Rematch") : null,
      h("button", { type: "button", class: "button", onclick: () => showReview(view) }, icon("target"), "Review"))))];
}

/**
 * The seats from the winner down.
 *
 * @param {Game} game
 */
function ranked(game) {
  const ranks = game.result?.ranks ?? [];
  return game.seats.map((_, seat) => seat).sort((one, other) => ranks[one] - ranks[other]);
}

/** @param {GameView} view */
function showReview(view) {
  view.tabs.select("review");
  view.tabs.bar.scrollIntoView({ block: "nearest" });
}

/** @param {GameView} view */
async function rematch(view) {
  try {
    view.app.openGame(await createGame({ rematch: view.id }));
  } catch (error) {
    note(errorWords(error), "error");
  }
}

/** @param {GameView} view */
async function resign(view) {
  const { game } = view;
  if (!game) return;
  const people = game.seats.flatMap((seat, index) => (seat.is_person ? [index] : []));
  const seat = game.to_move?.is_person ? game.to_move.seat : people.length === 1 ? people[0] : null;
  if (seat === null) {
    note("Resign when it is your turn.");
    return;
  }
  if (await confirmed("Resign?", `${game.seats[seat].label} gives up this game.`, "Resign")) view.model.send("resign", { seat });
}

/**
 * @param {GameView} view
 * @returns {import("./menu.js").MenuItem[]}
 */
export function gameMenu(view) {
  const { game } = view;
  const hasPeople = game?.seats.some((seat) => seat.is_person) ?? false;
  return [
    ...(hasPeople && !game?.is_over ? [{ label: "Resign ...", icon: "flag", action: () => void resign(view) }] : []),
    ...(game?.can_rematch ? [{ label: "Rematch", icon: "again", action: () => void rematch(view) }] : []),
    { label: "Edit this position", icon: "edit", action: () => view.app.setup(view.shown?.text ?? "") },
    null,
    ...takeawayItems(view.id, () => view.shown, () => linkContent(view.id)),
  ];
}
