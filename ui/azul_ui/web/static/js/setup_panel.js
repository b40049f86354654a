/** The tools and fields beside a position that is being set up. */

import { freshId, h, s } from "./dom.js";
import { icon } from "./icons.js";
import { capital } from "./words.js";

/** @typedef {import("./types.js").PositionData} PositionData */
/** @typedef {import("./types.js").CheckedPosition} CheckedPosition */
/** @typedef {import("./setup_editor.js").Tool} Tool */
/** @typedef {import("./setup_editor.js").Change} Change */

/**
 * @typedef {{
 *   onTool: (tool: Tool) => void, onChange: (change: Change) => void, onPlayers: (count: number) => void, onVariant: (variant: string) => void,
 *   onClear: () => void, onUndo: () => void, onBag: (usesBag: boolean) => void, onText: (text: string) => void,
 *   onPlay: () => void, onAnalyse: () => void, onCopy: (what: "text" | "json" | "link") => void
 * }} Handlers
 */

export class SetupPanel {
  /**
   * @param {import("./types.js").Catalog} catalog
   * @param {string} letters
   * @param {Handlers} handlers
   */
  constructor({ color_names: colorNames, variants }, letters, handlers) {
    this.colorNames = colorNames;
    this.handlers = handlers;
    /** @type {[string, Tool, string][]} */
    const tools = [
      ...colorNames.map((name, color) => /** @type {[string, Tool, string]} */ ([name, { kind: "color", color }, `azul-tile-${letters[color]}`])),
      ["marker", { kind: "marker" }, "azul-marker"],
      ["eraser", { kind: "eraser" }, ""],
    ];
    this.tools = tools.map(([name, tool, target]) => h("button", {
      type: "button",
      class: "tool",
      "aria-pressed": "false",
      "aria-label": name,
      title: name,
      onclick: () => this.choose(name, tool),
    }, target ? s("svg", { viewBox: "0 0 36 36", "aria-hidden": "true" }, s("use", { href: `#${target}` })) : icon("eraser")));
    this.players = h("div", { class: "segmented", role: "group", "aria-label": "Number of players" }, [2, 3, 4].map((count) =>
      h("button", { type: "button", onclick: () => handlers.onPlayers(count) }, count)));
    this.walls = h("div", { class: "segmented", role: "group", "aria-label": "Wall" }, variants.map(({ name }) =>
      h("button", { type: "button", "data-variant": name, onclick: () => handlers.onVariant(name) }, capital(name))));
    this.wallWords = h("span", {});
    this.bag = h("input", { type: "checkbox", checked: true, onchange: () => handlers.onBag(this.bag.checked) });
    this.undo = h("button", { type: "button", class: "button", onclick: handlers.onUndo }, icon("undo"), "Undo");
    this.problems = h("ul", { class: "problems", "aria-live": "polite" });
    this.fields = h("div", { class: "setup-fields" });
    this.counts = h("div", { class: "count-table" });
    this.text = h("textarea", { id: freshId("text"), rows: 4, spellcheck: "false", onchange: () => handlers.onText(this.text.value) });
    this.json = h("textarea", { id: freshId("json"), rows: 8, spellcheck: "false", onchange: () => handlers.onText(this.json.value) });
    this.play = h("button", { type: "button", class: "button primary", onclick: handlers.onPlay }, icon("play"), "Play from here");
    this.analyse = h("button", { type: "button", class: "button", onclick: handlers.onAnalyse }, icon("think"), "Analyse");
    this.copyText = h("button", { type: "button", class: "button", onclick: () => handlers.onCopy("text") }, icon("copy"), "Copy text");
    this.copyLink = h("button", { type: "button", class: "button", onclick: () => handlers.onCopy("link") }, icon("link"), "Copy link");
    this.root = h("aside", { class: "side setup-side", "aria-label": "Tools" },
      h("section", { class: "panel-box stack" },
        h("div", { class: "row" }, this.play, this.analyse),
        this.problems),
      h("section", { class: "panel-box stack" },
        h("h2", {}, "Tiles"),
        h("div", { class: "toolbox", role: "group", "aria-label": "Tool" }, this.tools),
        h("p", { class: "small muted" }, "Choose a tile, then click where it goes; ", this.wallWords, " Shift-click or right-click removes a tile."),
        h("label", { class: "check small" }, this.bag, "Take tiles from the bag, and put them back there"),
        h("div", { class: "row" }, this.undo, h("button", { type: "button", class: "button", onclick: handlers.onClear }, icon("trash"), "Clear"))),
      h("section", { class: "panel-box stack" },
        h("div", { class: "row spread" }, h("h2", {}, "Players"), this.players),
        h("div", { class: "row spread" }, h("h2", {}, "Wall"), this.walls),
        this.fields),
      h("details", { class: "panel-box" }, h("summary", { class: "strong" }, "Counts of bag, lid and factories"), this.counts),
      h("section", { class: "panel-box stack" },
        h("div", { class: "field" }, h("label", { for: this.text.id }, "Position as text"), this.text),
        h("div", { class: "row" }, this.copyText, this.copyLink),
        h("details", {}, h("summary", {}, "Position as JSON"), h("div", { class: "stack" },
          h("label", { class: "visually-hidden", for: this.json.id }, "Position as JSON"), this.json,
          h("div", { class: "row" }, h("button", { type: "button", class: "button", onclick: () => handlers.onCopy("json") }, icon("copy"), "Copy JSON"))))));
    this.choose(colorNames[0], { kind: "color", color: 0 });
  }

