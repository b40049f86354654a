/** Setting up a position: edit it on the board, see what is wrong with it, then play or analyse it. */

import { note } from "./announce.js";
import { checkPosition, createGame } from "./api.js";
import { BoardView, cellCorner } from "./board.js";
import { h, s } from "./dom.js";
import { positionLink } from "./links.js";
import { newGameDialog } from "./new_game.js";
import { focusPlace, makeEditable } from "./setup_board.js";
import { changed, SetupEditor } from "./setup_editor.js";
import { SetupPanel } from "./setup_panel.js";
import { copyText } from "./takeaway.js";
import { errorWords } from "./words.js";

/** @typedef {import("./types.js").CheckedPosition} CheckedPosition */
/** @typedef {import("./types.js").PositionData} PositionData */
/** @typedef {import("./setup_board.js").Place} Place */
/** @typedef {import("./setup_editor.js").Change} Change */
/** @typedef {import("./setup_editor.js").Tool} Tool */

const LETTERS = "BYRKW"; // as in docs/SPEC.md, in the order of the colors
const KEPT_STEPS = 200;

export class SetupView {
  /**
   * @param {import("./game_view.js").App} app
   * @param {import("./types.js").Catalog} catalog
   * @param {string | null} text of the position to begin with
   */
  constructor(app, catalog, text) {
    this.app = app;
    this.catalog = catalog;
    this.editor = new SetupEditor(catalog.color_names);
    /** @type {Tool} */
    this.tool = { kind: "color", color: 0 };
    /** @type {CheckedPosition | null} */
    this.checked = null;
    /** @type {PositionData[]} */
    this.steps = [];
    this.requests = 0;
    this.board = new BoardView(catalog.color_names);
    this.panel = new SetupPanel(catalog, LETTERS, {
      onTool: (tool) => {
        this.tool = tool;
      },
      onChange: (change) => this.change(change),
      onPlayers: (count) => void this.load({ num_players: count, variant: this.checked?.position.variant ?? null }),
      onVariant: (variant) => void this.load({ num_players: this.checked?.position.num_players ?? 2, variant }),
      onClear: () => this.change(this.editor.clear()),
      onUndo: () => this.undo(),
      onBag: (usesBag) => {
        this.editor.usesBag = usesBag;
      },
      onText: (given) => this.paste(given),
      onPlay: () => void this.play(),
      onAnalyse: () => void this.open({ seats: this.checked?.position.players.map(() => "human") }, "analysis"),
      onCopy: (what) => this.copy(what),
    });
    this.headline = h("p", { class: "headline" });
    this.root = h("div", { class: "game setup" },
      h("div", { class: "game-head" }, h("h1", {}, "Set up a position"), this.headline),
      this.board.root,
      this.panel.root);
    void this.load(text ? { text } : { num_players: 2 });
  }

  /**
   * Let the server check and draw a position.
   *
   * @param {Record<string, unknown>} body
   */
  async load(body) {
    this.requests += 1;
    const mine = this.requests;
    try {
      const checked = await checkPosition(body);
      if (mine !== this.requests) return; // a later change is on its way
      if (this.checked) {
        this.steps.push(this.checked.position);
        if (this.steps.length > KEPT_STEPS) this.steps.shift();
      }
      this.show(checked);
    } catch (error) {
      note(errorWords(error), "error");
      if (!this.checked) void this.load({ num_players: 2 });
    }
  }

  /** @param {CheckedPosition} checked */
  show(checked) {
    this.checked = checked;
    const label = document.activeElement?.closest(".editable")?.getAttribute("aria-label") ?? null;
    if (checked.drawing) {
      const { position, drawing } = checked;
      this.board.show(drawing, position.players.map((_, seat) => `player ${seat + 1}`), position.current_player);
      this.headline.textContent = `${drawing.title}, ${drawing.headline}`;
      makeEditable(this.board, (place, isErasing) => this.edit(place, isErasing));
      this.markProblems();
      focusPlace(this.board, label);
    }
    this.panel.show(checked, this.steps.length > 0);
    if (checked.text) history.replaceState(null, "", new URL(positionLink(checked.text)).hash);
  }

