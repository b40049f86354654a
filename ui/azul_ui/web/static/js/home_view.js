/** The start of the page: what one can do, and the games that are kept. */

import { games } from "./api.js";
import { h } from "./dom.js";
import { showRules } from "./how_to_play.js";
import { icon } from "./icons.js";
import { gameAddress } from "./links.js";
import { errorWords } from "./words.js";

/** @typedef {import("./types.js").Summary} Summary */
/** @typedef {import("./game_view.js").App & {openFile: () => void, watch: () => void}} HomeApp */

const FIRST_SHOWN = 12;

export class HomeView {
  /**
   * @param {HomeApp} app
   * @param {import("./types.js").Catalog} catalog
   */
  constructor(app, catalog) {
    this.app = app;
    this.list = h("div", { class: "game-cards" }, h("p", { class: "muted" }, "Loading ..."));
    this.root = h("div", { class: "home" },
      h("section", { class: "hero", "aria-label": "Start" },
        h("div", { class: "hero-text" },
          h("h1", {}, "Play Azul. See what the engine sees."),
          h("p", { class: "muted" }, `2 to 4 players, ${catalog.levels.length} levels from beginner to expert, with analysis and review. Everything runs on your machine.`),
          h("button", { type: "button", class: "button rules-button", onclick: () => void showRules() }, icon("help"), "How to play")),
        h("div", { class: "hero-tiles", "aria-hidden": "true" }, heroTiles())),
      h("section", { class: "starters", "aria-label": "What to do" },
        starter("plus", "New game", "Against the engine, your own agents, or people at this screen", () => app.newGame(), true),
        starter("eye", "Watch agents", "Let them play each other, at your pace", () => app.watch()),
        starter("edit", "Set up a position", "Edit boards and factories, then play or analyse", () => app.setup("")),
        starter("file", "Open a game", "A .jsonl record, from a file or dropped here", () => app.openFile())),
      h("section", { class: "kept", "aria-labelledby": "kept-title" }, h("h2", { id: "kept-title" }, "Your games"), this.list));
    void this.load();
  }

  async load() {
    try {
      this.showGames(await games(), FIRST_SHOWN);
    } catch (error) {
      this.list.replaceChildren(h("p", { class: "muted" }, errorWords(error)));
    }
  }

  /**
   * @param {Summary[]} found
   * @param {number} count
   */
  showGames(found, count) {
    if (!found.length) {
      this.list.replaceChildren(h("p", { class: "muted no-games" }, "None yet. Every game is kept here from its first move on."));
      return;
    }
    this.list.replaceChildren(...found.slice(0, count).map((game) => this.card(game)));
    if (found.length > count) {
      this.list.append(h("button", { type: "button", class: "button", onclick: () => this.showGames(found, 10 * count) }, `Show more of ${found.length}`));
    }
  }

  /** @param {Summary} game */
  card(game) {
    const scores = game.scores ?? [];
    const best = Math.max(...scores);
    return h("a", { class: "game-card", href: gameAddress(game.id) },
      h("ul", { class: "card-scores" }, (game.labels ?? game.players ?? []).map((name, seat) => h("li", { class: scores[seat] === best && best > 0 ? "ahead" : "" },
        h("span", { class: `seat-name seat-${seat}` }, name), h("span", { class: "number strong" }, scores[seat] ?? "")))),
      h("p", { class: "card-foot small" },
        h("span", { class: `pill ${game.is_over ? "" : "accent"}` }, game.is_over ? "Over" : "In play"),
        game.variant === "gray" ? h("span", { class: "pill" }, "Gray wall") : null,
        h("span", { class: "muted card-words" }, game.words ?? ""),
        h("span", { class: "muted card-time" }, agoWords(game.updated))));
  }

  keys() {
    return { n: () => this.app.newGame() };
  }

  close() {
    // Nothing runs here.
  }
}

/**
 * @param {string} iconName
 * @param {string} title
 * @param {string} words
 * @param {() => void} action
 * @param {boolean} [isFirst]
 */
function starter(iconName, title, words, action, isFirst = false) {
  return h("button", { type: "button", class: `starter ${isFirst ? "first" : ""}`, onclick: action },
    icon(iconName), h("span", { class: "starter-text" }, h("span", { class: "strong" }, title), h("span", { class: "small" }, words)));
}

function heroTiles() {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 196 196");
  [..."BYRKWWBYRKKWBYRRKWBYYRKWB"].forEach((letter, index) => {
    const tile = document.createElementNS("http://www.w3.org/2000/svg", "use");
    // The diagonal pattern of a wall, with some cells still free.
    tile.setAttribute("href", `#azul-${[0, 6, 7, 12, 13, 18, 21, 3, 10].includes(index) ? "tile" : "ghost"}-${letter}`);
    tile.setAttribute("transform", `translate(${(index % 5) * 40} ${Math.floor(index / 5) * 40})`);
    svg.append(tile);
  });
  return svg;
}

/** @param {number | string | undefined} updated */
function agoWords(updated) {
  if (updated === undefined) return "";
  const time = typeof updated === "number" ? 1000 * updated : Date.parse(updated);
  const minutes = Math.max(0, (Date.now() - time) / 60000);
  if (minutes < 1.5) return "just now";
  const format = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  if (minutes < 60) return format.format(-Math.round(minutes), "minute");
  if (minutes < 60 * 24) return format.format(-Math.round(minutes / 60), "hour");
  return format.format(-Math.round(minutes / 60 / 24), "day");
}
