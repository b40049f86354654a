/** Modal dialogs on the browser's own element, which traps the focus and closes on Escape. */

import { freshId, h } from "./dom.js";
import { icon } from "./icons.js";

/** @typedef {import("./dom.js").Child} Child */

/**
 * Open a dialog; the promise gives what `close` was called with, null if it was cancelled.
 *
 * @template T
 * @param {string} title
 * @param {(close: (result: T | null) => void) => {body: Child[], foot?: Child[]}} content
 * @param {string} [name] a class
 * @returns {Promise<T | null>}
 */
export function openDialog(title, content, name = "") {
  return new Promise((resolve) => {
    const titleId = freshId("dialog");
    const dialog = h("dialog", { class: name, "aria-labelledby": titleId });
    /** @type {T | null} */
    let result = null;
    /** @param {T | null} value */
    const close = (value) => {
      result = value;
      dialog.close();
    };
    const { body, foot } = content(close);
    dialog.append(
      h("div", { class: "dialog-head" },
        h("h2", { id: titleId }, title),
        h("button", { class: "icon-button quiet", type: "button", "aria-label": "Close", onclick: () => close(null) }, icon("close"))),
      h("div", { class: "dialog-body" }, body));
    if (foot) dialog.append(h("div", { class: "dialog-foot" }, foot));
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) close(null); // the backdrop
    });
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(result);
    });
    document.body.append(dialog);
    dialog.showModal();
    /** @type {HTMLElement | null} */ (dialog.querySelector("[autofocus]"))?.focus();
  });
}

/**
 * Ask a question; true if the answer is yes.
 *
 * @param {string} title
 * @param {string} words
 * @param {string} yes
 * @returns {Promise<boolean>}
 */
export async function confirmed(title, words, yes) {
  const answer = await openDialog(title, (/** @type {(result: boolean | null) => void} */ close) => ({
    body: [h("p", {}, words)],
    foot: [
      h("button", { class: "button", type: "button", autofocus: true, onclick: () => close(false) }, "Cancel"),
      h("button", { class: "button primary", type: "button", onclick: () => close(true) }, yes),
    ],
  }), "narrow");
  return answer === true;
}

/** True if a dialog is open, so that keys belong to it. */
export function isDialogOpen() {
  return document.querySelector("dialog[open]") !== null;
}