  /** Mark the places that problems name. */
  markProblems() {
    for (const { where } of this.checked?.problems ?? []) {
      const [, source] = where.match(/^factories\[(\d+)\]/) ?? [];
      const [, seat, line] = where.match(/^players\[(\d+)\]\.(?:pattern_lines\[(\d+)\]|floor)/) ?? [];
      const cell = where.match(/^players\[(\d+)\]\.wall\[(\d+)\]\[(\d+)\]/);
      if (cell) this.markCell(`wall ${cell.slice(1).join(" ")}`);
      if (this.catalog.color_names.includes(where)) this.markSupply(where);
      const isCenter = where === "position" || where.startsWith("center");
      const element = source !== undefined ? this.board.source(Number(source))
        : isCenter ? this.board.source(this.checked?.position.factories.length ?? 0)
        : seat !== undefined ? this.board.target(Number(seat), line === undefined ? 5 : Number(line)) : null;
      element?.classList.add("has-problem");
    }
  }

  /**
   * Frame a cell of a wall.
   *
   * @param {string} name
   */
  markCell(name) {
    const cell = this.board.cell(name);
    if (!cell) return;
    const { x, y } = cellCorner(cell);
    cell.after(s("rect", { class: "cell-problem", x: x - 1, y: y - 1, width: 38, height: 38, rx: 9 }));
  }

  /**
   * Frame the count of a color in the bag.
   *
   * @param {string} color
   */
  markSupply(color) {
    const count = /** @type {SVGGElement | null} */ (this.board.supply.querySelector(`.bag[data-color="${color}"]`));
    if (!count) return;
    const { x, y, width, height } = count.getBBox();
    count.before(s("rect", { class: "supply-problem", x: x + width / 2 - 19, y: y - 42, width: 38, height: height + 50, rx: 8 }));
  }

  /**
   * @param {Place} place
   * @param {boolean} isErasing
   */
  edit(place, isErasing) {
    const { editor } = this;
    /** @type {Tool} */
    const tool = isErasing ? { kind: "eraser" } : this.tool;
    const [first, second, third] = place.numbers;
    const clicked = place.color ? this.catalog.color_names.indexOf(place.color) : null;
    if (place.kind === "source") this.change(editor.source(first, tool, clicked));
    else if (place.kind === "line") this.change(editor.line(first, second, third, tool));
    else if (place.kind === "wall") this.change(editor.wall(first, second, third, LETTERS.indexOf(place.letter), tool));
    else this.change(editor.floor(first, second, tool));
  }

  /** @param {Change} change */
  change(change) {
    if (this.checked) void this.load({ position: changed(this.checked.position, change) });
  }

  undo() {
    const before = this.steps.pop();
    if (!before || !this.checked) return;
    this.checked = null; // this step is not one to take back itself
    void this.load({ position: before });
  }

  /** @param {string} given text or JSON */
  paste(given) {
    const text = given.trim();
    if (!text) return;
    if (!text.startsWith("{")) {
      void this.load({ text });
      return;
    }
    try {
      void this.load({ position: JSON.parse(text) });
    } catch {
      note("This is neither the text of a position nor JSON.", "error");
    }
  }

  async play() {
    if (!this.checked) return;
    const { num_players, variant } = this.checked.position;
    const wanted = await newGameDialog({ title: "Play from this position", seats: num_players, variant })
      .catch((error) => note(errorWords(error), "error"));
    if (wanted) await this.open(wanted);
  }

  /**
   * @param {Record<string, unknown>} wanted
   * @param {string} [tab]
   */
  async open(wanted, tab) {
    try {
      this.app.openGame(await createGame({ ...wanted, position: this.checked?.position }), tab);
    } catch (error) {
      note(errorWords(error), "error");
    }
  }

  /** @param {"text" | "json" | "link"} what */
  copy(what) {
    const { checked } = this;
    if (!checked) return;
    if (what === "json") void copyText(JSON.stringify(checked.position), "JSON");
    else if (what === "text") void copyText(checked.text ?? "", "Text");
    else void copyText(positionLink(checked.text ?? ""), "Link");
  }

  keys() {
    return { u: () => this.undo() };
  }

  close() {
    this.requests += 1; // answers that are still on their way are not shown
  }
}
