/** Asking for positions one after another; the last one asked for wins. */

/** @typedef {import("./types.js").Position} Position */

export class Asking {
  /**
   * @param {(number: number) => Promise<Position>} fetch
   * @param {(position: Position) => void} show
   */
  constructor(fetch, show) {
    this.fetch = fetch;
    this.show = show;
    /** @type {number | null} the position that is on its way */
    this.number = null;
  }

  /** @param {number} number */
  async ask(number) {
    const isWaiting = this.number !== null;
    this.number = number;
    if (isWaiting) return;
    try {
      while (this.number !== null) {
        /** @type {number} */
        const asked = this.number;
        const position = await this.fetch(asked);
        if (this.number === asked) {
          this.number = null;
          this.show(position);
        }
      }
    } catch {
      this.number = null; // the connection was lost; its return shows the position
    }
  }
}
