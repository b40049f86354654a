/** The keys of a game. */

import { playCandidate, showHint } from "./advice.js";

/**
 * @param {import("./game_view.js").GameView} view
 * @returns {import("./keys.js").KeyMap}
 */
export function gameKeys(view) {
  /** @type {import("./keys.js").KeyMap} */
  const map = {
    ArrowLeft: () => view.stepBy(-1),
    ArrowRight: () => view.stepBy(1),
    Home: () => view.goTo(0),
    End: () => view.goTo(view.game?.number ?? 0),
    " ": () => {
      if (!view.playback.skip()) view.thinking.toggle();
    },
    ",": () => void playCandidate(view, 0),
    h: () => void showHint(view),
    u: () => view.takeBack("undo"),
    r: () => view.takeBack("redo"),
    f: () => view.flip(),
    p: () => view.dock.togglePause(),
    Escape: () => view.escape(),
  };
  for (let rank = 1; rank <= 9; rank += 1) map[String(rank)] = () => void playCandidate(view, rank - 1);
  return map;
}
