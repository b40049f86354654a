/** Taking a game away: links to the clipboard, files to the disk. */

import { note } from "./announce.js";
import { fileAddress, fileContent, recordText } from "./api.js";
import { h } from "./dom.js";
import { gameLink, positionLink } from "./links.js";
import { openDialog } from "./dialog.js";
import { errorWords } from "./words.js";

/** @typedef {import("./types.js").Position} Position */
/** @typedef {import("./menu.js").MenuItem} MenuItem */

const SLOW_MS = 800; // after which a person is told that it takes a while
const KEPT_MS = 60_000; // until when the browser has surely saved a file

/**
 * @param {string} words
 * @param {string} what
 */
export async function copyText(words, what) {
  try {
    await navigator.clipboard.writeText(words);
    note(`${what} copied.`);
  } catch {
    // The clipboard may be out of reach (no permission, no HTTPS): the text can be copied by hand.
    await openDialog(what, () => ({
      body: [h("textarea", { rows: 6, readonly: true, autofocus: true, "aria-label": what, onfocus: (/** @type {FocusEvent} */ event) => /** @type {HTMLTextAreaElement} */ (event.target).select() }, words)],
    }));
  }
}

/**
 * Save a file of the server. It is fetched first: so a person is told that a film takes its time, and what went wrong.
 *
 * @param {string} address
 * @param {string} name
 */
async function download(address, name) {
  const slow = setTimeout(() => note("Drawing it. That can take a while; the file is saved when it is done."), SLOW_MS);
  try {
    const link = h("a", { href: URL.createObjectURL(await fileContent(address)), download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
  } catch (error) {
    note(errorWords(error), "error");
  } finally {
    clearTimeout(slow);
  }
}

/**
 * @param {string} id
 * @param {() => Position | null} shown
 * @param {() => Promise<Record<string, unknown>>} content of a link to the game
 * @returns {MenuItem[]}
 */
export function takeawayItems(id, shown, content) {
  const number = () => shown()?.number ?? 0;
  /** @param {string} kind */
  const picture = (kind) => void download(`${fileAddress(id, `picture.${kind}`)}?number=${number()}`, `azul-${id}-${number()}.${kind}`);
  return [
    { label: "Copy link to this position", icon: "link", action: () => void copyText(positionLink(shown()?.text ?? ""), "Link") },
    {
      label: "Copy link to the whole game",
      icon: "link",
      action: () => content().then(gameLink).then((link) => copyText(link, "Link"), (error) => note(errorWords(error), "error")),
    },
    { label: "Copy the position as text", icon: "copy", action: () => void copyText(shown()?.text ?? "", "Text") },
    null,
    { label: "Record (.jsonl)", icon: "file", action: () => void download(fileAddress(id, "record.jsonl"), `azul-${id}.jsonl`) },
    { label: "Picture (SVG)", icon: "picture", action: () => picture("svg") },
    { label: "Picture (PNG)", icon: "picture", action: () => picture("png") },
    { label: "Film (GIF)", icon: "film", action: () => void download(fileAddress(id, "film.gif"), `azul-${id}.gif`) },
  ];
}

/**
 * @param {string} id
 * @returns {Promise<Record<string, unknown>>}
 */
export async function linkContent(id) {
  return { record: await recordText(id) };
}