  /**
   * @param {string} name
   * @param {Tool} tool
   */
  choose(name, tool) {
    for (const button of this.tools) button.setAttribute("aria-pressed", String(button.title === name));
    this.handlers.onTool(tool);
  }

  /**
   * @param {CheckedPosition} checked
   * @param {boolean} canUndo
   */
  show(checked, canUndo) {
    const { position } = checked;
    this.undo.disabled = !canUndo;
    this.play.disabled = this.analyse.disabled = !checked.is_playable;
    this.copyText.disabled = this.copyLink.disabled = !checked.text;
    [...this.players.children].forEach((button, index) =>
      button.setAttribute("aria-pressed", String(index + 2 === position.num_players)));
    for (const button of this.walls.children) {
      button.setAttribute("aria-pressed", String(button.getAttribute("data-variant") === position.variant));
    }
    this.wallWords.textContent = position.variant === "gray"
      ? "a gray wall takes any color, once in each row and column."
      : "a wall takes only the color printed there.";
    this.showProblems(checked);
    this.text.value = checked.text ?? "";
    this.text.placeholder = "There is a text once all problems are solved. A text or JSON can be pasted here.";
    this.json.value = JSON.stringify(position);
    if (checked.drawing) {
      this.showFields(position);
      this.showCounts(position);
      this.markFields(checked.problems.map(({ where }) => where));
    }
  }

  /** @param {CheckedPosition} checked */
  showProblems({ problems, is_playable }) {
    const words = problems.map(({ where, detail }) => h("li", {}, h("span", { class: "strong" }, whereWords(where, this.colorNames)), ` ${detailWords(detail)}`));
    const fine = is_playable ? "This position can be played." : "The game is over in this position.";
    this.problems.replaceChildren(...(words.length ? words : [h("li", { class: is_playable ? "fine" : "" }, fine)]));
  }

  /**
   * Mark the fields that problems are about.
   *
   * @param {string[]} places
   */
  markFields(places) {
    /** @type {Record<string, string>} */
    const labels = { current_player: "To move", phase: "Phase", starting_player_next_round: "Starts next round", round: "Rounds played", max_rounds: "Rounds at most" };
    for (const where of places) {
      const [, seat] = where.match(/^players\[(\d+)\]\.score/) ?? [];
      const label = seat === undefined ? labels[where] : `Points of player ${Number(seat) + 1}`;
      this.fields.querySelector(`[data-label="${label}"]`)?.setAttribute("aria-invalid", "true");
      const color = this.colorNames.indexOf(where);
      for (const row of color < 0 ? [] : this.counts.querySelectorAll("tbody tr")) {
        row.querySelectorAll("input")[color].setAttribute("aria-invalid", "true");
      }
    }
  }

