/** "Find the better move": the mistakes of a player, to be tried again one after another. */

import { announce } from "./announce.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { errorWords, percent, SEVERITY_WORDS } from "./words.js";

/** @typedef {import("./types.js").ReviewedMove} ReviewedMove */
/** @typedef {import("./types.js").Move} Move */
/** @typedef {import("./types.js").Tried} Tried */

export class Retry {
  /**
   * @param {ReviewedMove[]} mistakes
   * @param {string[]} names
   * @param {{
   *   goTo: (number: number) => Promise<void>, ask: (number: number, action: number) => Promise<Tried>,
   *   onBest: (action: number | null) => void, onDone: () => void, place: HTMLElement
   * }} host
   */
  constructor(mistakes, names, host) {
    this.mistakes = mistakes;
    this.names = names;
    this.host = host;
    this.index = 0;
    this.solved = 0;
    this.words = h("p", { class: "retry-words", "aria-live": "polite" });
    this.buttons = h("div", { class: "row" });
    this.count = h("span", { class: "pill accent number" });
    host.place.replaceChildren(h("section", { class: "retry", "aria-label": "Find the better move" },
      h("div", { class: "row spread" }, h("h2", {}, "Find the better move"), this.count),
      this.words, this.buttons));
  }

  get mistake() {
    return this.mistakes[this.index];
  }

  async begin() {
    const { mistake } = this;
    this.host.onBest(null);
    await this.host.goTo(mistake.number - 1);
    this.count.textContent = `${this.index + 1} of ${this.mistakes.length}`;
    const [name] = SEVERITY_WORDS[/** @type {import("./types.js").Severity} */ (mistake.severity)];
    this.say(`${this.names[mistake.player]} played ${mistake.notation} here, ${name === "inaccuracy" ? "an" : "a"} ${name}. What is better? Choose a move on the board.`);
    this.offer(false);
    this.host.place.scrollIntoView({ block: "nearest" });
  }

  /** @param {Move} move */
  async tryMove(move) {
    const { mistake } = this;
    this.say(`Judging ${move.notation} ...`);
    /** @type {Tried} */
    let tried;
    try {
      tried = await this.host.ask(mistake.number - 1, move.action);
    } catch (error) {
      this.say(errorWords(error));
      await this.host.goTo(mistake.number - 1);
      return;
    }
    const chances = `${percent(tried.win_chance)} to win, the best has ${percent(tried.best_win_chance)}`;
    if (tried.is_best || move.action === mistake.best.action) {
      this.solved += 1;
      this.finish(`${move.notation} is the best move: ${percent(tried.win_chance)} to win.`);
    } else if (!tried.severity) {
      this.solved += 1;
      this.finish(`${move.notation} is good: ${chances}. The engine prefers ${mistake.best.notation}.`);
    } else {
      const again = move.action === mistake.action ? "That is the move of the game" : `${move.notation} is not better`;
      this.say(`${again}: ${chances}. Try another one.`);
      await this.host.goTo(mistake.number - 1);
      this.offer(false);
    }
  }

  showBest() {
    const { best } = this.mistake;
    this.finish(`Best was ${best.notation}: ${best.words}.`);
  }

  /** @param {string} words */
  finish(words) {
    this.say(words);
    this.host.onBest(this.mistake.best.action);
    this.offer(true);
  }

  /** @param {string} words */
  say(words) {
    this.words.textContent = words;
    announce(words);
  }

  /** @param {boolean} isDone with this mistake */
  offer(isDone) {
    const isLast = this.index === this.mistakes.length - 1;
    const next = h("button", { type: "button", class: `button ${isDone ? "primary" : ""}`, onclick: () => this.next() },
      icon(isLast ? "check" : "next"), isLast ? "Finish" : isDone ? "Next" : "Skip");
    const best = h("button", { type: "button", class: "button", onclick: () => this.showBest() }, icon("hint"), "Show the best");
    const close = h("button", { type: "button", class: "button quiet", onclick: () => this.close() }, "Leave");
    this.buttons.replaceChildren(...(isDone ? [next] : [best, next]), close);
    if (isDone) next.focus({ preventScroll: true });
  }

  next() {
    if (this.index < this.mistakes.length - 1) {
      this.index += 1;
      void this.begin();
    } else {
      this.close();
    }
  }

  close() {
    this.host.place.replaceChildren();
    this.host.onBest(null);
    announce(`${this.solved} of ${this.mistakes.length} found.`);
    this.host.onDone();
  }
}
