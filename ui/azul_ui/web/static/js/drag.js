/** Dragging picked tiles to a line with mouse, pen or finger. */

import { h, s } from "./dom.js";
import { activatePreview } from "./ghosts.js";

/** @typedef {import("./interaction.js").MoveChooser} MoveChooser */
/** @typedef {import("./interaction.js").Pick} Pick */

const SLACK = 6; // pixels that a click may move
const EDGE = 60; // pixels from the window's edge where it scrolls

export class DragTracker {
  /** @param {MoveChooser} chooser */
  constructor(chooser) {
    this.chooser = chooser;
    /** @type {{pick: Pick, x: number, y: number, id: number} | null} */
    this.pressed = null;
    /** @type {HTMLElement | null} the tiles under the pointer */
    this.hand = null;
    this.hasJustEnded = false;
    this.onMove = this.move.bind(this);
    this.onUp = this.up.bind(this);
    this.onCancel = this.cancel.bind(this);
  }

  /**
   * @param {PointerEvent} event
   * @param {Pick} pick
   */
  start(event, pick) {
    if (event.button !== 0 || !event.isPrimary) return;
    this.cancel();
    this.pressed = { pick, x: event.clientX, y: event.clientY, id: event.pointerId };
    addEventListener("pointermove", this.onMove);
    addEventListener("pointerup", this.onUp);
    addEventListener("pointercancel", this.onCancel);
  }

  /** @param {PointerEvent} event */
  move(event) {
    if (!this.pressed || event.pointerId !== this.pressed.id) return;
    if (!this.hand) {
      if (Math.hypot(event.clientX - this.pressed.x, event.clientY - this.pressed.y) < SLACK) return;
      this.lift(this.pressed.pick);
    }
    this.hand?.style.setProperty("translate", `${event.clientX}px ${event.clientY}px`);
    const move = this.moveAt(event);
    activatePreview(this.chooser.view, move ?? null);
    if (event.clientY > innerHeight - EDGE) scrollBy(0, 12);
    if (event.clientY < EDGE) scrollBy(0, -12);
  }

  /** @param {Pick} pick */
  lift(pick) {
    this.chooser.byKeys = false;
    this.chooser.pick(pick);
    const letter = pick.moves[0].notation[1];
    const count = pick.moves[0].preview.taken;
    const size = pick.element.querySelector(".tile")?.getBoundingClientRect().width ?? SLACK;
    const tiles = Array.from({ length: Math.min(count, 6) }, (_, i) =>
      s("use", { href: `#azul-tile-${letter}`, transform: `translate(${6 * i} ${-6 * i})` }));
    const svg = s("svg", { viewBox: "-18 -18 36 36", class: "hand-tiles" }, s("g", { transform: "translate(-18 -18)" }, tiles));
    svg.style.width = `${size}px`;
    this.hand = h("div", { class: "hand", "aria-hidden": "true" }, svg);
    document.body.append(this.hand);
    document.body.classList.add("is-dragging");
  }

  /** @param {PointerEvent} event */
  up(event) {
    const wasDragging = this.hand !== null;
    const move = wasDragging ? this.moveAt(event) : undefined;
    this.cancel();
    if (!wasDragging) return;
    // The click that follows a drag is not a choice of its own.
    this.hasJustEnded = true;
    setTimeout(() => {
      this.hasJustEnded = false;
    }, 0);
    if (move) this.chooser.choose(move);
    else this.chooser.unpick();
  }

  /** @param {PointerEvent} event */
  moveAt(event) {
    const target = document.elementFromPoint(event.clientX, event.clientY)?.closest(".target.legal");
    const destination = Number(target?.getAttribute("data-destination"));
    return target ? this.chooser.picked?.moves.find((move) => move.destination === destination) : undefined;
  }

  cancel() {
    this.pressed = null;
    this.hand?.remove();
    this.hand = null;
    document.body.classList.remove("is-dragging");
    removeEventListener("pointermove", this.onMove);
    removeEventListener("pointerup", this.onUp);
    removeEventListener("pointercancel", this.onCancel);
  }
}
