/** The rules of the game in a minute, for people who have never played it. */

import { h } from "./dom.js";
import { openDialog } from "./dialog.js";

const RULES = [
  ["Take", "In your turn, take all tiles of one color from one factory or from the center. The factory's other tiles go to the center."],
  ["Place", "Put them all in one of your five lines, which holds one color, or on the floor. What does not fit falls to the floor."],
  ["Score", "When the table is empty, every full line moves a tile to the wall. It scores 1, or the length of the rows and columns of tiles that it joins."],
  ["Floor", "Each tile on the floor costs what is written above it. So does the marker, which the first to take from the center gets; that player starts the next round."],
  ["End", "The game ends after the round in which somebody completes a row of the wall. Then a complete row is worth 2 points, a column 7, and all five tiles of a color 10. The most points win."],
  ["Gray", "A game can also be played on walls without colors. Then you choose the column of each tile yourself: a free cell of its row, in a column that does not have the color yet. The player who starts the next round tiles first. If no column is left, the whole line falls to the floor."],
];

export function showRules() {
  return openDialog("How to play", () => ({
    body: [
      h("dl", { class: "rules" }, RULES.map(([name, words]) => [h("dt", {}, name), h("dd", {}, words)]).flat()),
      h("p", { class: "small muted" }, "A line takes no color that its row of the wall has already. The page offers legal moves only, and shows where the tiles would go."),
    ],
  }));
}
