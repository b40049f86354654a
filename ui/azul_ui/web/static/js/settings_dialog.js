/** The settings of the page. */

import { h } from "./dom.js";
import { openDialog } from "./dialog.js";
import { changeSettings, settings } from "./settings.js";

/** @type {[string, number][]} */
const SPEEDS = [["Slow", 0.5], ["Normal", 1], ["Fast", 1.7], ["Very fast", 3]];

export function settingsDialog() {
  const { theme, isAnimated, speed, showsArrows } = settings();
  const themeChoice = h("select", { id: "set-theme", onchange: () => changeSettings({ theme: /** @type {"system"} */ (themeChoice.value) }) },
    [["system", "Same as the system"], ["light", "Light"], ["dark", "Dark"]].map(([value, label]) =>
      h("option", { value, selected: value === theme }, label)));
  const motion = h("input", { type: "checkbox", checked: isAnimated, onchange: () => changeSettings({ isAnimated: motion.checked }) });
  const speedChoice = h("select", { id: "set-speed", onchange: () => changeSettings({ speed: Number(speedChoice.value) }) },
    SPEEDS.map(([label, value]) => h("option", { value, selected: value === speed }, label)));
  const arrows = h("input", { type: "checkbox", checked: showsArrows, onchange: () => changeSettings({ showsArrows: arrows.checked }) });
  const isReduced = matchMedia("(prefers-reduced-motion: reduce)").matches;
  return openDialog("Settings", () => ({
    body: [
      h("div", { class: "field" }, h("label", { for: "set-theme" }, "Theme"), themeChoice),
      h("label", { class: "check" }, motion, "Animate moves and scoring"),
      isReduced ? h("p", { class: "small muted" }, "Your system asks for reduced motion, so animations are off.") : null,
      h("div", { class: "field" }, h("label", { for: "set-speed" }, "Animation speed"), speedChoice),
      h("label", { class: "check" }, arrows, "Draw the best moves of an analysis as arrows"),
    ],
  }), "narrow");
}
