/** "Find the better move" inside the view of a game. */

import { isNarrow } from "./narrow.js";
import { Retry } from "./retry.js";

/**
 * Begin with the mistakes of a player.
 *
 * @param {import("./game_view.js").GameView} view
 * @param {number | null} player null takes those of all players
 */
export function startRetry(view, player) {
  const mistakes = (view.model.review?.moves ?? []).filter((move) => move.severity && (player === null || move.player === player));
  if (!mistakes.length) return;
  view.retry?.close();
  view.thinking.stop();
  view.playback.stop();
  view.retry = new Retry(mistakes, view.names, {
    // On a phone the panel is far below the board.
    place: isNarrow() ? view.headRetry : view.review.retry,
    goTo: async (number) => {
      view.isFollowing = false;
      view.show(await view.model.position(number));
    },
    ask: (number, action) => view.model.ask("try", { number, action }),
    onBest: (action) => {
      const move = view.shown?.legal.find((each) => each.action === action);
      view.marked = move ? [{ move, label: "✓" }] : [];
      view.drawArrows();
    },
    onDone: () => {
      view.retry = null;
      view.offerMoves();
    },
  });
  void view.retry.begin();
}
