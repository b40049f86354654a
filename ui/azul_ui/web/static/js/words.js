/** Numbers in words. */

/**
 * A share in whole percent; 0% and 100% only if it is exactly that.
 *
 * @param {number} share
 */
export function percent(share) {
  const whole = Math.round(100 * share);
  return `${share === 0 || share === 1 ? whole : Math.min(99, Math.max(1, whole))}%`;
}

/**
 * What an engine's value means, such as "1.8 points ahead".
 *
 * @param {number} value
 */
export function marginWords(value) {
  const points = Math.round(Math.abs(value) * 10) / 10;
  if (!points) return "level";
  return `${points} ${points === 1 ? "point" : "points"} ${value > 0 ? "ahead" : "behind"}`;
}

/**
 * How good a chance is for the player who has it.
 *
 * @param {number} chance
 * @param {number} players
 */
export function chanceWords(chance, players) {
  const edge = chance - 1 / players;
  if (chance >= 0.97) return "all but won";
  if (chance <= 0.03) return "all but lost";
  if (edge > 0.25) return "clearly better";
  if (edge > 0.08) return "better";
  if (edge < -0.25) return "clearly worse";
  if (edge < -0.08) return "worse";
  return "about even";
}

/**
 * @param {number} count
 * @param {string} noun
 * @param {string} [nouns] its plural
 */
export function counted(count, noun, nouns = `${noun}s`) {
  return `${count} ${count === 1 ? noun : nouns}`;
}

/** @param {number} points */
export function signed(points) {
  return points < 0 ? `−${-points}` : `+${points}`;
}

/** @param {number | null | undefined} nodes */
export function nodeWords(nodes) {
  if (!nodes) return "";
  if (nodes >= 1e6) return `${(nodes / 1e6).toFixed(1)} M positions`;
  if (nodes >= 1e4) return `${Math.round(nodes / 1e3)} k positions`;
  return `${nodes} positions`;
}

/** @type {Record<import("./types.js").Severity, [string, string]>} */
export const SEVERITY_WORDS = {
  blunder: ["blunder", "blunders"],
  mistake: ["mistake", "mistakes"],
  inaccuracy: ["inaccuracy", "inaccuracies"],
};

/** @type {import("./types.js").Severity[]} from the worst */
export const SEVERITIES = ["blunder", "mistake", "inaccuracy"];

/** @param {string} word */
export function capital(word) {
  return word[0].toUpperCase() + word.slice(1);
}

/** @param {unknown} error */
export function errorWords(error) {
  return error instanceof Error ? error.message : String(error);
}
