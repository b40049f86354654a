/** The start of the page: which view is shown, and what all views share. */

import { note } from "./announce.js";
import { catalog, checkPosition, createGame, loadArt } from "./api.js";
import { $, h } from "./dom.js";
import { GameView } from "./game_view.js";
import { HomeView } from "./home_view.js";
import { icon } from "./icons.js";
import { Keys, showHelp } from "./keys.js";
import { gameAddress, readFragment } from "./links.js";
import { newGameDialog } from "./new_game.js";
import { acceptDrops, openRecordFile } from "./record_files.js";
import { applyTheme, changeSettings, isDark } from "./settings.js";
import { settingsDialog } from "./settings_dialog.js";
import { SetupView } from "./setup_view.js";
import { errorWords } from "./words.js";

/** @typedef {{root: HTMLElement, keys: () => import("./keys.js").KeyMap, close: () => void}} View */

const keys = new Keys();
/** @type {View | null} */
let view = null;
let routes = 0;

/** @type {import("./home_view.js").HomeApp & {route: () => Promise<void>}} */
const app = {
  openGame: (id, tab) => go(gameAddress(id, tab ?? "moves", tab === "analysis")),
  goHome: () => go("/"),
  newGame: () => void startNewGame(false),
  watch: () => void startNewGame(true),
  setup: (text) => go(text ? `/#position=${encodeURIComponent(text).replaceAll("%20", "+")}` : "/#setup"),
  connection: showConnection,
  openFile: () => void openRecordFile(app),
  route,
};

/** @param {string} address */
function go(address) {
  history.pushState(null, "", address);
  void route();
}

/** @param {boolean} isWatched if only agents play */
async function startNewGame(isWatched) {
  try {
    const wanted = await newGameDialog(isWatched ? { title: "Watch agents", isWatched } : {});
    if (wanted) app.openGame(await createGame(wanted));
  } catch (error) {
    note(errorWords(error), "error");
  }
}

/** Show the view that the address names. */
async function route() {
  routes += 1;
  const mine = routes;
  view?.close();
  view = null;
  keys.use({});
  showConnection("open");
  const place = $("#view");
  /** @type {View} */
  let next;
  try {
    next = await viewOf(new URL(location.href));
  } catch (error) {
    if (mine !== routes) return;
    showFailure("That did not work", errorWords(error));
    return;
  }
  if (mine !== routes) {
    next.close();
    return;
  }
  view = next;
  place.replaceChildren(next.root);
  document.body.dataset.view = next.constructor.name;
  keys.use(next.keys());
  scrollTo(0, 0);
}

/**
 * @param {string} title
 * @param {string} words
 */
function showFailure(title, words) {
  delete document.body.dataset.view;
  $("#view").replaceChildren(h("div", { class: "failure" }, h("h1", {}, title), h("p", {}, words),
    h("a", { class: "button primary", href: "/" }, "To the start")));
}

/**
 * @param {URL} url
 * @returns {Promise<View>}
 */
async function viewOf(url) {
  const known = await catalog();
  const id = url.searchParams.get("game");
  if (id) return new GameView(app, known, id, url.searchParams.get("tab"), url.searchParams.has("think"));
  const linked = await readFragment(url.hash);
  if (linked && "game" in linked) {
    const opened = await createGame({ record: linked.game });
    history.replaceState(null, "", gameAddress(opened));
    return new GameView(app, known, opened, null, false);
  }
  if (linked) {
    await checkPosition({ text: linked.position }).catch((error) => {
      throw new Error(`This link holds no position: ${errorWords(error)}.`);
    });
    return new SetupView(app, known, linked.position);
  }
  if (url.hash === "#setup") return new SetupView(app, known, null);
  return new HomeView(app, known);
}

/** @param {"open" | "lost" | "gone"} state */
function showConnection(state) {
  const banner = $("#connection");
  banner.hidden = state !== "lost";
  banner.textContent = state === "lost" ? "The connection to the server was lost. Trying again ..." : "";
  if (state !== "gone") return;
  view?.close();
  view = null;
  keys.use({});
  showFailure("No such game", "The server does not know this game. It may have been removed, or belong to another server.");
}

function buildHeader() {
  /** @param {string} label @param {string} iconName @param {() => void} action */
  const link = (label, iconName, action) =>
    h("button", { type: "button", class: "button quiet", onclick: action, "aria-label": label }, icon(iconName), h("span", {}, label));
  $("#main-nav").append(
    link("New game", "plus", app.newGame),
    link("Set up", "edit", () => app.setup("")),
    link("Open a file", "file", app.openFile));
  const theme = h("button", { type: "button", class: "icon-button quiet", onclick: () => {
    changeSettings({ theme: isDark() ? "light" : "dark" });
    showTheme();
  } });
  const showTheme = () => {
    const label = isDark() ? "Light theme" : "Dark theme";
    theme.replaceChildren(icon(isDark() ? "sun" : "moon"));
    theme.setAttribute("aria-label", label);
    theme.title = label;
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showTheme);
  showTheme();
  $("#app-tools").append(
    theme,
    h("button", { type: "button", class: "icon-button quiet", "aria-label": "Settings", title: "Settings", onclick: () => void settingsDialog().then(showTheme) }, icon("gear")),
    h("button", { type: "button", class: "icon-button quiet", "aria-label": "Keys", title: "Keys (?)", onclick: () => void showHelp() }, icon("help")));
}

/** Links inside the page change the view without a reload. */
function catchLinks() {
  document.addEventListener("click", (event) => {
    const link = /** @type {Element} */ (event.target).closest("a[href^='/']");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || link.hasAttribute("download")) return;
    event.preventDefault();
    go(link.getAttribute("href") ?? "/");
  });
}

applyTheme();
buildHeader();
catchLinks();
acceptDrops(app);
addEventListener("popstate", () => void route());
addEventListener("hashchange", () => void route());
loadArt().catch((error) => note(errorWords(error), "error"));
void route();
