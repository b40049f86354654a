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
    this.tell(guideWords(game, shown, canPlay, isPlacing));
  }

  /** @param {string} words */
  tell(words) {
    this.root.textContent = words;
    this.root.title = words;
  }
}

/**
 * A position that was gone back or on to, for a screen reader.
 *
 * @param {Game} game
 * @param {Position} shown
 */
export function positionWords(game, shown) {
  const { title, headline } = shown.drawing;
  const place = shown.last ? `Move ${shown.number} of ${game.number}. ${lastWords(game, shown.last)}. ` : "Start of the game. ";
  return `${place}${title}, ${headline}.`;
}

/**
 * @param {Game} game
 * @param {import("./types.js").Turn} last
 */
function lastWords(game, last) {
  return `${game.seats[last.player].label}: ${last.words}`;
}

/**
 * @param {Game} game
 * @param {Position} shown
 * @param {boolean} canPlay
 * @param {boolean} isPlacing
 */
function guideWords(game, shown, canPlay, isPlacing) {
  if (isPlacing) return "Now choose a dashed line; red is what it costs.";
  if (shown.last) return lastWords(game, shown.last);
  return canPlay ? "Choose tiles of one color on the table, then a line of the board." : "";
}
