/** The chances to win over a game, by seat; a click goes to a position. */

import { h, s } from "./dom.js";
import { percent, SEVERITIES, SEVERITY_WORDS } from "./words.js";

/** @typedef {import("./types.js").Review} Review */
/** @typedef {import("./types.js").Turn} Turn */

const TOP = 8;
const LEFT = 34; // for the scale
const RIGHT = 6; // for a mark at the end
const MARK = 5; // half the size of a mark
const BOTTOM = 22; // for the names of the rounds
const DASHES = ["", "7 4", "2 4", "10 4 2 4"]; // seats are told apart without color as well

/** Mistakes by size: told apart by their shape as well. @type {Record<import("./types.js").Severity, string>} */
const SHAPES = {
  blunder: `M0 ${-MARK - 1}L${MARK + 1} ${MARK}H${-MARK - 1}Z`,
  mistake: `M0 ${-MARK - 1}L${MARK + 1} 0L0 ${MARK + 1}L${-MARK - 1} 0Z`,
  inaccuracy: "M-3.5 0A3.5 3.5 0 0 0 3.5 0A3.5 3.5 0 0 0 -3.5 0Z",
};

export class ChanceGraph {
  /** @param {(number: number) => void} onGo */
  constructor(onGo) {
    this.onGo = onGo;
    this.total = 1;
    this.width = 320;
    this.height = 150;
    this.number = 0; // of the position shown
    /** @type {{review: Review, turns: Turn[], names: string[]} | null} */
    this.content = null;
    this.cursor = s("line", { class: "graph-cursor" });
    this.svg = s("svg", { class: "graph", role: "img" });
    // Its units are sixteenths of a rem, so that texts and dots have the size of the page's.
    new ResizeObserver(() => this.draw()).observe(this.svg);
    this.legend = h("div", { class: "graph-legend small" });
    this.tip = h("output", { class: "graph-tip small number" });
    this.root = h("figure", { class: "graph-box" }, this.svg, h("figcaption", {}, this.legend, this.tip));
    this.svg.addEventListener("pointerdown", (event) => this.go(event));
    this.svg.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) this.go(event);
    });
  }

  /** @param {PointerEvent} event */
  go(event) {
    const box = this.svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * this.width;
    const share = Math.min(1, Math.max(0, (x - LEFT) / (this.width - LEFT - RIGHT)));
    this.onGo(Math.round(share * this.total));
  }

  /** @param {number} number */
  x(number) {
    return LEFT + (number / this.total) * (this.width - LEFT - RIGHT);
  }

  /** @param {number} chance */
  y(chance) {
    return TOP + (1 - chance) * (this.height - TOP - BOTTOM);
  }

  /**
   * @param {Review} review
   * @param {Turn[]} turns
   * @param {string[]} names
   */
  show(review, turns, names) {
    this.content = { review, turns, names };
    this.draw();
  }

  draw() {
    if (!this.content) return;
    const { review, turns, names } = this.content;
    const unit = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
    this.width = this.svg.clientWidth / unit || this.width;
    this.height = this.svg.clientHeight / unit || this.height;
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.total = Math.max(1, turns.length);
    const moves = review.moves;
    const lines = names.map((_, seat) => {
      const points = moves.map((move) => `${this.x(move.number).toFixed(1)} ${this.y(move.win_chances[seat]).toFixed(1)}`);
      return s("path", { class: `graph-line seat-${seat}`, d: points.length ? `M${points.join("L")}` : "", "stroke-dasharray": DASHES[seat] });
    });
    const marks = moves.filter((move) => move.severity).map((move) => {
      const severity = /** @type {import("./types.js").Severity} */ (move.severity);
      return s("path", {
        class: `graph-mark ${severity}`,
        d: SHAPES[severity],
        transform: `translate(${this.x(move.number).toFixed(1)} ${this.y(move.win_chances[move.player]).toFixed(1)})`,
      }, s("title", {}, `${move.number}. ${names[move.player]}: ${move.notation}, ${SEVERITY_WORDS[severity][0]}`));
    });
    this.svg.replaceChildren(...this.grid(turns), ...lines, ...marks, this.cursor);
    this.svg.setAttribute("aria-label", graphWords(review, names));
    this.legend.replaceChildren(...names.map((name, seat) => h("span", { class: `legend-item seat-${seat}` },
      s("svg", { viewBox: "0 0 26 8", class: "legend-line", "aria-hidden": "true" },
        s("path", { class: `graph-line seat-${seat}`, d: "M1 4H25", "stroke-dasharray": DASHES[seat] })), name)),
    ...SEVERITIES.filter((severity) => moves.some((move) => move.severity === severity)).map((severity) => h("span", { class: "legend-item" },
      s("svg", { viewBox: "-7 -7 14 14", class: "legend-mark", "aria-hidden": "true" }, s("path", { class: `graph-mark ${severity}`, d: SHAPES[severity] })),
      SEVERITY_WORDS[severity][0])));
    this.mark(this.number);
  }

  /** @param {Turn[]} turns */
  grid(turns) {
    const grid = [0, 0.5, 1].map((chance) =>
      s("g", {},
        s("line", { class: "graph-rule", x1: LEFT, x2: this.width - RIGHT, y1: this.y(chance), y2: this.y(chance) }),
        s("text", { class: "graph-text graph-scale", x: LEFT - 5, y: this.y(chance) + 3.5, "text-anchor": "end" }, `${100 * chance}%`)));
    /** @type {Element[]} */
    const borders = [];
    turns.forEach((turn, index) => {
      const isFirst = index === 0 || turns[index - 1].round !== turn.round;
      if (!isFirst) return;
      const x = this.x(turn.number - 1);
      if (index) borders.push(s("line", { class: "graph-round", x1: x, x2: x, y1: TOP, y2: this.height - BOTTOM }));
      borders.push(s("text", { class: "graph-text", x: x + 4, y: this.height - 6 }, `R${turn.round}`));
    });
    return [...grid, ...borders];
  }

  /** @param {number} number of the position shown */
  mark(number) {
    this.number = number;
    const x = String(this.x(number));
    this.cursor.setAttribute("x1", x);
    this.cursor.setAttribute("x2", x);
    this.cursor.setAttribute("y1", String(TOP));
    this.cursor.setAttribute("y2", String(this.height - BOTTOM));
    const move = this.content?.review.moves.find((each) => each.number === number);
    this.tip.textContent = move && this.content
      ? this.content.names.map((name, seat) => `${name} ${percent(move.win_chances[seat])}`).join(" · ")
      : "";
  }
}

/**
 * @param {Review} review
 * @param {string[]} names
 */
function graphWords(review, names) {
  const last = review.moves.at(-1);
  const end = last ? names.map((name, seat) => `${name} ${percent(last.win_chances[seat])}`).join(", ") : "none yet";
  return `Chances to win after each of ${review.moves.length} moves; at the end ${end}`;
}
