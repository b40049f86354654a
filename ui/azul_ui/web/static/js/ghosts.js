/** Where the tiles of a move would go, drawn into the spaces of a board. */

import { cellCorner } from "./board.js";
import { s } from "./dom.js";
import { signed } from "./words.js";

/** @typedef {import("./types.js").Move} Move */
/** @typedef {import("./board.js").BoardView} BoardView */

const SIZE = 36; // of a tile in a drawing

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
 * @param {Move | null} move
 */
export function activatePreview(view, move) {
  for (const drawn of view.boards.querySelectorAll(".preview")) {
    drawn.classList.toggle("active", drawn.getAttribute("data-action") === String(move?.action));
  }
}

/**
 * @param {BoardView} view
 * @param {Move} move
 */
function preview(view, move) {
  const { player, line_columns, floor_slots, marker_slot, penalty, wall_cell } = move.preview;
  if (wall_cell) return wallPreview(view, move, wall_cell);
  const tile = `#azul-tile-${move.notation[1]}`;
  const line = line_columns.map((column) => ghost(view, `line ${player} ${move.destination} ${column}`, tile));
  const floor = floor_slots.map((slot) => ghost(view, `floor ${player} ${slot}`, tile));
  if (marker_slot !== null) floor.push(ghost(view, `floor ${player} ${marker_slot}`, "#azul-marker"));
  return s("g", { class: "preview", "data-action": move.action },
    line,
    s("g", { class: "floor-ghosts" }, floor),
    penalty ? costPill(view, move) : null);
}

/**
 * The tile of a full line on a cell of the wall, with the points that it brings.
 *
 * @param {BoardView} view
 * @param {Move} move
 * @param {[number, number]} cell
 */
function wallPreview(view, move, [row, column]) {
  const { player, points } = move.preview;
  const place = `wall ${player} ${row} ${column}`;
  const found = view.cell(place);
  if (!found) return null;
  const { x, y } = cellCorner(found);
  const tile = view.parts[player].querySelector(`.tile[data-place="line ${player} ${row}"]`)?.getAttribute("href") ?? "";
  return s("g", { class: "preview", "data-action": move.action },
    ghost(view, place, tile),
    pill("gain", x + SIZE / 2, y + SIZE - 1, points));
}

/**
 * @param {BoardView} view
 * @param {string} cell
 * @param {string} href of what would lie there
 */
function ghost(view, cell, href) {
  const found = view.cell(cell);
  if (!found) return null;
  const { x, y } = cellCorner(found);
  return s("use", { href, class: "ghost-tile", transform: `translate(${x} ${y})` });
}

/**
 * The points that a move loses: right of its line, between it and the wall, where they stand below each other.
 *
 * @param {BoardView} view
 * @param {Move} move
 */
function costPill(view, move) {
  const target = view.targetOf(move);
  const x = Number(target?.getAttribute("x")) + Number(target?.getAttribute("width")) + 11;
  const y = Number(target?.getAttribute("y")) + 2 + SIZE / 2;
  return pill("cost", x, y, -move.preview.penalty);
}

/**
 * @param {"cost" | "gain"} kind
 * @param {number} x
 * @param {number} y
 * @param {number} points
 */
function pill(kind, x, y, points) {
  const half = kind === "cost" ? 10 : 8; // of its height: between the rows of a wall there is little room
  return s("g", { class: kind, transform: `translate(${x} ${y})` },
    s("rect", { x: -13, y: -half, width: 26, height: 2 * half, rx: half }),
    s("text", { "text-anchor": "middle", y: 0.45 * half }, signed(points)));
}
