/** One line beside the heading: what to do in the first moves, and what the last move was. */

import { h } from "./dom.js";
import { isAlone } from "./seating.js";

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
   * @param {boolean} canChoose if a move can be chosen
   * @param {boolean} isPlacing if tiles are in hand
   */
  show(game, shown, canChoose, isPlacing) {
    this.tell(guideWords(game, shown, canChoose, isPlacing));
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
 * @param {boolean} canChoose
 * @param {boolean} isPlacing
 */
function guideWords(game, shown, canChoose, isPlacing) {
  if (isPlacing) return "Now choose a dashed line; red is what it costs.";
  const [first] = shown.legal;
  if (canChoose && first?.preview.wall_cell) return choiceWords(game, shown, first.preview.wall_cell[0]);
  if (shown.last) return lastWords(game, shown.last);
  return canChoose ? "Choose tiles of one color on the table, then a line of the board." : "";
}

/**
 * What to do where a line of a gray wall is to be tiled.
 *
 * @param {Game} game
 * @param {Position} shown
 * @param {number} line
 */
function choiceWords(game, shown, line) {
  const { current_player, players } = shown.position;
  const { label } = game.seats[current_player];
  const whose = isAlone(game) && game.seats[current_player].is_person ? "your" : `${label}'s`;
  return `Choose a column for ${whose} ${players[current_player].pattern_lines[line].color} line ${line}.`;
}
