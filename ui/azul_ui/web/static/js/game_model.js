/** What the server tells about one game, and questions to it. */

import { GameSocket } from "./socket.js";

/** @typedef {import("./types.js").Game} Game */
/** @typedef {import("./types.js").Position} Position */
/** @typedef {import("./types.js").Review} Review */
/** @typedef {import("./types.js").Turn} Turn */

/**
 * @typedef {{
 *   onGame: (game: Game, before: Game | null) => void,
 *   onHappened: (happened: import("./types.js").Happened) => void,
 *   onAnalysis: (analysis: import("./types.js").Analysis) => void,
 *   onReview: (review: Review) => void,
 *   onNotice: (message: {code: string, message: string}) => void,
 *   onError: (message: {code: string, message: string}) => void,
 *   onConnection: (state: "open" | "lost" | "gone") => void,
 * }} Listeners
 */

const KEPT_POSITIONS = 200;

export class GameModel {
  /**
   * @param {string} id
   * @param {Listeners} listeners
   */
  constructor(id, listeners) {
    this.id = id;
    this.listeners = listeners;
    /** @type {Game | null} */
    this.game = null;
    /** @type {Review | null} with all moves known so far */
    this.review = null;
    /** @type {Map<number, Position>} positions before the last one, which cannot change but by undo */
    this.kept = new Map();
    this.socket = new GameSocket(id, (message) => this.receive(message), (state) => this.connection(state));
  }

  /** @param {"open" | "lost" | "gone"} state */
  connection(state) {
    if (state === "open") this.send("get_review");
    this.listeners.onConnection(state);
  }

  /** @param {any} message */
  receive(message) {
    const { listeners } = this;
    switch (message.type) {
      case "game": return this.receiveGame(message);
      case "happened": return listeners.onHappened(message);
      case "analysis": return listeners.onAnalysis(message);
      case "review": return this.receiveReview(message);
      case "notice": return listeners.onNotice(message);
      case "error": return listeners.onError(message);
      default: return undefined; // a newer server may say more
    }
  }

  /** @param {Game} game */
  receiveGame(game) {
    const before = this.game;
    if (before && !continues(before.turns, game.turns)) this.kept.clear();
    this.game = game;
    this.listeners.onGame(game, before);
  }

  /** @param {Review} message */
  receiveReview(message) {
    const known = (this.review?.moves ?? []).slice(0, message.from);
    this.review = { ...message, moves: [...known, ...message.moves] };
    this.listeners.onReview(this.review);
  }

  /**
   * A position of the game.
   *
   * @param {number} number
   * @returns {Promise<Position>}
   */
  async position(number) {
    const kept = this.kept.get(number);
    if (kept && this.game && number < this.game.number) return kept;
    /** @type {Position} */
    const position = await this.socket.request({ type: "view", number });
    if (this.kept.size > KEPT_POSITIONS) this.kept.clear();
    this.kept.set(number, position);
    return position;
  }

  /**
   * @param {string} type
   * @param {Record<string, unknown>} [content]
   */
  send(type, content = {}) {
    this.socket.send({ type, ...content });
  }

  /**
   * @param {string} type
   * @param {Record<string, unknown>} [content]
   * @returns {Promise<any>}
   */
  ask(type, content = {}) {
    return this.socket.request({ type, ...content });
  }

  close() {
    this.socket.close();
  }
}

/**
 * True if nothing was taken back between two lists of turns.
 *
 * @param {Turn[]} before
 * @param {Turn[]} after
 */
export function continues(before, after) {
  return before.every((turn, index) => after[index]?.notation === turn.notation && after[index].player === turn.player);
}
