/** The analysis of the position that is shown: switched on and off, and moved on with the position. */

/** @typedef {import("./types.js").Analysis} Analysis */
/** @typedef {import("./types.js").Position} Position */

const SETTLE_MS = 200; // scrubbing over positions should not start an analysis for each

export class Thinking {
  /**
   * @param {import("./game_model.js").GameModel} model
   * @param {import("./analysis_panel.js").AnalysisPanel} panel
   * @param {{
   *   shown: () => Position | null, canPlay: () => boolean, mover: () => string, onStart: () => void,
   *   onChange: () => void
   * }} host
   */
  constructor(model, panel, host) {
    this.model = model;
    this.panel = panel;
    this.host = host;
    this.isOn = false;
    /** @type {Analysis | null} */
    this.latest = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /** The chances to win in the position shown, if they are known. */
  get chances() {
    return this.latest?.number === this.host.shown()?.number && this.latest?.candidates.length ? this.latest.win_chances : null;
  }

  toggle() {
    if (this.isOn) this.stop();
    else this.start();
  }

  start() {
    this.isOn = true;
    this.panel.setThinking(true);
    this.ask();
    this.host.onStart(); // what it finds should be seen
    this.host.onChange();
  }

  stop() {
    if (!this.isOn) return;
    this.isOn = false;
    clearTimeout(this.timer);
    this.model.send("stop");
    this.panel.setThinking(false);
    this.host.onChange();
  }

  /** Begin again, with another engine for example. */
  restart() {
    if (this.isOn) this.ask();
  }

  positionChanged() {
    clearTimeout(this.timer);
    this.latest = null;
    this.panel.tell("");
    this.panel.setThinking(this.isOn);
    if (this.isOn) this.timer = setTimeout(() => this.ask(), SETTLE_MS);
  }

  ask() {
    const shown = this.host.shown();
    if (!shown) return;
    this.latest = null;
    if (!shown.legal.length) {
      this.panel.tell("The game is over here.");
      return;
    }
    this.panel.tell("Asking the engine ...");
    this.model.send("analyse", { number: shown.number, engine: this.panel.engine.value, seconds: null });
  }

  /** @param {Analysis} analysis */
  receive(analysis) {
    // One that was on its way when it was stopped, or the engine or position changed, is no news.
    if (!this.isOn || analysis.engine !== this.panel.engine.value || analysis.number !== this.host.shown()?.number) return;
    this.latest = analysis;
    this.panel.show(analysis, this.host.canPlay(), this.host.mover());
    if (analysis.status === "final" && this.isOn) {
      // Nothing more comes for this position; the next one is analysed again.
      this.panel.setThinking(true);
    }
    this.host.onChange();
  }
}
