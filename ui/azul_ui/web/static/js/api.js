/** Requests to the server that are not part of a game's socket. */

import { note } from "./announce.js";
import { parsedSvg, $ } from "./dom.js";

/** @typedef {import("./types.js").Catalog} Catalog */
/** @typedef {import("./types.js").Summary} Summary */
/** @typedef {import("./types.js").CheckedPosition} CheckedPosition */

const SLOW_MS = 2500; // after which a person is told why it takes so long

/** @type {Map<string, Promise<Catalog>>} by the variant that is asked about */
const catalogs = new Map();

/**
 * The levels, agents and engines; asked for once.
 *
 * @param {string} [variant] only those that play it
 * @returns {Promise<Catalog>}
 */
export function catalog(variant = "") {
  const found = catalogs.get(variant) ?? request(`/api/catalog${variant && `?variant=${encodeURIComponent(variant)}`}`)
    .catch((error) => {
      catalogs.delete(variant);
      throw error;
    });
  catalogs.set(variant, found);
  return found;
}

/** @returns {Promise<Summary[]>} */
export async function games() {
  return (await request("/api/games")).games;
}

/**
 * Start or open a game.
 *
 * @param {Record<string, unknown>} body
 * @returns {Promise<string>} its id
 */
export async function createGame(body) {
  return (await request("/api/games", body)).id;
}

/**
 * @param {Record<string, unknown>} body
 * @returns {Promise<CheckedPosition>}
 */
export function checkPosition(body) {
  return request("/api/position", body);
}

/**
 * @param {string} id
 * @returns {Promise<string>} the record, one line
 */
export async function recordText(id) {
  return (await (await fileContent(fileAddress(id, "record.jsonl"))).text()).trim();
}

/**
 * @param {string} address of a file
 * @returns {Promise<Blob>}
 */
export async function fileContent(address) {
  const response = await answered(fetch(address));
  if (!response.ok) throw await refusal(response);
  return response.blob();
}

/**
 * @param {Promise<Response>} request
 * @returns {Promise<Response>}
 */
function answered(request) {
  return request.catch(() => {
    throw new Error("The server does not answer. Is `azul web` still running?");
  });
}

/**
 * @param {Response} response
 * @returns {Promise<Error>}
 */
async function refusal(response) {
  const answer = await response.json().catch(() => null);
  return new Error(answer?.error?.message ?? `The server answered with status ${response.status}.`);
}

/**
 * @param {string} id
 * @param {string} name
 */
export function fileAddress(id, name) {
  return `/api/games/${encodeURIComponent(id)}/${name}`;
}

/** Put the definitions that all drawings refer to into the page. */
export async function loadArt() {
  const response = await fetch("/api/art.svg");
  if (!response.ok) throw new Error("The drawings could not be loaded.");
  $("#art").replaceChildren(parsedSvg(await response.text()));
}

/**
 * @param {string} path
 * @param {Record<string, unknown>} [body]
 * @returns {Promise<any>}
 */
async function request(path, body) {
  /** @type {RequestInit} */
  const options = body === undefined
    ? {}
    : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const slow = setTimeout(() => note("Still working. On its first use the engine is compiled, which takes a minute or two."), SLOW_MS);
  const response = await answered(fetch(path, options)).finally(() => clearTimeout(slow));
  if (!response.ok) throw await refusal(response);
  return response.json();
}
