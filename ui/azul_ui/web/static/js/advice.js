/** Moves that an engine recommends: shown as a hint, or played. */

import { note } from "./announce.js";
import { settings } from "./settings.js";
import { errorWords, percent } from "./words.js";

/** @typedef {import("./game_view.js").GameView} GameView */

/**
 * Show the move that an engine prefers.
 *
 * @param {GameView} view
 */
export async function showHint(view) {
  if (!view.canPlay()) return;
  view.tellActivity("Looking for a good move ...");
  try {
    const hint = await view.model.ask("hint");
    const move = view.shown?.number === hint.number && view.shown?.legal.find(({ action }) => action === hint.action);
    if (!move) return;
    view.marked = [{ move, label: "!" }];
    view.drawArrows();
    note(`Hint: ${hint.words} (${percent(hint.win_chance)} to win).`);
  } catch (error) {
    note(errorWords(error), "error");
  } finally {
    view.tellActivity("");
  }
}

/**
 * Play a candidate of the analysis; the best one is asked for if there is no analysis.
 *
 * @param {GameView} view
 * @param {number} index
 */
export async function playCandidate(view, index) {
  if (!view.canPlay()) return;
  const candidate = view.thinking.latest?.number === view.shown?.number ? view.thinking.latest?.candidates[index] : undefined;
  if (candidate) {
    view.play(candidate.action);
  } else if (index === 0) {
    const hint = await view.model.ask("hint").catch(() => null);
    if (hint && hint.number === view.shown?.number) view.play(hint.action);
  }
}

/**
 * The moves to draw on the board: a hint, else the best of the analysis, else what a mistake of the review was and should
 * have been.
 *
 * @param {GameView} view
 * @returns {import("./arrows.js").Marked[]}
 */
export function arrowsOf(view) {
  const { shown } = view;
  if (view.marked.length) return view.marked;
  if (!shown || !settings().showsArrows || view.retry) return [];
  /** @param {number} action @param {string} label */
  const marked = (action, label) => {
    const move = shown.legal.find((each) => each.action === action);
    return move ? [{ move, label }] : [];
  };
  const { latest } = view.thinking;
  if (latest?.number === shown.number && latest.candidates.length) {
    return latest.candidates.slice(0, 5).flatMap(({ action }, index) => marked(action, String(index + 1)));
  }
  if (view.tabs.current !== "review") return [];
  const mistake = view.model.review?.moves.find(({ number, severity }) => severity && number === shown.number + 1);
  return mistake ? [...marked(mistake.best.action, "✓"), ...marked(mistake.action, "?")] : [];
}
