/** A button that opens a list of actions in a popover. */

import { freshId, h } from "./dom.js";
import { icon } from "./icons.js";

/** @typedef {{label: string, icon: string, action: () => void, isDisabled?: () => boolean} | null} MenuItem null is a line */

/**
 * @param {string} label of the button
 * @param {string} iconName
 * @param {() => MenuItem[]} items made whenever the menu opens
 * @param {string} [buttonClass]
 */
export function menu(label, iconName, items, buttonClass = "icon-button") {
  const id = freshId("menu");
  const list = h("div", { id, popover: "auto", role: "group", "aria-label": label });
  const button = h("button", { class: buttonClass, type: "button", popovertarget: id, "aria-label": label, title: label }, icon(iconName));
  list.addEventListener("beforetoggle", (event) => {
    if (/** @type {ToggleEvent} */ (event).newState !== "open") return;
    list.replaceChildren(...items().map((item) => menuItem(item, list)));
  });
  list.addEventListener("toggle", (event) => {
    if (/** @type {ToggleEvent} */ (event).newState === "open") place(list, button);
  });
  list.addEventListener("keydown", (event) => roam(event, list));
  return h("div", { class: "menu" }, button, list);
}

/**
 * @param {MenuItem} item
 * @param {HTMLElement} list
 */
function menuItem(item, list) {
  if (item === null) return h("div", { class: "menu-line" });
  return h("button", {
    class: "menu-item",
    type: "button",
    disabled: item.isDisabled?.() ?? false,
    onclick: () => {
      list.hidePopover();
      item.action();
    },
  }, icon(item.icon), item.label);
}

/**
 * Above or below the button, inside the window.
 *
 * @param {HTMLElement} list
 * @param {HTMLElement} button
 */
function place(list, button) {
  const anchor = button.getBoundingClientRect();
  const { width, height } = list.getBoundingClientRect();
  const left = Math.max(8, Math.min(anchor.right - width, innerWidth - width - 8));
  const below = anchor.bottom + 6;
  const top = below + height > innerHeight - 8 ? Math.max(8, anchor.top - height - 6) : below;
  list.style.left = `${left}px`;
  list.style.top = `${top}px`;
  /** @type {HTMLElement | null} */ (list.querySelector("button:not([disabled])"))?.focus();
}

/**
 * @param {KeyboardEvent} event
 * @param {HTMLElement} list
 */
function roam(event, list) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const buttons = [...list.querySelectorAll("button:not([disabled])")];
  const at = buttons.indexOf(/** @type {Element} */ (document.activeElement));
  /** @type {HTMLElement} */ (buttons[(at + step + buttons.length) % buttons.length]).focus();
}
