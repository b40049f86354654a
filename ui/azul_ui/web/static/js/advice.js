/** Moves that an engine recommends: shown as a hint, or played. */

import { note } from "./announce.js";
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
