/** Animations that can be skipped: once skipped, everything that is left happens at once. */

import { s } from "./dom.js";

export class Motion {
  /** @param {number} speed 1 is normal, 2 twice as fast */
  constructor(speed) {
    this.speed = speed;
    this.isSkipped = false;
    /** @type {Set<Animation>} */
    this.running = new Set();
    /** @type {Set<() => void>} */
    this.pauses = new Set();
    this.layer = s("svg", { class: "flights", "aria-hidden": "true" });
    document.body.append(this.layer);
  }

  /**
   * @param {Element} element
   * @param {Keyframe[]} keyframes
   * @param {number} milliseconds
   * @param {KeyframeAnimationOptions} [options]
   */
  async run(element, keyframes, milliseconds, options = {}) {
    if (this.isSkipped) return;
    const delay = Number(options.delay ?? 0) / this.speed;
    const animation = element.animate(keyframes, {
      easing: "cubic-bezier(0.3, 0, 0.2, 1)",
      fill: "both",
      ...options,
      delay,
      duration: milliseconds / this.speed,
    });
    this.running.add(animation);
    await animation.finished.catch(() => undefined);
    this.running.delete(animation);
  }

  /** @param {number} milliseconds */
  pause(milliseconds) {
    if (this.isSkipped) return Promise.resolve();
    return /** @type {Promise<void>} */ (new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.pauses.delete(done);
        resolve();
      };
      const timer = setTimeout(done, milliseconds / this.speed);
      this.pauses.add(done);
    }));
  }

  skip() {
    this.isSkipped = true;
    for (const animation of this.running) animation.finish();
    for (const done of [...this.pauses]) done();
  }

  /** Remove what still flies. */
  clear() {
    this.layer.remove();
  }

  /**
   * Let a copy of a tile travel between two places on the screen. It stays where it lands until the caller or `clear`
   * removes it; none is there once the motion is skipped.
   *
   * @param {string} target id of its definition
   * @param {DOMRect} from
   * @param {DOMRect} to
   * @param {number} milliseconds
   * @param {number} delay
   */
  async fly(target, from, to, milliseconds, delay) {
    if (this.isSkipped) return null;
    const tile = s("use", { href: `#${target}`, class: "flight" });
    this.layer.append(tile);
    const [start, end] = [from, to].map(({ x, y, width }) => ({ x, y, scale: width / 36 }));
    const lift = Math.max(start.scale, end.scale) * 1.12;
    const arc = Math.min(40, 0.08 * Math.abs(end.x - start.x)); // a little above the straight line
    const halfway = { x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 - arc };
    await this.run(tile, [
      { transform: `translate(${start.x}px, ${start.y}px) scale(${start.scale})` },
      { transform: `translate(${halfway.x}px, ${halfway.y}px) scale(${lift})` },
      { transform: `translate(${end.x}px, ${end.y}px) scale(${end.scale})` },
    ], milliseconds, { delay });
    return tile;
  }
}
