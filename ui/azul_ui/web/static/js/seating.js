/** Whose board comes first. */

import { isNarrow } from "./narrow.js";

/** @typedef {import("./types.js").Game} Game */

/** @param {Game} game */
function peopleOf(game) {
  return game.seats.flatMap((seat, index) => (seat.is_person ? [index] : []));
}

/**
 * True if one person plays against agents, and so looks at one board the most.
 *
 * @param {Game} game
 */
export function isAlone(game) {
  return peopleOf(game).length === 1;
}

/**
 * The seat whose board comes first: that of a person who plays alone; on a phone, where it is all one sees, that of the
 * player to move or the winner.
 *
 * @param {Game} game
 * @param {import("./types.js").Position} position
 * @param {number} flips
 */
export function firstSeat(game, position, flips) {
  const [winner] = position.number === game.number ? game.result?.winners ?? [] : [];
  const base = isAlone(game) ? peopleOf(game)[0] : isNarrow() ? winner ?? position.position.current_player : 0;
  return (base + flips) % game.seats.length;
}
