/** The review of a game: progress, graph, mistakes, and a summary by player. */

import { h } from "./dom.js";
import { ChanceGraph } from "./graph.js";
import { icon } from "./icons.js";
import { MARKS } from "./moves_panel.js";
import { capital, counted, percent, SEVERITIES, SEVERITY_WORDS } from "./words.js";

/** @typedef {import("./types.js").Review} Review */
/** @typedef {import("./types.js").ReviewedMove} ReviewedMove */
/** @typedef {import("./types.js").Game} Game */

export class ReviewPanel {
  /**
   * @param {import("./types.js").Engine[]} engines
   * @param {{
   *   onStart: (engine: string) => void, onStop: () => void, onGo: (number: number) => void,
   *   onRetry: (player: number | null) => void
   * }} handlers
   */
  constructor(engines, handlers) {
    this.handlers = handlers;
    this.engine = h("select", { "aria-label": "Engine of the review" },
      engines.map((engine) => h("option", { value: engine.name, title: engine.description }, engine.name)));
    this.start = h("button", { type: "button", class: "button primary", onclick: () => handlers.onStart(this.engine.value) },
      icon("target"), "Review the game");
    this.stop = h("button", { type: "button", class: "button", onclick: handlers.onStop }, icon("stop"), "Stop");
    this.bar = h("div", {});
    this.progressWords = h("span", { class: "small muted number" });
    this.progress = h("div", { class: "stack progress" },
      h("div", { class: "row spread" }, this.progressWords, this.stop),
      h("div", { class: "bar", "aria-hidden": "true" }, this.bar));
    this.controls = h("div", { class: "row", hidden: true }, this.start, this.engine);
    this.words = h("p", { class: "small muted" }, "An engine judges every move: what it lost, and what was better.");
    this.graph = new ChanceGraph(handlers.onGo);
    this.retry = h("div", { class: "retry-place" });
    this.summary = h("div", { class: "summary" });
    this.retryChoice = h("div", { class: "retry-choice" });
    this.mistakes = h("ol", { class: "mistakes" });
    this.isByOrder = false;
    this.order = h("button", { type: "button", class: "button quiet small", onclick: () => this.changeOrder() });
    this.found = h("div", { class: "stack" }, this.graph.root, this.retry, this.retryChoice, this.summary,
      h("section", { class: "mistake-list", "aria-label": "Mistakes" }, h("div", { class: "row spread" }, h("h2", {}, "Mistakes"), this.order), this.mistakes));
    this.root = h("div", { class: "panel-content stack" }, this.words, this.controls, this.progress, this.found);
    /** @type {Review | null} */
    this.review = null;
    /** @type {Game | null} */
    this.game = null;
  }

  /**
   * Review with this engine unless another is chosen.
   * @param {string} name
   */
  prefer(name) {
    this.engine.value = name;
  }

  changeOrder() {
    this.isByOrder = !this.isByOrder;
    if (this.game) this.show(this.review, this.game);
  }

  /**
   * @param {Review | null} review
   * @param {Game} game
   */
  show(review, game) {
    this.review = review;
    this.game = game;
    const status = review?.status ?? "none";
    const isRunning = status === "running";
    const names = game.seats.map((seat) => seat.label);
    const hasMoves = Boolean(review?.moves.length);
    this.root.dataset.status = review ? status : "unknown";
    this.words.hidden = hasMoves || isRunning;
    this.controls.hidden = !review || isRunning || status === "final"; // unknown until the server has said it
    this.start.disabled = game.number === 0;
    this.start.lastChild?.replaceWith(status === "stopped" ? "Continue the review" : "Review the game");
    this.progress.hidden = !isRunning;
    this.found.hidden = !hasMoves;
    if (!review) return;
    this.progressWords.textContent = `${review.done} of ${counted(review.total, "move")} judged`;
    this.bar.style.width = `${(100 * review.done) / Math.max(1, review.total)}%`;
    if (!hasMoves) return;
    this.graph.show(review, game.turns, names);
    this.showSummary(review, names);
    const worst = review.moves.filter((move) => move.severity);
    if (!this.isByOrder) worst.sort((one, other) => lossOf(other) - lossOf(one));
    this.order.textContent = this.isByOrder ? "Worst first" : "In order of play";
    this.order.hidden = worst.length < 2;
    this.mistakes.replaceChildren(...(worst.length
      ? worst.map((move) => this.mistake(move, names))
      : [h("li", { class: "muted small" }, isRunning ? "None so far." : "None. Well played.")]));
  }

