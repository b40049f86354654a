/** The best moves of the position shown, while an engine thinks. */

import { h } from "./dom.js";
import { icon } from "./icons.js";
import { changeSettings, settings } from "./settings.js";
import { chanceWords, marginWords, nodeWords, percent } from "./words.js";

/** @typedef {import("./types.js").Analysis} Analysis */
/** @typedef {import("./types.js").Candidate} Candidate */
/** @typedef {import("./types.js").Engine} Engine */

const SHOWN = 9;

export class AnalysisPanel {
  /**
   * @param {Engine[]} engines
   * @param {{
   *   onToggle: () => void, onEngine: () => void, onPlay: (candidate: Candidate) => void,
   *   onHover: (index: number | null) => void, onArrows: () => void
   * }} handlers
   */
  constructor(engines, handlers) {
    this.handlers = handlers;
    this.button = h("button", { type: "button", class: "button", onclick: handlers.onToggle });
    this.engine = h("select", {
      "aria-label": "Engine",
      onchange: () => {
        this.isChosen = true;
        changeSettings({ engine: this.engine.value });
        handlers.onEngine();
      },
    }, engines.map((engine) => h("option", { value: engine.name, title: engine.description }, engine.name)));
    this.isChosen = engines.some((engine) => engine.name === settings().engine);
    if (this.isChosen) this.engine.value = settings().engine ?? "";
    this.arrows = h("input", {
      type: "checkbox",
      checked: settings().showsArrows,
      onchange: () => {
        changeSettings({ showsArrows: this.arrows.checked });
        handlers.onArrows();
      },
    });
    this.status = h("p", { class: "analysis-status small muted number" });
    this.list = h("ol", { class: "candidates" });
    this.root = h("div", { class: "panel-content stack" },
      h("div", { class: "row" }, this.button, this.engine,
        h("label", { class: "check small" }, this.arrows, "Arrows")),
      this.status,
      this.list);
    this.facts = ""; // of the analysis shown
    this.setThinking(false);
  }

  /** @param {boolean} isThinking */
  setThinking(isThinking) {
    this.button.replaceChildren(icon(isThinking ? "stop" : "think"), isThinking ? "Stop" : "Think");
    this.button.classList.toggle("primary", !isThinking);
    if (isThinking) return;
    this.status.textContent = this.list.children.length
      ? `Stopped · ${this.facts}`
      : "An engine can rank the moves of this position. Space starts and stops it.";
  }

  /**
   * Analyse with this engine unless the person has chosen one.
   * @param {string} name
   */
  prefer(name) {
    if (!this.isChosen) this.engine.value = name;
  }

  /** @param {string} words */
  tell(words) {
    this.list.replaceChildren();
    this.status.textContent = words;
  }

  /**
   * @param {Analysis} analysis
   * @param {boolean} canPlay
   * @param {string} mover
   */
  show(analysis, canPlay, mover) {
    const { status, depth, nodes, candidates } = analysis;
    const stage = { waiting: "Waiting for a free engine ...", compiling: "Compiling the engine, which can take a minute ...", running: "Thinking", final: "Done" }[status];
    const facts = [
      depth ? `depth ${depth}` : "",
      nodeWords(nodes),
      candidates.length ? `${analysis.seconds.toFixed(1)} s` : "",
    ];
    this.facts = facts.filter(Boolean).join(" · ");
    this.status.textContent = [stage, this.facts].filter(Boolean).join(" · ");
    this.status.dataset.status = status;
    this.status.dataset.depth = String(depth ?? "");
    const players = analysis.win_chances.length;
    this.list.replaceChildren(...candidates.slice(0, SHOWN).map((candidate, index) =>
      this.item(candidate, index, canPlay, players, mover)));
  }

  /**
   * @param {Candidate} candidate
   * @param {number} index
   * @param {boolean} canPlay
   * @param {number} players
   * @param {string} mover
   */
  item(candidate, index, canPlay, players, mover) {
    const { onHover, onPlay } = this.handlers;
    const line = candidate.line.slice(1, 7).map((move) => move.notation).join(" ");
    return h("li", {
      class: "candidate",
      onpointerenter: () => onHover(index),
      onpointerleave: () => onHover(null),
    },
    h("span", { class: "rank", "aria-hidden": "true" }, index + 1),
    h("p", { class: "candidate-move" }, h("span", { class: "mono strong" }, candidate.notation), " ", h("span", {}, candidate.words)),
    h("div", { class: "candidate-text small muted" },
      h("p", {}, `${mover}: ${chanceWords(candidate.win_chance, players)}, ${marginWords(candidate.value)}`),
      line ? h("p", {}, "then ", h("span", { class: "mono" }, line)) : null),
    h("span", { class: "chance number", title: `Chance of ${mover} to win` }, percent(candidate.win_chance)),
    canPlay
      ? h("button", {
        type: "button",
        class: "icon-button quiet",
        "aria-label": `Play ${candidate.notation}: ${candidate.words}`,
        title: "Play this move",
        onfocus: () => onHover(index),
        onblur: () => onHover(null),
        onclick: () => onPlay(candidate),
      }, icon("play"))
      : null);
  }
}
