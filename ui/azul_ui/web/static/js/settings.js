/** What a person prefers, kept in this browser. */

/**
 * @typedef {{
 *   theme: "system" | "light" | "dark", isAnimated: boolean, speed: number, engine: string | null, name: string,
 *   showsArrows: boolean, newGame: unknown, variant: string
 * }} Settings
 */

const KEY = "azul-settings";

/** @type {Settings} */
const DEFAULTS = {
  theme: "system",
  isAnimated: true,
  speed: 1,
  engine: null,
  name: "",
  showsArrows: true,
  newGame: null,
  variant: "colored",
};

/** @type {Settings} */
let current = { ...DEFAULTS, ...stored() };

/** @returns {Partial<Settings>} */
function stored() {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return found && typeof found === "object" ? found : {};
  } catch {
    return {}; // damaged or blocked: the defaults do
  }
}

/** @returns {Readonly<Settings>} */
export function settings() {
  return current;
}

/** @param {Partial<Settings>} changes */
export function changeSettings(changes) {
  current = { ...current, ...changes };
  try {
    localStorage.setItem(KEY, JSON.stringify(current));
  } catch {
    // Blocked storage: the change lasts until the tab is closed.
  }
  applyTheme();
}

/** True if the page is dark now. */
export function isDark() {
  if (current.theme !== "system") return current.theme === "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

/** True if tiles may travel: neither the system nor the person asked for less motion. */
export function isAnimated() {
  return current.isAnimated && !matchMedia("(prefers-reduced-motion: reduce)").matches;
}

export function applyTheme() {
  const root = document.documentElement;
  if (current.theme === "system") delete root.dataset.theme;
  else root.dataset.theme = current.theme;
}
