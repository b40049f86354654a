/** Choosing a move on the board by mouse, touch or keys: first a color on a source, then a line or the floor. */

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
    if (moves === this.moves && this.picks.every((pick) => pick.element.isConnected)) return;
    this.disable();
    this.moves = moves;
    /** @type {Map<string, Move[]>} */
    const groups = new Map();
    for (const move of moves) {
      const key = `${move.source} ${move.color}`;
      groups.set(key, [...(groups.get(key) ?? []), move]);
    }
    this.picks = [...groups.values()]
      .sort(([one], [other]) => one.source - other.source || one.color - other.color)
      .map((group) => this.makePick(group));
    if (this.picks.length) this.picks[0].element.setAttribute("tabindex", "0");
    this.view.root.classList.toggle("is-choosing", this.picks.length > 0);
    if (this.byKeys && document.activeElement === this.view.root) this.focusPick(this.picks[0]);
  }

  /** Take all choices away. */
  disable() {
    this.drag.cancel();
    this.unpick();
    for (const { element } of this.picks) element.replaceWith(...element.children);
    this.picks = [];
    this.moves = null;
    this.view.root.classList.remove("is-choosing");
  }

  /** @param {Move[]} moves of one color on one source */
  makePick(moves) {
    const { source, color } = moves[0];
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
    drawPreviews(this.view, pick.moves);
    for (const move of pick.moves) this.openTarget(move);
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
    clearPreviews(this.view);
    for (const target of this.view.boards.querySelectorAll(".target.legal")) {
      target.classList.remove("legal");
      for (const name of ["role", "tabindex", "aria-label"]) target.removeAttribute(name);
      // A copy without listeners takes its place.
      target.replaceWith(target.cloneNode(true));
    }
    if (hadFocus && pick.element.isConnected) this.focusPick(pick);
    this.handlers.onPick?.(null);
  }

  /** @param {Move} move */
  openTarget(move) {
    const target = this.view.target(move.preview.player, move.destination);
    if (!target) return;
    target.classList.add("legal");
    target.setAttribute("role", "button");
    target.setAttribute("tabindex", move === this.picked?.moves[0] ? "0" : "-1");
    target.setAttribute("aria-label", targetWords(move));
    target.addEventListener("click", (event) => {
      this.byKeys = event.detail === 0;
      this.choose(move);
    });
    target.addEventListener("pointerenter", () => activatePreview(this.view, move.destination));
    target.addEventListener("pointerleave", () => activatePreview(this.view, null));
    target.addEventListener("focus", () => activatePreview(this.view, move.destination));
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
    } else if (step && this.picked) {
      this.focusTarget(neighbour(this.picked.moves, move, step));
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
    for (const other of this.picked?.moves ?? []) {
      this.view.target(other.preview.player, other.destination)?.setAttribute("tabindex", other === move ? "0" : "-1");
    }
    this.view.target(move.preview.player, move.destination)?.focus();
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
  const { line_columns, taken, penalty, fills_line } = move.preview;
  const fallen = taken - line_columns.length;
  const parts = [line_columns.length ? `Line ${move.destination}: ${counted(line_columns.length, "tile")}` : "Floor"];
  if (fills_line) parts.push("fills the line");
  if (fallen && line_columns.length) parts.push(`${fallen} to the floor`);
  if (penalty) parts.push(`costs ${counted(penalty, "point")}`);
  return parts.join(", ");
}
