/** Showing turns one after another as they happen, without falling behind. */

import { showScoring, showTravel } from "./animation.js";
import { announce } from "./announce.js";
import { Motion } from "./motion.js";
import { isAnimated, settings } from "./settings.js";

/** @typedef {import("./types.js").Happened} Happened */
/** @typedef {import("./types.js").Position} Position */
/** @typedef {import("./board.js").BoardView} BoardView */

const BACKLOG = 2; // turns that may wait before the next ones are shown without motion

export class Playback {
  /**
   * @param {BoardView} view
   * @param {{
   *   shown: () => Position | null, isFollowing: () => boolean, fetch: (number: number) => Promise<Position | null>,
   *   show: (position: Position) => void, settle: () => void, onScoring: (scoring: import("./types.js").Scoring, after: Position) => void
   * }} game
   */
  constructor(view, game) {
    this.view = view;
    this.game = game;
    /** @type {Happened[]} */
    this.queue = [];
    this.isBusy = false;
    /** @type {Motion | null} */
    this.motion = null;
  }

  /** @param {Happened} happened */
  add(happened) {
    for (const words of happened.words) announce(words);
    this.queue.push(happened);
    if (!this.isBusy) void this.work();
  }

  async work() {
    this.isBusy = true;
    for (let next = this.queue.shift(); next; next = this.queue.shift()) {
      // Shown at the end of the queue, by `settle`, whatever is not shown here.
      await this.showTurn(next).catch((error) => console.warn("a turn was not shown:", error));
    }
    this.isBusy = false;
    this.game.settle();
  }

  /** @param {Happened} happened */
  async showTurn(happened) {
    const before = this.game.shown();
    if (!this.game.isFollowing() || before?.number !== happened.from_number) return;
    if (!isAnimated() || document.hidden || this.queue.length > BACKLOG) return;
    const after = await this.game.fetch(happened.turn.number);
    const move = before.legal.find(({ action }) => action === happened.turn.action);
    if (!after || !this.game.isFollowing() || this.game.shown() !== before) return;
    const motion = new Motion(settings().speed);
    this.motion = motion;
    this.view.root.classList.add("is-moving");
    try {
      // A tile of a gray wall moves as part of the scoring.
      if (move && !move.preview.wall_cell) await showTravel(this.view, motion, move, after.drawing, happened.scoring !== null);
      if (happened.scoring && !motion.isSkipped) {
        this.game.onScoring(happened.scoring, after);
        await showScoring(this.view, motion, happened.scoring);
      }
      if (this.game.isFollowing()) this.game.show(after);
    } finally {
      this.view.root.classList.remove("is-moving");
      motion.clear();
      this.motion = null;
    }
  }

  /** Show the rest at once; true if there was anything to skip. */
  skip() {
    if (!this.motion || this.motion.isSkipped) return false;
    this.motion.skip();
    return true;
  }

  /** Forget what waits. */
  stop() {
    this.queue = [];
    this.motion?.skip();
  }
}
