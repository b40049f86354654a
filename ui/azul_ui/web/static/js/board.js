/** The drawing of a position in the page: table, supply and boards, with a description for screen readers. */

import { h, parsedSvg, s } from "./dom.js";

/** @typedef {import("./types.js").Drawing} Drawing */
/** @typedef {import("./types.js").Move} Move */

export class BoardView {
  /** @param {string[]} colorNames */
  constructor(colorNames) {
    this.colorNames = colorNames;
    this.table = h("section", { class: "part table-part", "aria-label": "Table" });
    this.supply = h("section", { class: "part supply-part", "aria-label": "Bag and lid" });
    this.boards = h("div", { class: "boards" });
    this.root = h("div", { class: "stage", tabindex: -1 }, this.table, this.boards, this.supply);
    /** @type {HTMLElement[]} by seat */
    this.parts = [];
    this.firstSeat = 0;
  }

  /**
   * @param {Drawing} drawing
   * @param {string[]} names by seat
   * @param {number | null} mover
   */
  show(drawing, names, mover) {
    if (this.parts.length !== drawing.boards.length) {
      this.parts = drawing.boards.map((_, seat) => h("section", { class: "part board-part", "data-seat": seat }));
      this.boards.replaceChildren(...this.parts);
      this.root.dataset.players = String(this.parts.length);
    }
    const hadFocus = this.root.contains(document.activeElement);
    fill(this.table, drawing.table, "The table", tableWords(drawing.table));
    fill(this.supply, drawing.supply, "Bag and lid", "");
    drawing.boards.forEach((part, seat) => {
      const host = this.parts[seat];
      fill(host, part, `Board of ${names[seat]}`, "");
      host.setAttribute("aria-label", `Board of ${names[seat]}`);
      host.classList.toggle("is-mover", seat === mover);
      host.append(h("p", { class: "visually-hidden" }, boardWords(host, seat)));
    });
    this.order();
    // What had the focus is gone; the next key should still belong to the board.
    if (hadFocus && !this.root.contains(document.activeElement)) this.root.focus({ preventScroll: true });
  }

  /** Put the boards in their order, that of `firstSeat` first. */
  order() {
    const count = this.parts.length;
    this.parts.forEach((part, seat) => {
      const rank = String((seat - this.firstSeat + count) % count);
      part.style.order = rank;
      part.dataset.rank = rank;
    });
  }

  /** @param {number} seat */
  boardSvg(seat) {
    return /** @type {SVGSVGElement} */ (this.parts[seat].querySelector("svg"));
  }

  /** @param {string} cell such as "line 0 2 4" */
  cell(cell) {
    return /** @type {SVGGraphicsElement | null} */ (this.boards.querySelector(`[data-cell="${cell}"]`));
  }

  /** @param {number} source */
  source(source) {
    return /** @type {SVGGElement | null} */ (this.table.querySelector(`.source[data-source="${source}"]`));
  }

  /**
   * The tiles of a color on a source.
   *
   * @param {number} source
   * @param {number} color
   * @returns {SVGGraphicsElement[]}
   */
  sourceTiles(source, color) {
    const found = this.source(source)?.querySelectorAll(`.tile[data-color="${this.colorNames[color]}"]`) ?? [];
    return /** @type {SVGGraphicsElement[]} */ ([...found]);
  }

  /**
   * @param {number} seat
   * @param {number} destination
   */
  target(seat, destination) {
    return /** @type {SVGRectElement | null} */ (
      this.parts[seat]?.querySelector(`.target[data-destination="${destination}"]`));
  }

  /**
   * The shape to click for a move: a line or the floor, or the cell of a gray wall.
   *
   * @param {Move} move
   */
  targetOf({ destination, preview: { player, wall_cell } }) {
    if (!wall_cell) return this.target(player, Number(destination));
    return /** @type {SVGRectElement | null} */ (
      this.parts[player]?.querySelector(`.choice[data-column="${wall_cell[1]}"]`));
  }

  /**
   * Frame the tile of the last turn, if that placed one on a gray wall.
   *
   * @param {import("./types.js").Turn | null} turn
   */
  markTile(turn) {
    if (turn?.type !== "tile") return;
    const cell = this.cell(`wall ${turn.player} ${turn.line} ${turn.column}`);
    if (!cell) return;
    const { x, y } = cellCorner(cell);
    cell.before(s("rect", { class: "last-move cell", x: x - 3, y: y - 3, width: 42, height: 42, rx: 10 }));
  }
}

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
 * @param {HTMLElement} host
 * @param {string} part
 * @param {string} label
 * @param {string} words
 */
function fill(host, part, label, words) {
  const svg = parsedSvg(part);
  svg.setAttribute("role", "group");
  svg.setAttribute("aria-label", label);
  for (const text of svg.querySelectorAll(".text")) {
    // Single digits without their context tell a listener nothing; `words` does.
    text.removeAttribute("role");
    text.removeAttribute("aria-label");
    text.setAttribute("aria-hidden", "true");
  }
  host.replaceChildren(svg);
  if (words) host.append(h("p", { class: "visually-hidden" }, words));
}

/** @param {string} part */
function tableWords(part) {
  const sources = [...parsedSvg(part).querySelectorAll(".source")];
  const words = sources
    .sort((one, other) => Number(one.getAttribute("data-source")) - Number(other.getAttribute("data-source")))
    .map((source, index) => {
      const marker = source.querySelector(".marker") ? ["the marker"] : [];
      const tiles = [...countedColors(source.querySelectorAll(".tile")), ...marker];
      const name = index === sources.length - 1 ? "Center" : `Factory ${index}`;
      return tiles.length ? `${name}: ${tiles.join(", ")}.` : "";
    });
  return words.filter(Boolean).join(" ") || "No tiles on the table.";
}

/**
 * @param {HTMLElement} host
 * @param {number} seat
 */
function boardWords(host, seat) {
  /** @param {string} kind */
  const rows = (kind) => [0, 1, 2, 3, 4]
    .map((row) => [row, countedColors(host.querySelectorAll(`.tile[data-place="${kind} ${seat} ${row}"]`))])
    .filter(([, tiles]) => /** @type {string[]} */ (tiles).length)
    .map(([row, tiles]) => `${row}: ${/** @type {string[]} */ (tiles).join(", ")}`)
    .join("; ");
  const floor = countedColors(host.querySelectorAll(`.tile[data-place="floor ${seat}"]`));
  if (host.querySelector(`.marker[data-place="floor ${seat}"]`)) floor.push("the marker");
  return `Lines ${rows("line") || "empty"}. Wall ${rows("wall") || "empty"}. Floor ${floor.join(", ") || "empty"}.`;
}

/**
 * @param {NodeListOf<Element>} tiles
 * @returns {string[]}
 */
function countedColors(tiles) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const tile of tiles) {
    const color = tile.getAttribute("data-color") ?? "";
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  return [...counts].map(([color, count]) => `${count} ${color}`);
}
