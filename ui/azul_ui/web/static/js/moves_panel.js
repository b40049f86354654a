/** The list of moves, by round; a click shows the position after one. */

import { h } from "./dom.js";

/** @typedef {import("./types.js").Game} Game */
/** @typedef {import("./types.js").Review} Review */

export class MovesPanel {
  /** @param {(number: number) => void} onGo */
  constructor(onGo) {
    this.onGo = onGo;
    this.list = h("div", { class: "move-list" });
    this.root = h("div", { class: "panel-content" }, this.list);
    this.key = "";
    /** @type {Map<number, HTMLElement>} */
    this.buttons = new Map();
  }

  /**
   * @param {Game} game
   * @param {Review | null} review
   */
  show(game, review) {
    const severities = new Map((review?.moves ?? []).map((move) => [move.number, move.severity]));
    const key = `${game.turns.map((turn) => turn.notation).join()} ${severities.size} ${game.seats.map((seat) => seat.label).join()}`;
    if (key === this.key) return;
    this.key = key;
    this.buttons.clear();
    /** @type {Map<number, HTMLElement[]>} */
    const rounds = new Map();
    for (const turn of game.turns) {
      const severity = severities.get(turn.number);
      const name = game.seats[turn.player].label;
      const notation = turn.type === "resign" ? "resigns" : turn.notation;
      const button = h("button", {
        type: "button",
        class: `move seat-${turn.player}`,
        title: `${turn.number}. ${name}: ${turn.words}`,
        // What is seen comes first: so can be said to a voice control.
        "aria-label": `${notation}, move ${turn.number}, ${name}: ${turn.words}${severity ? `, ${severity}` : ""}`,
        onclick: () => this.onGo(turn.number),
      }, h("span", { class: "mono" }, notation),
      severity ? h("span", { class: `mark ${severity}`, "aria-hidden": "true" }, MARKS[severity]) : null);
      this.buttons.set(turn.number, button);
      rounds.set(turn.round, [...(rounds.get(turn.round) ?? []), button]);
    }
    const start = h("button", { type: "button", class: "move start", onclick: () => this.onGo(0) }, "Start");
    this.buttons.set(0, start);
    this.list.replaceChildren(
      h("div", { class: "move-legend" }, game.seats.map((seat, index) =>
        h("span", { class: `seat-name seat-${index}` }, seat.label))),
      start,
      ...[...rounds].map(([round, buttons]) =>
        h("div", { class: "move-round" }, h("h2", { class: "muted" }, `Round ${round}`), h("div", { class: "moves" }, buttons))));
  }

  /** @param {number} number of the position shown */
  mark(number) {
    for (const [at, button] of this.buttons) {
      if (at === number) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    }
    const current = this.buttons.get(number);
    const box = this.root.parentElement;
    // Scrolls the list only, never the page.
    if (current && box && box.scrollHeight > box.clientHeight) {
      const offset = current.getBoundingClientRect().top - box.getBoundingClientRect().top;
      if (offset < 0 || offset > box.clientHeight - 40) box.scrollTop += offset - box.clientHeight / 2;
    }
  }
}

/** @type {Record<import("./types.js").Severity, string>} */
export const MARKS = { blunder: "??", mistake: "?", inaccuracy: "?!" };
