/**
 * Choosing a move on the board by mouse, touch or keys: first a color on a source, then a line or the floor; where a line of
 * a gray wall is to be tiled, only a cell of the wall.
 */

import { s } from "./dom.js";
import { DragTracker } from "./drag.js";
import { activatePreview, clearPreviews, drawPreviews } from "./ghosts.js";
import { counted } from "./words.js";

/** @typedef {import("./types.js").Move} Move */
/** @typedef {import("./board.js").BoardView} BoardView */
/** @typedef {{source: number, color: number, moves: Move[], element: SVGGElement}} Pick */

export class MoveChooser {
  /**
   * @param {BoardView} view
   * @param {{onChoose: (move: Move) => void, onPick?: (pick: Pick | null) => void}} handlers
   */
  constructor(view, handlers) {
    this.view = view;
    this.handlers = handlers;
    /** @type {Pick[]} */
    this.picks = [];
    /** @type {Move[] | null} what can be chosen from */
    this.moves = null;
    /** @type {Pick | null} */
    this.picked = null;
    /** @type {Move[]} of which one is chosen by a click on its target: those of a pick, or the columns of a gray wall */
    this.offered = [];
    this.byKeys = false;
    this.drag = new DragTracker(this);
  }

  /**
   * Make the tiles of these moves choosable in the drawing that is shown.
   *
   * @param {Move[]} moves
   */
  enable(moves) {
    // Nothing has changed: tiles that are in hand stay there.
    if (moves === this.moves && this.isShown()) return;
    this.disable();
    this.moves = moves;
    if (moves[0]?.preview.wall_cell) this.offer(moves);
    else this.makePicks(moves);
    this.view.root.classList.toggle("is-choosing", moves.length > 0);
    if (!this.byKeys || document.activeElement !== this.view.root) return;
    if (this.offered.length) this.focusTarget(this.offered[0]);
    else this.focusPick(this.picks[0]);
  }

  /** True if a move can be chosen. */
  get isEnabled() {
    return Boolean(this.moves?.length);
  }

  /** True if what can be clicked is still part of the drawing. */
  isShown() {
    return this.picks.every((pick) => pick.element.isConnected)
      && this.offered.every((move) => this.view.targetOf(move)?.classList.contains("legal"));
  }

  /** @param {Move[]} moves */
  makePicks(moves) {
    /** @type {Map<string, Move[]>} */
    const groups = new Map();
    for (const move of moves) {
      const key = `${move.source} ${move.color}`;
      groups.set(key, [...(groups.get(key) ?? []), move]);
    }
    this.picks = [...groups.values()]
      .sort(([one], [other]) => Number(one.source) - Number(other.source) || one.color - other.color)
      .map((group) => this.makePick(group));
    if (this.picks.length) this.picks[0].element.setAttribute("tabindex", "0");
  }

  /** Take all choices away. */
  disable() {
    this.drag.cancel();
    this.unpick();
    this.withdraw();
    for (const { element } of this.picks) element.replaceWith(...element.children);
    this.picks = [];
    this.moves = null;
    this.view.root.classList.remove("is-choosing");
  }

  /** @param {Move[]} moves of one color on one source */
  makePick(moves) {
    const { color } = moves[0];
    const source = Number(moves[0].source);
    const tiles = this.view.sourceTiles(source, color);
    const group = this.view.source(source);
    const place = source === this.view.table.querySelectorAll(".source").length - 1 ? "Center" : `Factory ${source}`;
    const name = this.view.colorNames[color];
    const marker = moves[0].preview.takes_marker ? ", with the marker" : "";
    const element = s("g", {
      class: "pick",
      role: "button",
      tabindex: -1,
      "data-source": source,
      "data-color": name,
      "aria-pressed": "false",
      "aria-label": `${place}: ${counted(tiles.length, `${name} tile`)}${marker}`,
    });
    group?.insertBefore(element, tiles[0] ?? null);
    element.append(...tiles);
    const pick = { source, color, moves, element };
    element.addEventListener("click", (event) => {
      if (this.drag.hasJustEnded) return;
      this.byKeys = event.detail === 0;
      if (this.picked === pick) this.unpick();
      else this.pick(pick);
    });
    element.addEventListener("pointerdown", (event) => this.drag.start(event, pick));
    element.addEventListener("keydown", (event) => this.onPickKey(event, pick));
    return pick;
  }

  /** @param {Pick} pick */
  pick(pick) {
    this.unpick();
    this.picked = pick;
    pick.element.classList.add("picked");
    pick.element.setAttribute("aria-pressed", "true");
    this.view.root.classList.add("is-placing");
    this.offer(pick.moves);
    if (this.byKeys) this.focusTarget(pick.moves[0]);
    this.handlers.onPick?.(pick);
  }

