/** One line beside the heading: what to do in the first moves, and what the last move was. */

import { h } from "./dom.js";

/** @typedef {import("./types.js").Game} Game */
/** @typedef {import("./types.js").Position} Position */

export class Guide {
  constructor() {
    // A screen reader hears moves from the announcer.
    this.root = h("p", { class: "guide small" });
  }

  /**
   * @param {Game} game
   * @param {Position} shown
   * @param {boolean} canPlay
   * @param {boolean} isPlacing if tiles are in hand
   */
  show(game, shown, canPlay, isPlacing) {
    const words = guideWords(game, shown, canPlay, isPlacing);
    this.root.textContent = words;
    this.root.title = words;
  }
}

/**
 * @param {Game} game
 * @param {Position} shown
 * @param {boolean} canPlay
 * @param {boolean} isPlacing
 */
function guideWords(game, shown, canPlay, isPlacing) {
  if (isPlacing) return "Now choose a dashed line; red is what it costs.";
  if (shown.last) return `${game.seats[shown.last.player].label}: ${shown.last.words}`;
  return canPlay ? "Choose tiles of one color on the table, then a line of the board." : "";
}
