/** The best moves drawn on the board: numbered arrows from a source to a line, or numbers on cells of a gray wall. */

import { s } from "./dom.js";

/** @typedef {import("./types.js").Move} Move */
/** @typedef {import("./board.js").BoardView} BoardView */
/** @typedef {{move: Move, label: string}} Marked */

const MOST = 5;

export class Arrows {
  /** @param {BoardView} view */
  constructor(view) {
    this.view = view;
    this.layer = s("svg", { class: "arrows", "aria-hidden": "true" });
    view.root.append(this.layer);
    /** @type {Marked[]} */
    this.marked = [];
    /** @type {number | null} */
    this.strong = null;
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(view.root);
  }

  /** @param {Marked[]} marked the best first */
  show(marked) {
    this.marked = marked.slice(0, MOST);
    this.draw();
  }

  /** @param {number | null} index of the arrow that stands out */
  emphasise(index) {
    this.strong = index;
    this.draw();
  }

  close() {
    this.observer.disconnect();
  }

  draw() {
    const base = this.view.root.getBoundingClientRect();
    /** @type {Map<string, number>} */
    const crowd = new Map();
    const drawn = this.marked.map(({ move, label }, index) => {
      const target = this.view.targetOf(move);
      if (!target) return null;
      const box = target.getBoundingClientRect();
      const radius = Math.max(8, box.height * 0.29);
      const isFaint = this.strong === null ? index > 0 : this.strong !== index;
      if (move.source === null) {
        // In the corner, so that what would lie there can be seen.
        const corner = { x: box.left - base.left + radius * 0.8, y: box.top - base.top + radius * 0.6 };
        return mark(badge(corner, radius, label), index, isFaint);
      }
      const tile = this.view.sourceTiles(move.source, move.color).at(-1);
      if (!tile) return null;
      const from = centerOf(tile, base);
      const key = `${move.destination}`;
      const nth = crowd.get(key) ?? 0;
      crowd.set(key, nth + 1);
      const to = { x: box.left - base.left + radius * (0.6 + 2.1 * nth), y: box.top - base.top + box.height / 2 };
      return mark([...arrow(from, to, radius), ...badge(to, radius, label)], index, isFaint);
    });
    this.layer.replaceChildren(...drawn.filter((element) => element !== null).reverse());
  }
}

/**
 * @param {Element} element
 * @param {DOMRect} base
 */
function centerOf(element, base) {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { x: left - base.left + width / 2, y: top - base.top + height / 2 };
}

/**
 * @param {{x: number, y: number}} from
 * @param {{x: number, y: number}} to
 * @param {number} radius of the badge at its end
 */
function arrow(from, to, radius) {
  const bend = 0.12 * Math.hypot(to.x - from.x, to.y - from.y);
  const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 - bend };
  const path = `M${from.x} ${from.y}Q${middle.x} ${middle.y} ${to.x} ${to.y}`;
  return [
    s("path", { d: path, class: "arrow-halo" }),
    s("path", { d: path, class: "arrow-line" }),
    s("circle", { cx: from.x, cy: from.y, r: radius * 0.45, class: "arrow-start" }),
  ];
}

/**
 * @param {{x: number, y: number}} place
 * @param {number} radius
 * @param {string} label
 */
function badge({ x, y }, radius, label) {
  return [
    s("circle", { cx: x, cy: y, r: radius, class: "arrow-badge" }),
    s("text", { x, y, dy: "0.36em", "text-anchor": "middle", "font-size": radius * 1.2 }, label),
  ];
}

/**
 * @param {Element[]} parts
 * @param {number} index
 * @param {boolean} isFaint
 */
function mark(parts, index, isFaint) {
  return s("g", { class: `arrow-mark${isFaint ? " faint" : ""}`, "data-rank": index + 1 }, parts);
}
