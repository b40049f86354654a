/** The view of a game: to play, watch, analyse and review it. */

import { announce, note } from "./announce.js";
import { arrowsOf, showHint } from "./advice.js";
import { AnalysisPanel } from "./analysis_panel.js";
import { Arrows } from "./arrows.js";
import { Asking } from "./asking.js";
import { BoardView } from "./board.js";
import { Dock } from "./dock.js";
import { h } from "./dom.js";
import { EvalBar } from "./eval_bar.js";
import { continues, GameModel } from "./game_model.js";
import { gameKeys } from "./game_keys.js";
import { Guide, positionWords } from "./guide.js";
import { MoveChooser } from "./interaction.js";
import { gameAddress } from "./links.js";
import { MovesPanel } from "./moves_panel.js";
import { isNarrow } from "./narrow.js";
import { Playback } from "./playback.js";
import { gameMenu, showResult } from "./result.js";
import { startRetry } from "./game_retry.js";
import { ReviewPanel } from "./review_panel.js";
import { firstSeat, isAlone } from "./seating.js";
import { Tabs } from "./tabs.js";
import { Thinking } from "./thinking.js";

/** @typedef {import("./types.js").Game} Game */
/** @typedef {import("./types.js").Position} Position */
/** @typedef {import("./types.js").Move} Move */

/**
 * @typedef {{
 *   openGame: (id: string, tab?: string) => void, goHome: () => void, newGame: () => void, setup: (text: string) => void,
 *   connection: (state: "open" | "lost" | "gone") => void
 * }} App
 */

export class GameView {
  /**
   * @param {App} app
   * @param {import("./types.js").Catalog} catalog
   * @param {string} id
   * @param {string | null} tab that is open at first
   * @param {boolean} isThinking if the analysis runs from the start
   */
  constructor(app, catalog, id, tab, isThinking) {
    this.isReady = false;
    this.app = app;
    this.id = id;
    /** @type {Position | null} */
    this.shown = null;
    this.isFollowing = true;
    this.asking = new Asking((number) => this.model.position(number), (position) => this.show(position));
    this.isPlaying = false; // true from a move until the server has answered
    this.isStale = false; // true if moves were taken back since `shown` came
    this.isTelling = false; // true if the next position is one that was asked for: nobody has heard its move
    this.flips = 0;
    this.showsResult = false; // true once the end of the game has been seen
    /** @type {import("./retry.js").Retry | null} */
    this.retry = null;
    /** @type {{move: Move, label: string}[]} a hint or the best move of a mistake */
    this.marked = [];
    this.board = new BoardView(catalog.color_names);
    this.chooser = new MoveChooser(this.board, {
      onChoose: (move) => this.choose(move),
      onPick: (pick) => {
        this.board.root.classList.toggle("hides-arrows", pick !== null);
        this.showGuide();
      },
    });
    this.arrows = new Arrows(this.board);
    this.evalBar = new EvalBar();
    this.playback = new Playback(this.board, {
      shown: () => this.shown,
      isFollowing: () => this.isFollowing && !this.retry,
      fetch: (number) => this.model.position(number).catch(() => null),
      show: (position) => this.show(position),
      settle: () => this.settle(),
      onScoring: ({ is_final }, { position }) => {
        const isTiling = position.phase === "wall_tiling"; // the round goes on
        this.headline.textContent = is_final ? "Final scoring" : isTiling ? "Tiling the walls" : "Scoring the round";
        this.guide.tell("Space, Esc or a click on the board skips this.");
      },
    });
    this.dock = new Dock({
      undo: () => this.takeBack("undo"),
      redo: () => this.takeBack("redo"),
      hint: () => void showHint(this),
      think: () => this.thinking.toggle(),
      goTo: (number) => this.goTo(number),
      pace: (is_paused, seconds) => this.model.send("pace", { is_paused, seconds }),
      step: () => this.model.send("step"),
      flip: () => this.flip(),
      items: () => gameMenu(this),
    });
    this.moves = new MovesPanel((number) => this.goToFromPanel(number));
    this.analysis = new AnalysisPanel(catalog.engines, {
      onToggle: () => this.thinking.toggle(),
      onEngine: () => this.thinking.restart(),
      onPlay: (candidate) => this.play(candidate.action),
      onHover: (index) => this.arrows.emphasise(index),
      onArrows: () => this.drawArrows(),
    });
    this.review = new ReviewPanel(catalog.engines, {
      onStart: (engine) => this.model.send("review", { engine }),
      onStop: () => this.model.send("stop_review"),
      onGo: (number) => this.goToFromPanel(number),
      onRetry: (player) => startRetry(this, player),
    });
    this.title = h("h1", {}, "Azul");
    this.headline = h("p", { class: "headline" });
    this.guide = new Guide();
    this.activity = h("p", { class: "activity small", role: "status" });
    this.result = h("div", { class: "result-place" });
    this.headRetry = h("div", { class: "retry-place" });
    this.headResult = h("div", { class: "result-place" });
    this.tabs = new Tabs("Panels", [
      { name: "moves", label: "Moves", panel: h("div", { class: "side-panel" }, this.moves.root) },
      { name: "analysis", label: "Analysis", panel: h("div", { class: "side-panel" }, this.analysis.root) },
      { name: "review", label: "Review", panel: h("div", { class: "side-panel" }, this.review.root) },
    ], () => this.onTab());
    this.model = new GameModel(id, {
      onGame: (game, before) => this.onGame(game, before),
      onHappened: (happened) => this.playback.add(happened),
      onAnalysis: (analysis) => this.thinking.receive(analysis),
      onReview: () => this.onReview(),
      onNotice: (notice) => this.tellActivity(notice.code === "ready" ? "" : notice.message),
      onError: (error) => this.onError(error),
      onConnection: (state) => this.onConnection(state),
    });
    this.thinking = new Thinking(this.model, this.analysis, {
      shown: () => this.shown,
      canPlay: () => this.canPlay(),
      mover: () => this.moverName(),
      onStart: () => this.tabs.select("analysis"),
      onChange: () => this.onThinking(),
    });
    this.root = h("div", { class: "game" },
      h("div", { class: "game-head" }, this.title, this.headline, this.guide.root, this.activity, this.headResult, this.headRetry),
      this.evalBar.root,
      this.board.root,
      h("aside", { class: "side", "aria-label": "Moves, analysis and review" }, this.result, this.dock.root, this.tabs.bar,
        this.tabs.tabs.map(({ panel }) => panel)));
    if (tab) this.tabs.select(tab);
    if (isThinking) this.thinking.isOn = true;
    this.isReady = true;
    this.board.root.addEventListener("click", (event) => {
      if (!(/** @type {Element} */ (event.target).closest(".pick, .target.legal, .choice.legal"))) this.escape();
    });
  }