  /** Put the picked tiles back. */
  unpick() {
    const pick = this.picked;
    if (!pick) return;
    this.picked = null;
    const hadFocus = document.activeElement?.classList.contains("target");
    pick.element.classList.remove("picked");
    pick.element.setAttribute("aria-pressed", "false");
    this.view.root.classList.remove("is-placing");
    this.withdraw();
    if (hadFocus && pick.element.isConnected) this.focusPick(pick);
    this.handlers.onPick?.(null);
  }

  /**
   * Let the targets of these moves be clicked.
   *
   * @param {Move[]} moves
   */
  offer(moves) {
    this.offered = moves;
    drawPreviews(this.view, moves);
    for (const move of moves) this.openTarget(move);
  }

  /** Close all targets. */
  withdraw() {
    this.offered = [];
    clearPreviews(this.view);
    for (const target of this.view.boards.querySelectorAll(".legal")) {
      target.classList.remove("legal");
      for (const name of ["role", "tabindex", "aria-label"]) target.removeAttribute(name);
      // A copy without listeners takes its place.
      target.replaceWith(target.cloneNode(true));
    }
  }

  /** @param {Move} move */
  openTarget(move) {
    const target = this.view.targetOf(move);
    if (!target) return;
    target.classList.add("legal");
    target.setAttribute("role", "button");
    target.setAttribute("tabindex", move === this.offered[0] ? "0" : "-1");
    target.setAttribute("aria-label", targetWords(move));
    target.addEventListener("click", (event) => {
      this.byKeys = event.detail === 0;
      this.choose(move);
    });
    target.addEventListener("pointerenter", () => activatePreview(this.view, move));
    target.addEventListener("pointerleave", () => activatePreview(this.view, null));
    target.addEventListener("focus", () => activatePreview(this.view, move));
    target.addEventListener("blur", () => activatePreview(this.view, null));
    target.addEventListener("keydown", (event) => this.onTargetKey(event, move));
  }

  /** @param {Move} move */
  choose(move) {
    if (this.byKeys) this.view.root.focus({ preventScroll: true });
    this.disable();
    this.handlers.onChoose(move);
  }

  /**
   * @param {KeyboardEvent} event
   * @param {Pick} pick
   */
  onPickKey(event, pick) {
    const step = stepOf(event.key);
    if (event.key === "Enter") {
      this.byKeys = true;
      this.pick(pick);
    } else if (step) {
      this.focusPick(neighbour(this.picks, pick, step));
    } else if (event.key === "Home" || event.key === "End") {
      this.focusPick(this.picks[event.key === "Home" ? 0 : this.picks.length - 1]);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * @param {KeyboardEvent} event
   * @param {Move} move
   */
  onTargetKey(event, move) {
    const step = stepOf(event.key);
    if (event.key === "Enter") {
      this.byKeys = true;
      this.choose(move);
    } else if (step) {
      this.focusTarget(neighbour(this.offered, move, step));
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {Pick | undefined} pick */
  focusPick(pick) {
    if (!pick) return;
    for (const other of this.picks) other.element.setAttribute("tabindex", other === pick ? "0" : "-1");
    pick.element.focus();
  }

  /** @param {Move} move */
  focusTarget(move) {
    for (const other of this.offered) this.view.targetOf(other)?.setAttribute("tabindex", other === move ? "0" : "-1");
    this.view.targetOf(move)?.focus();
  }
}

/**
 * @template T
 * @param {T[]} items
 * @param {T} item
 * @param {number} step
 */
function neighbour(items, item, step) {
  return items[(items.indexOf(item) + step + items.length) % items.length];
}

/** @param {string} key */
function stepOf(key) {
  return { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[key] ?? 0;
}

/** @param {Move} move */
function targetWords(move) {
  const { line_columns, taken, penalty, fills_line, wall_cell, points } = move.preview;
  if (wall_cell) return `Column ${wall_cell[1]} of row ${wall_cell[0]}: ${counted(points, "point")}`;
  const fallen = taken - line_columns.length;
  const parts = [line_columns.length ? `Line ${move.destination}: ${counted(line_columns.length, "tile")}` : "Floor"];
  if (fills_line) parts.push("fills the line");
  if (fallen && line_columns.length) parts.push(`${fallen} to the floor`);
  if (penalty) parts.push(`costs ${counted(penalty, "point")}`);
  return parts.join(", ");
}
