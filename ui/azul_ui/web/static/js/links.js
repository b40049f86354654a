/** Positions and whole games in the fragment of a link. */

/** @param {string} text of a position */
export function positionLink(text) {
  return `${location.origin}/#position=${encodeURIComponent(text).replaceAll("%20", "+")}`;
}

/** @param {Record<string, unknown>} content what POST /api/games takes */
export async function gameLink(content) {
  return `${location.origin}/#game=${await packed(JSON.stringify(content))}`;
}

/**
 * What a fragment holds; null if it is none of ours. Throws for one that is damaged.
 *
 * @param {string} fragment
 * @returns {Promise<{position: string} | {game: string} | null>} `game` is its record
 */
export async function readFragment(fragment) {
  const [, name, value] = fragment.match(/^#(position|game)=(.*)$/s) ?? [];
  if (!name) return null;
  try {
    if (name === "position") return { position: decodeURIComponent(value.replaceAll("+", " ")) };
    const { record } = JSON.parse(await unpacked(value));
    if (typeof record !== "string") throw new TypeError("no record");
    return { game: record }; // nothing else: a link decides nothing about seats
  } catch {
    throw new Error("This link is damaged. Was all of it copied?");
  }
}

/** @param {string} text */
async function packed(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** @param {string} text */
async function unpacked(text) {
  const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).text();
}

/**
 * The address of a game's page.
 *
 * @param {string} id
 * @param {string} [tab] that is open
 * @param {boolean} [isThinking] if the analysis runs
 */
export function gameAddress(id, tab = "moves", isThinking = false) {
  return `/?game=${encodeURIComponent(id)}${tab === "moves" ? "" : `&tab=${tab}`}${isThinking ? "&think=1" : ""}`;
}