  /** The game, once the server has told it. */
  get game() {
    return this.model.game;
  }

  get names() {
    return this.game?.seats.map((seat) => seat.label) ?? [];
  }

  /** True if a person may play in the position that is shown. */
  canPlay() {
    const { game, shown } = this;
    return Boolean(game && shown && this.isFollowing && !this.retry && !this.isPlaying && shown.number === game.number
      && game.to_move?.is_person && game.can_change !== false);
  }

  moverName() {
    const seat = this.shown?.position.current_player ?? 0;
    return this.names[seat] ?? "";
  }

  /** @param {"open" | "lost" | "gone"} state */
  onConnection(state) {
    this.app.connection(state);
    if (state === "lost") {
      this.isPlaying = false;
      this.chooser.disable();
      this.playback.stop();
      this.shown = null;
    }
  }

  /** @param {{code: string, message: string}} error */
  onError(error) {
    // A move that came too late for a changed position needs no excuse: the new position is on its way. An unknown game
    // has a page of its own.
    if (error.code !== "stale" && this.game) note(error.message, "error");
    this.isPlaying = false;
    this.offerMoves();
  }

  /**
   * @param {Game} game
   * @param {Game | null} before
   */
  onGame(game, before) {
    if (game.position_number !== before?.position_number) this.isPlaying = false;
    if (before && !continues(before.turns, game.turns)) this.isStale = true;
    if (game.warning && game.warning !== before?.warning) note(game.warning, game.can_change ? "error" : "note");
    if (!before && game.is_over && this.tabs.current === "moves") this.tabs.select("review");
    if (!before) {
      this.analysis.prefer(game.engine);
      this.review.prefer(game.engine);
    }
    this.tellActivity(game.thinking === null ? "" : `${game.seats[game.thinking].label} is thinking ...`);
    showResult(this, game.is_over && (this.showsResult || !before || !this.isFollowing));
    this.moves.show(game, this.model.review);
    this.review.show(this.model.review, game);
    this.showControls();
    if (!this.playback.isBusy) this.settle();
  }

  /** Show the last position if that is what should be shown and is not. */
  settle() {
    const { game, shown } = this;
    if (!game || this.retry) return;
    if (!this.isFollowing && shown && shown.number <= game.number) return;
    const last = game.turns.at(-1) ?? null;
    const isShown = shown && shown.number === game.number && (shown.last?.notation ?? null) === (last?.notation ?? null);
    if (isShown && !this.isStale) this.offerMoves();
    else void this.asking.ask(game.number);
  }

