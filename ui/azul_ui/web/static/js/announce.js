/** What is said: to screen readers in a live region, to everybody in a short-lived note. */

import { $, h } from "./dom.js";

const KEPT_LINES = 30;
const NOTE_SECONDS = 4;

/** @param {string} words */
export function announce(words) {
  const region = $("#announcer");
  region.append(h("p", {}, words));
  while (region.children.length > KEPT_LINES) region.firstElementChild?.remove();
}

/**
 * A note at the bottom of the page.
 *
 * @param {string} words
 * @param {"note" | "error"} [tone]
 */
export function note(words, tone = "note") {
  const shown = h("div", { class: `toast ${tone}` }, words);
  const region = $("#toasts");
  region.append(shown);
  while (region.children.length > 3) region.firstElementChild?.remove();
  setTimeout(() => shown.remove(), NOTE_SECONDS * 1000 * (tone === "error" ? 2 : 1));
}
