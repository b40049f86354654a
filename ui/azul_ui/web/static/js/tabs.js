/** Tabs with roving focus. */

import { freshId, h } from "./dom.js";

/** @typedef {{name: string, label: string, panel: HTMLElement}} Tab */

export class Tabs {
  /**
   * @param {string} label
   * @param {Tab[]} tabs
   * @param {(name: string) => void} onChange
   */
  constructor(label, tabs, onChange) {
    this.tabs = tabs;
    this.onChange = onChange;
    this.current = tabs[0].name;
    this.buttons = tabs.map((tab) => {
      tab.panel.id ||= freshId("panel");
      const id = freshId("tab");
      tab.panel.setAttribute("role", "tabpanel");
      tab.panel.setAttribute("aria-labelledby", id);
      return h("button", {
        id,
        type: "button",
        role: "tab",
        "data-tab": tab.name,
        "aria-controls": tab.panel.id,
        onclick: () => this.select(tab.name),
      }, tab.label);
    });
    this.bar = h("div", { class: "segmented tabs", role: "tablist", "aria-label": label }, this.buttons);
    this.bar.addEventListener("keydown", (event) => this.onKey(event));
    this.select(this.current);
  }

  /** @param {string} name */
  select(name) {
    this.current = name;
    this.tabs.forEach((tab, index) => {
      const isCurrent = tab.name === name;
      tab.panel.hidden = !isCurrent;
      this.buttons[index].setAttribute("aria-selected", String(isCurrent));
      this.buttons[index].tabIndex = isCurrent ? 0 : -1;
    });
    this.onChange(name);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const at = this.tabs.findIndex((tab) => tab.name === this.current);
    const next = (at + step + this.tabs.length) % this.tabs.length;
    this.select(this.tabs[next].name);
    this.buttons[next].focus();
  }
}