  /**
   * @param {Review} review
   * @param {string[]} names
   */
  showSummary(review, names) {
    this.retryChoice.replaceChildren(...this.retryButtons(review, names));
    if (!review.players?.length) {
      this.summary.replaceChildren();
      return;
    }
    /** @param {import("./types.js").PlayerSummary} player @param {string | number} words */
    const known = (player, words) => h("td", {}, player.moves ? words : "–");
    /** @type {[string, string, (player: import("./types.js").PlayerSummary) => string | number][]} */
    const lines = [
      ["Good moves", "", (player) => percent(player.accuracy)],
      ...SEVERITIES.map((severity) => /** @type {[string, string, (player: import("./types.js").PlayerSummary) => number]} */ (
        [capital(SEVERITY_WORDS[severity][1]), MARKS[severity], (player) => player.severities[severity] ?? 0])),
      ["Chance lost per move", "", (player) => `${(100 * player.mean_win_chance_loss).toFixed(1)}%`],
    ];
    this.summary.replaceChildren(h("table", { class: "number" },
      h("caption", { class: "visually-hidden" }, "Summary by player"),
      h("thead", {}, h("tr", {}, h("td", {}), names.map((name, seat) =>
        h("th", { scope: "col" }, h("span", { class: `seat-name seat-${seat}`, title: name }, h("span", { class: "cut" }, name)))))),
      h("tbody", {}, lines.map(([name, mark, words]) => h("tr", {},
        h("th", { scope: "row" }, name, mark ? h("span", { class: "muted", "aria-hidden": "true" }, ` ${mark}`) : null),
        review.players.map((player) => known(player, words(player))))))));
  }

  /**
   * @param {Review} review
   * @param {string[]} names
   * @returns {HTMLElement[]}
   */
  retryButtons(review, names) {
    if (review.status === "running" || !review.moves.some((move) => move.severity)) return [];
    const own = names.map((name, seat) => ({ name, seat, count: review.moves.filter((move) => move.severity && move.player === seat).length }));
    return [
      h("h2", {}, "Find the better move"),
      h("div", { class: "row retry-buttons" }, own.filter(({ count }) => count).map(({ name, seat, count }) =>
        h("button", { type: "button", class: "button", onclick: () => this.handlers.onRetry(seat) }, icon("target"), `${name} (${count})`))),
    ];
  }

  /**
   * @param {ReviewedMove} move
   * @param {string[]} names
   */
  mistake(move, names) {
    const severity = /** @type {import("./types.js").Severity} */ (move.severity);
    return h("li", {}, h("button", { type: "button", class: "mistake-row", onclick: () => this.handlers.onGo(move.number - 1) },
      h("span", { class: `pill ${severity}` }, SEVERITY_WORDS[severity][0]),
      h("span", { class: "mistake-text" },
        h("span", {}, `${move.number}. ${names[move.player]}: `, h("span", { class: "mono strong" }, move.notation),
          ` ${percent(move.best_win_chance)} → ${percent(move.win_chance)}`),
        h("span", { class: "small muted" }, "Better: ", h("span", { class: "mono" }, move.best.notation), `, ${move.best.words}`))));
  }

  /** @param {number} number of the position shown */
  mark(number) {
    this.graph.mark(number);
  }
}

/**
 * The chance to win that a move gave away.
 *
 * @param {ReviewedMove} move
 */
function lossOf(move) {
  return move.best_win_chance - move.win_chance;
}
