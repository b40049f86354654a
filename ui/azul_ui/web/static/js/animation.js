/** How a turn is shown: its tiles travel, then the round is scored tile by tile. */

import { cellCorner } from "./board.js";
import { parsedSvg, s } from "./dom.js";
import { signed } from "./words.js";

/** @typedef {import("./types.js").Move} Move */
/** @typedef {import("./types.js").Drawing} Drawing */
/** @typedef {import("./types.js").SeatScoring} SeatScoring */
/** @typedef {import("./board.js").BoardView} BoardView */
/** @typedef {import("./motion.js").Motion} Motion */
/** @typedef {{target: string, from: Element, to: DOMRect, cell: string | null}} Flight */

const TRAVEL_MS = 480;
const STAGGER_MS = 45;
const TILE_MS = 420;
const POINTS_MS = 900;

/**
 * Let the tiles of a move travel in the drawing before it; they lie in their spaces afterwards.
 *
 * @param {BoardView} view
 * @param {Motion} motion
 * @param {Move} move
 * @param {Drawing} next what will be shown after it
 * @param {boolean} isNewDeal if the table of `next` is another deal
 */
export async function showTravel(view, motion, move, next, isNewDeal) {
  const taken = takenFlights(view, move);
  const flights = [...taken, ...(isNewDeal ? [] : restFlights(view, move, next))];
  await Promise.all(flights.map(async (flight, index) => {
    const { target, from, to, cell } = flight;
    const start = from.getBoundingClientRect();
    from.classList.add("gone");
    const copy = await motion.fly(target, start, to, TRAVEL_MS, cell ? STAGGER_MS * index : 0);
    if (cell) land(view, target, cell, move);
    if (taken.includes(flight)) copy?.remove(); // the others lie in the center until the next drawing
  }));
}

/**
 * The flights of the tiles that are taken, and of the marker.
 *
 * @param {BoardView} view
 * @param {Move} move
 * @returns {Flight[]}
 */
function takenFlights(view, move) {
  const { player, line_columns, floor_slots, marker_slot } = move.preview;
  const cells = [
    ...line_columns.map((column) => `line ${player} ${move.destination} ${column}`),
    ...floor_slots.map((slot) => `floor ${player} ${slot}`),
  ];
  /** @type {Flight[]} */
  const flights = [];
  view.sourceTiles(Number(move.source), move.color).forEach((from, index) => {
    const space = cells[index] ? view.cell(cells[index]) : view.supply;
    if (!space) return;
    const to = cells[index] ? space.getBoundingClientRect() : middleOf(space, from);
    flights.push({ target: `azul-tile-${move.notation[1]}`, from, to, cell: cells[index] ?? null });
  });
  const marker = view.table.querySelector(".marker");
  if (move.preview.takes_marker && marker) {
    const cell = marker_slot === null ? null : `floor ${player} ${marker_slot}`;
    const space = cell ? view.cell(cell) : view.supply;
    if (space) flights.push({ target: "azul-marker", from: marker, to: space.getBoundingClientRect(), cell });
  }
  return flights;
}

/**
 * The flights of all tiles that end in the center: those of the factory, and those there that make room for them.
 *
 * @param {BoardView} view
 * @param {Move} move
 * @param {Drawing} next
 * @returns {Flight[]}
 */
function restFlights(view, move, next) {
  const matrix = view.table.querySelector("svg")?.getScreenCTM();
  if (!matrix) return [];
  const places = parsedSvg(next.table).querySelectorAll('[data-place="center"]');
  const source = view.source(Number(move.source));
  const stays = [...view.table.querySelectorAll('[data-place="center"]'), ...(source?.querySelectorAll(".tile") ?? [])]
    .filter((tile, index, all) => all.indexOf(tile) === index && !tile.classList.contains("gone"))
    .filter((tile) => !takes(view, move, tile));
  return [...places].flatMap((place) => {
    const href = place.getAttribute("href");
    const index = stays.findIndex((tile) => tile.getAttribute("href") === href);
    if (index < 0 || !href) return [];
    const [from] = stays.splice(index, 1);
    const [x, y, scale] = (place.getAttribute("transform") ?? "").match(/-?[\d.]+/g)?.map(Number) ?? [0, 0, 1];
    const size = 36 * (scale ?? 1) * matrix.a;
    return [{ target: href.slice(1), from, to: new DOMRect(matrix.a * x + matrix.e, matrix.d * y + matrix.f, size, size), cell: null }];
  });
}

/**
 * @param {BoardView} view
 * @param {Move} move
 * @param {Element} tile
 */
function takes(view, move, tile) {
  if (tile.classList.contains("marker")) return move.preview.takes_marker;
  return view.source(Number(move.source))?.contains(tile) && tile.getAttribute("data-color") === view.colorNames[move.color];
}

/**
 * Put a tile into its space on the board.
 *
 * @param {BoardView} view
 * @param {string} target
 * @param {string} cell
 * @param {Move} move
 */
