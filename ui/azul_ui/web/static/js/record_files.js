/** Opening recorded games: from a button, or dropped onto the page. */

import { note } from "./announce.js";
import { createGame } from "./api.js";
import { openDialog } from "./dialog.js";
import { h } from "./dom.js";
import { errorWords } from "./words.js";

/** @typedef {{openGame: (id: string, tab?: string) => void}} Opener */

const MOST_LISTED = 200;

/** @param {Opener} app */
export function openRecordFile(app) {
  const input = h("input", { type: "file", accept: ".jsonl,.json,application/json", "aria-label": "A recorded game" });
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    input.remove();
    if (file) void openFile(app, file);
  });
  input.addEventListener("cancel", () => input.remove());
  document.body.append(input);
  input.click();
}

/** @param {Opener} app */
export function acceptDrops(app) {
  addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    document.body.classList.add("is-dropping");
  });
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) document.body.classList.remove("is-dropping");
  });
  addEventListener("drop", (event) => {
    const file = event.dataTransfer?.files[0];
    document.body.classList.remove("is-dropping");
    if (!file) return;
    event.preventDefault();
    void openFile(app, file);
  });
}

/**
 * @param {Opener} app
 * @param {File} file
 */
async function openFile(app, file) {
  try {
    const lines = (await file.text()).split("\n").map((line) => line.trim()).filter(Boolean);
    if (!lines.length) throw new Error(`${file.name} is empty.`);
    const record = lines.length === 1 ? lines[0] : await chosenGame(file.name, lines);
    if (record) app.openGame(await createGame({ record }), "review");
  } catch (error) {
    note(errorWords(error), "error");
  }
}

/**
 * Which game of a file is meant.
 *
 * @param {string} name
 * @param {string[]} lines
 * @returns {Promise<string | null>}
 */
function chosenGame(name, lines) {
  return openDialog(`${lines.length} games in ${name}`, (/** @type {(line: string | null) => void} */ close) => ({
    body: [h("ol", { class: "game-choice" }, lines.slice(0, MOST_LISTED).map((line, index) =>
      h("li", {}, h("button", { type: "button", class: "menu-item", onclick: () => close(line) }, `${index + 1}. ${recordWords(line)}`))))],
  }));
}

/** @param {string} line */
function recordWords(line) {
  try {
    const record = JSON.parse(line);
    const players = record.agents?.length ? record.agents.join(", ") : `${record.num_players} players`;
    const end = record.events?.at(-1);
    return end?.type === "end" ? `${players}: ${end.scores.join(" – ")}` : `${players}, not finished`;
  } catch {
    return "not a game";
  }
}
