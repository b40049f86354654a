/** Where the tiles of a move would go, drawn into the spaces of a board. */

import { s } from "./dom.js";
import { signed } from "./words.js";

/** @typedef {import("./types.js").Move} Move */
/** @typedef {import("./board.js").BoardView} BoardView */

const SIZE = 36; // of a tile in a drawing

/**
 * The top left corner of a space or tile in its board's coordinates.
 *
 * @param {Element} cell
 * @returns {{x: number, y: number}}
 */
export function cellCorner(cell) {
  if (cell.tagName === "rect") {
    return { x: Number(cell.getAttribute("x")) - 1, y: Number(cell.getAttribute("y")) - 1 };
  }
  const [x, y] = (cell.getAttribute("transform") ?? "").match(/-?[\d.]+/g) ?? ["0", "0"];
  return { x: Number(x), y: Number(y) };
}

/**
 * Draw the previews of all moves of a choice; that of `active`, set by a class, shows its floor as well.
 *
 * @param {BoardView} view
 * @param {Move[]} moves
 */
export function drawPreviews(view, moves) {
  const seat = moves[0].preview.player;
  const board = view.boardSvg(seat).querySelector("g.board");
  const layer = s("g", { class: "previews" }, moves.map((move) => preview(view, move)));
  board?.insertBefore(layer, board.querySelector(".target"));
}

/** @param {BoardView} view */
export function clearPreviews(view) {
  for (const layer of view.boards.querySelectorAll(".previews")) layer.remove();
}

/**
 * @param {BoardView} view
 * @param {number | null} destination
 */
export function activatePreview(view, destination) {
  for (const drawn of view.boards.querySelectorAll(".preview")) {
    drawn.classList.toggle("active", drawn.getAttribute("data-destination") === String(destination));
  }
}

/**
 * @param {BoardView} view
 * @param {Move} move
 */
function preview(view, move) {
  const { player, line_columns, floor_slots, marker_slot, penalty } = move.preview;
  const letter = move.notation[1];
  /** @param {string} cell @param {string} target @param {string} name */
  const ghost = (cell, target, name) => {
    const found = view.cell(cell);
    if (!found) return null;
    const { x, y } = cellCorner(found);
    return s("use", { href: `#${target}`, class: name, transform: `translate(${x} ${y})` });
  };
  const line = line_columns.map((column) =>
    ghost(`line ${player} ${move.destination} ${column}`, `azul-tile-${letter}`, "ghost-tile"));
  const floor = floor_slots.map((slot) => ghost(`floor ${player} ${slot}`, `azul-tile-${letter}`, "ghost-tile"));
  if (marker_slot !== null) floor.push(ghost(`floor ${player} ${marker_slot}`, "azul-marker", "ghost-tile"));
  return s("g", { class: "preview", "data-destination": move.destination },
    line,
    s("g", { class: "floor-ghosts" }, floor),
    penalty ? costPill(view, player, move.destination, penalty) : null);
}

/**
 * The points that a move loses: right of its line, between it and the wall, where they stand below each other.
 *
 * @param {BoardView} view
 * @param {number} seat
 * @param {number} destination
 * @param {number} penalty
 */
function costPill(view, seat, destination, penalty) {
  const target = view.target(seat, destination);
  const x = Number(target?.getAttribute("x")) + Number(target?.getAttribute("width")) + 11;
  const y = Number(target?.getAttribute("y")) + 2 + SIZE / 2;
  return s("g", { class: "cost", transform: `translate(${x} ${y})` },
    s("rect", { x: -13, y: -10, width: 26, height: 20, rx: 10 }),
    s("text", { "text-anchor": "middle", y: 4.5 }, signed(-penalty)));
}