  /** @param {Position} position */
  show(position) {
    const { game } = this;
    if (!game) return;
    const isAnother = this.shown?.number !== position.number || this.shown?.text !== position.text;
    this.shown = position;
    this.isStale = false;
    const { drawing } = position;
    const mover = game.is_over && position.number === game.number ? null : position.position.current_player;
    this.board.firstSeat = firstSeat(game, position, this.flips);
    this.board.show(drawing, this.names, mover);
    this.board.markTile(position.last);
    this.board.root.toggleAttribute("data-focus", isAlone(game));
    this.title.textContent = drawing.title;
    this.headline.textContent = drawing.ending ? `${drawing.headline}: ${drawing.ending}` : drawing.headline;
    if (isAnother) this.marked = [];
    if (isAnother && this.isTelling) announce(positionWords(game, position));
    this.isTelling = false;
    if (game.is_over && !this.showsResult && position.number === game.number) showResult(this, true);
    this.showControls();
    this.offerMoves();
    if (isAnother) this.thinking.positionChanged();
    this.showChances();
    this.drawArrows();
  }

  offerMoves() {
    if (!this.shown) return;
    if (this.retry || this.canPlay()) this.chooser.enable(this.shown.legal);
    else this.chooser.disable();
    this.showGuide();
  }

  showControls() {
    const { game } = this;
    if (!game) return;
    const number = this.shown?.number ?? game.number;
    this.dock.show(game, number, this.thinking.isOn);
    this.moves.mark(number);
    this.review.mark(number);
    this.root.classList.toggle("is-past", !this.isFollowing);
  }

  showChances() {
    const number = this.shown?.number;
    const reviewed = this.model.review?.moves.find((move) => move.number === number)?.win_chances;
    this.evalBar.show(this.thinking.chances ?? reviewed ?? null, this.names);
  }

  showGuide() {
    if (this.game && this.shown) this.guide.show(this.game, this.shown, this.chooser.isEnabled, this.chooser.picked !== null);
  }

  drawArrows() {
    this.arrows.show(arrowsOf(this));
  }

  onTab() {
    if (!this.isReady) return;
    this.remember();
    this.drawArrows();
  }

  /** Keep in the address what a reload should bring back. */
  remember() {
    history.replaceState(null, "", gameAddress(this.id, this.tabs.current, this.thinking.isOn));
  }

  onThinking() {
    this.remember();
    this.showControls();
    this.showChances();
    this.drawArrows();
  }

  onReview() {
    const { game } = this;
    if (!game) return;
    this.review.show(this.model.review, game);
    this.moves.show(game, this.model.review);
    this.showControls();
    this.showChances();
  }

  /** @param {number} number of a position */
  goTo(number) {
    const { game } = this;
    if (!game) return;
    const aim = Math.max(0, Math.min(game.number, number));
    this.retry?.close();
    this.isFollowing = aim === game.number;
    this.isTelling = true;
    this.playback.stop();
    void this.asking.ask(aim);
  }

  /** @param {number} number of a position; on a phone it is far above the panels */
  goToFromPanel(number) {
    this.goTo(number);
    if (isNarrow()) this.root.scrollIntoView();
  }

  /** @param {number} step */
  stepBy(step) {
    const aim = (this.asking.number ?? this.shown?.number ?? 0) + step;
    if (this.game && aim > this.game.number && this.dock.canStep) this.model.send("step"); // beyond the last move
    else this.goTo(aim);
  }

  /** @param {Move} move */
  choose(move) {
    if (this.retry) void this.retry.tryMove(move);
    else this.play(move.action);
  }

  /** @param {number} action */
  play(action) {
    const { game } = this;
    if (!game || !this.canPlay()) return;
    this.chooser.disable();
    this.isPlaying = true;
    this.model.send("play", { position_number: game.position_number, action });
  }

  /** @param {"undo" | "redo"} type */
  takeBack(type) {
    this.retry?.close();
    this.isFollowing = true;
    this.isTelling = true;
    this.playback.stop();
    this.model.send(type);
  }

  flip() {
    this.flips += 1;
    if (!this.shown || !this.game) return;
    this.board.firstSeat = firstSeat(this.game, this.shown, this.flips);
    this.board.order();
    this.arrows.draw();
    announce(`The board of ${this.names[this.board.firstSeat]} is first.`);
  }

  /** Skip an animation, or put tiles back. */
  escape() {
    if (!this.playback.skip()) this.chooser.unpick();
  }

  /** @param {string} words */
  tellActivity(words) {
    this.activity.textContent = words;
  }

  keys() {
    return gameKeys(this);
  }

  close() {
    this.playback.stop();
    this.chooser.disable();
    this.arrows.close();
    this.model.close();
  }
}
