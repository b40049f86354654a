/** The chances to win of all seats, as a bar. */

import { h } from "./dom.js";
import { percent } from "./words.js";

export class EvalBar {
  constructor() {
    this.root = h("div", { class: "eval-bar", role: "img", "aria-label": "Chances to win: not known yet" });
  }

  /**
   * @param {number[] | null} chances by seat; null if they are not known
   * @param {string[]} names
   */
  show(chances, names) {
    this.root.classList.toggle("unknown", chances === null);
    const shares = chances ?? names.map(() => 1 / names.length);
    if (this.root.children.length !== names.length) {
      this.root.replaceChildren(...names.map((_, seat) => h("div", { class: `share seat-${seat}` }, h("span", {}))));
    }
    shares.forEach((share, seat) => {
      const part = /** @type {HTMLElement} */ (this.root.children[seat]);
      part.style.flexGrow = String(Math.max(share, 0.001));
      part.title = chances ? `${names[seat]}: ${percent(share)}` : names[seat];
      /** @type {HTMLElement} */ (part.firstElementChild).textContent = chances && share >= 0.08 ? percent(share) : "";
    });
    const words = chances
      ? names.map((name, seat) => `${name} ${percent(shares[seat])}`).join(", ")
      : "not known yet";
    this.root.setAttribute("aria-label", `Chances to win: ${words}`);
  }
}