function land(view, target, cell, move) {
  const space = view.cell(cell);
  if (!space) return;
  const { x, y } = cellCorner(space);
  const isMarker = target === "azul-marker";
  space.replaceWith(s("use", {
    href: `#${target}`,
    class: isMarker ? "marker" : "tile",
    "data-color": isMarker ? null : view.colorNames[move.color],
    "data-place": cell.slice(0, cell.lastIndexOf(" ")),
    "data-cell": cell,
    transform: `translate(${x} ${y})`,
  }));
}

/**
 * Score a round on the boards, all seats at the same time.
 *
 * @param {BoardView} view
 * @param {Motion} motion
 * @param {import("./types.js").Scoring} scoring
 */
export async function showScoring(view, motion, scoring) {
  await motion.pause(250);
  await Promise.all(scoring.seats.map((seat, index) => scoreSeat(view, motion, index, seat)));
  await motion.pause(scoring.is_final ? 900 : 450);
}

/**
 * @param {BoardView} view
 * @param {Motion} motion
 * @param {number} seat
 * @param {SeatScoring} items
 */
async function scoreSeat(view, motion, seat, items) {
  const counter = scoreCounter(view, seat, items.before);
  let score = items.before;
  /** @param {number} points @param {Element | null} place @param {string} [label] */
  const count = async (points, place, label = "") => {
    score += points;
    counter.textContent = String(score);
    if (place) await floatPoints(view, motion, seat, place, label + signed(points));
  };
  for (const tile of items.tiles) {
    const wall = view.cell(`wall ${seat} ${tile.row} ${tile.column}`);
    const line = [...view.parts[seat].querySelectorAll(`[data-place="line ${seat} ${tile.row}"]`)];
    const from = line.at(-1);
    if (!wall || !from) continue;
    const [start, end] = [from, wall].map((element) => element.getBoundingClientRect());
    const target = from.getAttribute("href")?.slice(1) ?? "";
    for (const one of line) one.replaceWith(freeSpace(one));
    const copy = await motion.fly(target, start, end, TILE_MS, 0);
    const corner = cellCorner(wall);
    wall.replaceWith(s("use", { href: `#${target}`, class: "tile", "data-cell": wall.getAttribute("data-cell"), transform: `translate(${corner.x} ${corner.y})` }));
    copy?.remove();
    void count(tile.points, view.cell(`wall ${seat} ${tile.row} ${tile.column}`));
    await motion.pause(160);
  }
  if (items.floor + items.clamp) {
    for (const token of view.parts[seat].querySelectorAll(`[data-place="floor ${seat}"]`)) token.replaceWith(freeSpace(token));
    await count(items.floor + items.clamp, view.cell(`floor ${seat} 0`), "Floor ");
  }
  /** @type {[string, number][]} */
  const bonuses = [["Rows ", items.row_bonus], ["Columns ", items.column_bonus], ["Colors ", items.color_bonus]];
  for (const [label, points] of bonuses) {
    if (points) await count(points, view.cell(`wall ${seat} 2 2`), label);
  }
}

/**
 * The empty space below a tile of a line or floor.
 *
 * @param {Element} tile
 */
function freeSpace(tile) {
  const { x, y } = cellCorner(tile);
  return s("rect", { class: "free", "data-cell": tile.getAttribute("data-cell"), x: x + 1, y: y + 1, width: 34, height: 34, rx: 7, "stroke-width": 1.2 });
}

/**
 * A score that can count, in place of the drawn one.
 *
 * @param {BoardView} view
 * @param {number} seat
 * @param {number} score
 */
function scoreCounter(view, seat, score) {
  const drawn = view.parts[seat].querySelector(".score");
  const counter = s("text", { class: "score-counter", x: 454, y: 41, "text-anchor": "end" }, String(score));
  drawn?.replaceWith(counter);
  return counter;
}

/**
 * @param {BoardView} view
 * @param {Motion} motion
 * @param {number} seat
 * @param {Element} place
 * @param {string} words
 */
async function floatPoints(view, motion, seat, place, words) {
  if (motion.isSkipped) return;
  const { x, y } = cellCorner(place);
  const width = 16 + 9.5 * words.length;
  const pill = s("g", { class: words.includes("−") ? "points loss" : "points" },
    s("rect", { x: -width / 2, y: -14, width, height: 28, rx: 14 }),
    s("text", { "text-anchor": "middle", y: 5.5 }, words));
  const left = Math.max(x + 18, width / 2 + 6);
  view.boardSvg(seat).append(pill);
  await motion.run(pill, [
    { transform: `translate(${left}px, ${y + 18}px) scale(0.6)`, opacity: 0 },
    { transform: `translate(${left}px, ${y + 4}px) scale(1)`, opacity: 1, offset: 0.2 },
    { transform: `translate(${left}px, ${y}px) scale(1)`, opacity: 1, offset: 0.75 },
    { transform: `translate(${left}px, ${y - 14}px) scale(0.95)`, opacity: 0 },
  ], POINTS_MS);
  pill.remove();
}

/**
 * The middle of an element, as large as a tile.
 *
 * @param {Element} element
 * @param {Element} tile
 */
function middleOf(element, tile) {
  const { x, y, width, height } = element.getBoundingClientRect();
  const size = tile.getBoundingClientRect().width;
  return new DOMRect(x + (width - size) / 2, y + (height - size) / 2, size, size);
}
