/** The controls of a game: taking back, hints, stepping through the moves, and the pace of agents. */

import { h } from "./dom.js";
import { icon } from "./icons.js";
import { menu } from "./menu.js";

/** @typedef {import("./types.js").Game} Game */

/** Seconds that agents wait before a move, by name. */
const PACES = /** @type {[string, number][]} */ ([["Slow", 3], ["Normal", 1.2], ["Fast", 0.4], ["No wait", 0]]);

/**
 * @typedef {{
 *   undo: () => void, redo: () => void, hint: () => void, think: () => void, goTo: (number: number) => void,
 *   pace: (isPaused: boolean, seconds: number) => void, step: () => void, flip: () => void,
 *   items: () => import("./menu.js").MenuItem[]
 * }} Actions
 */

export class Dock {
  /** @param {Actions} actions */
  constructor(actions) {
    this.actions = actions;
    this.number = 0;
    /** @type {Game | null} */
    this.game = null;
    this.undo = button("undo", "Undo (u)", actions.undo);
    this.redo = button("redo", "Redo (r)", actions.redo);
    this.hint = button("hint", "Hint (h)", actions.hint, "Hint");
    this.think = button("think", "Analyse (space)", actions.think, "Analyse");
    this.first = button("first", "To the start (Home)", () => actions.goTo(0));
    this.previous = button("previous", "Previous move (left)", () => actions.goTo(this.number - 1));
    this.next = button("next", "Next move (right)", () => actions.goTo(this.number + 1));
    this.last = button("last", "To the last move (End)", () => actions.goTo(this.game?.number ?? 0));
    this.slider = h("input", {
      type: "range",
      min: 0,
      max: 0,
      value: 0,
      "aria-label": "Position in the game",
      oninput: () => actions.goTo(Number(this.slider.value)),
    });
    this.count = h("span", { class: "dock-count number small muted" });
    this.pause = button("pause", "Pause", () => this.togglePause());
    this.step = button("step", "Play one move (right)", actions.step);
    this.speed = h("select", { "aria-label": "Speed", onchange: () => this.changePace() },
      PACES.map(([name, seconds]) => h("option", { value: seconds }, name)));
    // Hidden until it is known who plays.
    this.people = h("div", { class: "dock-group", hidden: true }, this.undo, this.redo, this.hint);
    this.agents = h("div", { class: "dock-group", hidden: true }, this.pause, this.step, this.speed);
    this.root = h("div", { class: "dock", role: "group", "aria-label": "Controls" },
      h("div", { class: "dock-row" },
        this.people,
        this.agents,
        h("div", { class: "dock-group" }, this.think),
        h("div", { class: "dock-group end" },
          button("flip", "Flip seats (f)", actions.flip),
          menu("More", "more", actions.items))),
      h("div", { class: "dock-row steps" }, this.first, this.previous, this.slider, this.next, this.last, this.count));
  }

  /** True if agents play each other and wait to be told to. */
  get canStep() {
    return !this.agents.hidden && !this.step.disabled;
  }

  togglePause() {
    if (this.game) this.actions.pace(!this.game.pace.is_paused, this.game.pace.seconds);
  }

  changePace() {
    if (this.game) this.actions.pace(this.game.pace.is_paused, Number(this.speed.value));
  }

  /**
   * @param {Game} game
   * @param {number} number of the position shown
   * @param {boolean} isThinking
   */
  show(game, number, isThinking) {
    this.game = game;
    this.number = number;
    const hasPeople = game.seats.some((seat) => seat.is_person);
    this.people.hidden = !hasPeople;
    this.agents.hidden = hasPeople || game.is_over;
    this.undo.disabled = !game.can_undo;
    this.redo.disabled = !game.can_redo;
    this.hint.disabled = game.is_over || !game.to_move?.is_person;
    this.think.setAttribute("aria-pressed", String(isThinking));
    this.first.disabled = this.previous.disabled = number <= 0;
    this.next.disabled = this.last.disabled = number >= game.number;
    this.slider.max = String(game.number);
    this.slider.value = String(number);
    this.slider.disabled = game.number === 0;
    this.slider.setAttribute("aria-valuetext", `move ${number} of ${game.number}`);
    this.count.textContent = `${number} / ${game.number}`;
    const { is_paused, seconds } = game.pace;
    this.pause.replaceChildren(icon(is_paused ? "play" : "pause"));
    this.pause.setAttribute("aria-label", is_paused ? "Continue" : "Pause");
    this.pause.title = is_paused ? "Continue (p)" : "Pause (p)";
    this.step.disabled = !is_paused;
    const nearest = PACES.reduce((best, pace) => (Math.abs(pace[1] - seconds) < Math.abs(best[1] - seconds) ? pace : best));
    this.speed.value = String(nearest[1]);
  }
}

/**
 * @param {string} iconName
 * @param {string} label
 * @param {() => void} action
 * @param {string} [words] beside the icon where there is room
 */
function button(iconName, label, action, words) {
  return h("button", { type: "button", class: "icon-button", "aria-label": label.replace(/ \(.*/, ""), title: label, onclick: action },
    icon(iconName), words ? h("span", { class: "dock-label" }, words) : null);
}