  /** @param {PositionData} position */
  showFields(position) {
    const { onChange } = this.handlers;
    const seats = position.players.map((_, seat) => seat);
    /**
     * @template {string | number} T
     * @param {string} label
     * @param {[T, string][]} options
     * @param {T} value
     * @param {(draft: PositionData, value: T) => void} set
     */
    const choiceOf = (label, options, value, set) => {
      const select = h("select", { id: freshId("field"), "data-label": label, onchange: () => onChange((draft) => set(draft, options[select.selectedIndex][0])) },
        options.map(([each, words]) => h("option", { value: each, selected: each === value }, words)));
      return h("div", { class: "field" }, h("label", { for: select.id }, label), select);
    };
    /** @param {string} label @param {number} value @param {(draft: PositionData, value: number) => void} set */
    const choice = (label, value, set) => choiceOf(label, seats.map((seat) => [seat, `Player ${seat + 1}`]), value, set);
    this.fields.replaceChildren(
      ...position.players.map((player, seat) => this.number(`Points of player ${seat + 1}`, player.score, 9999, (draft, value) => {
        draft.players[seat].score = value;
      })),
      choice("To move", position.current_player, (draft, value) => {
        draft.current_player = value;
      }),
      choice("Starts next round", position.starting_player_next_round, (draft, value) => {
        draft.starting_player_next_round = value;
      }),
      this.number("Rounds played", position.round, 9999, (draft, value) => {
        draft.round = value;
      }),
      this.number("Rounds at most", position.max_rounds, 9999, (draft, value) => {
        draft.max_rounds = value;
      }),
      ...(position.variant === "gray" && position.end_reason === null
        ? [choiceOf("Phase", [["factory_offer", "Taking tiles"], ["wall_tiling", "Tiling the walls"]], position.phase, (draft, value) => {
          draft.phase = value;
        })]
        : []));
  }

  /**
   * @param {string} label
   * @param {number} value
   * @param {number} most
   * @param {(draft: PositionData, value: number) => void} set
   */
  number(label, value, most, set) {
    const input = h("input", {
      id: freshId("field"),
      type: "number",
      min: 0,
      max: most,
      value,
      "data-label": label,
      onchange: () => {
        if (input.value !== "" && input.reportValidity()) this.handlers.onChange((draft) => set(draft, Number(input.value)));
      },
    });
    return h("div", { class: "field" }, h("label", { for: input.id }, label), input);
  }

  /** @param {PositionData} position */
  showCounts(position) {
    /** @type {[string, (draft: PositionData) => number[]][]} */
    const lists = [
      ["Bag", (draft) => draft.bag],
      ["Lid", (draft) => draft.discard],
      ["Center", (draft) => draft.center],
      ...position.factories.map((_, index) => /** @type {[string, (draft: PositionData) => number[]]} */ ([`Factory ${index}`, (draft) => draft.factories[index]])),
    ];
    this.counts.replaceChildren(h("table", {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Place"), this.colorNames.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, lists.map(([name, list]) => h("tr", {}, h("th", { scope: "row" }, name), list(position).map((count, color) => {
        const input = h("input", {
          type: "number",
          min: 0,
          max: 100,
          value: count,
          "aria-label": `${name}, ${this.colorNames[color]}`,
          onchange: () => {
            if (input.value !== "" && input.reportValidity()) {
              this.handlers.onChange((draft) => {
                list(draft)[color] = Number(input.value);
              });
            }
          },
        });
        return h("td", {}, input);
      }))))));
  }
}

/**
 * The engine counts seats from 0, the boards show them from 1.
 *
 * @param {string} detail
 */
function detailWords(detail) {
  return detail
    .replace(/^is (\d+),/, "is player $1,")
    .replace(/player (\d+)/g, (_, seat) => `player ${Number(seat) + 1}`);
}

/**
 * @param {string} where a path such as `players[0].pattern_lines[2]`
 * @param {string[]} colorNames
 */
function whereWords(where, colorNames) {
  if (colorNames.includes(where)) return `${where[0].toUpperCase()}${where.slice(1)}:`;
  const words = where
    .replace(/players\[(\d+)\]/, (_, seat) => `Player ${Number(seat) + 1}`)
    .replace(/\.?pattern_lines\[(\d+)\]/, ", line $1")
    .replace(/factories\[(\d+)\]/, "Factory $1")
    .replace(/\.wall\[(\d+)\]\[(\d+)\]/, ", row $1 of the wall, column $2:")
    .replace(/\.(floor|wall|score|resigned)/, ", $1")
    .replace("starting_player_next_round", "The starter of the next round")
    .replace("current_player", "The player to move")
    .replace(/^position$/, "The table:")
    .replace(/^players$/, "The boards:")
    .replaceAll("_", " ");
  return words[0].toUpperCase() + words.slice(1);
}
