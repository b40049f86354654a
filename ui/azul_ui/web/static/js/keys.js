/** The keys of the page, and the list of them. */

import { h } from "./dom.js";
import { isDialogOpen, openDialog } from "./dialog.js";

/** @typedef {Record<string, () => void>} KeyMap */

const HELP = [
  ["← →", "one move back, one move on; when agents pause, their next move"],
  ["Home End", "to the start, to the last move"],
  ["Space", "analyse: start and stop the engine"],
  [",", "play the best move"],
  ["1 – 9", "play that candidate of the analysis"],
  ["h", "hint"],
  ["u", "undo"],
  ["r", "redo"],
  ["f", "flip seats: the next board comes first"],
  ["p", "pause the agents, or let them continue"],
  ["Esc", "put tiles back; skip an animation"],
  ["n", "new game, on the start page"],
  ["?", "this list"],
];

const SETTING_UP = [
  ["Tab", "to the table, the boards and the fields"],
  ["Arrows", "to the next space"],
  ["Enter", "put the chosen tile there"],
  ["Delete", "remove a tile"],
  ["u", "undo"],
];

const ON_THE_BOARD = [
  ["Tab", "to the tiles on the table, and on to lines and controls"],
  ["Arrows", "to the next color, or the next line"],
  ["Enter", "take these tiles; place them in this line"],
];

export class Keys {
  constructor() {
    /** @type {KeyMap} */
    this.map = {};
    addEventListener("keydown", (event) => this.onKey(event));
    addEventListener("click", letGo);
  }

  /** @param {KeyMap} map the keys of the view that is shown */
  use(map) {
    this.map = map;
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isDialogOpen()) return;
    if (event.key === "?") {
      event.preventDefault();
      void showHelp();
      return;
    }
    const target = /** @type {Element} */ (event.target);
    if (target.closest("input:not([type=checkbox]), select, textarea, [contenteditable]")) return;
    const usesSpace = target.closest("button, a, input, [role=tab]");
    if (event.key === " " && usesSpace) return;
    const action = this.map[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}

/**
 * A button that was clicked with a mouse gives the keys back: space should think, not press it again.
 *
 * @param {MouseEvent} event
 */
function letGo(event) {
  const isPointed = Boolean(/** @type {PointerEvent} */ (event).pointerType); // not by keys or a screen reader
  const button = /** @type {Element} */ (event.target).closest("main button");
  if (isPointed && button === document.activeElement) /** @type {HTMLElement | null} */ (button)?.blur();
}

export function showHelp() {
  /** @param {string[][]} rows */
  const list = (rows) => h("dl", { class: "key-list" },
    rows.map(([keys, words]) => [h("dt", {}, keys.split(" ").map((key) => (key === "–" ? " – " : h("kbd", {}, key)))), h("dd", {}, words)]).flat());
  return openDialog("Keys", () => ({
    body: [list(HELP), h("h3", {}, "Playing without a mouse"), list(ON_THE_BOARD), h("h3", {}, "Setting up a position"), list(SETTING_UP)],
  }));
}
