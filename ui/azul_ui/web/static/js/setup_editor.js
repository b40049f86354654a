/** Changes to a position that is being set up. Each takes a position and gives a new one; the server judges the result. */

/** @typedef {import("./types.js").PositionData} PositionData */
/** @typedef {{kind: "color", color: number} | {kind: "marker"} | {kind: "eraser"}} Tool */
/** @typedef {(draft: PositionData) => void} Change */

const MARKER = "marker";

/**
 * @param {PositionData} position
 * @param {Change} change
 * @returns {PositionData}
 */
export function changed(position, change) {
  const draft = structuredClone(position);
  change(draft);
  return draft;
}

/** What an editor knows: the names of the colors, and whether tiles come from and go to the bag. */
export class SetupEditor {
  /** @param {string[]} colorNames */
  constructor(colorNames) {
    this.colorNames = colorNames;
    this.usesBag = true;
  }

  /**
   * Take tiles from the supply or give them back, so that their number stays the same.
   *
   * @param {PositionData} draft
   * @param {number} color
   * @param {number} count taken; below 0 they are given back
   */
  supply(draft, color, count) {
    if (!this.usesBag) return;
    for (let left = count; left > 0; left -= 1) {
      if (draft.bag[color] > 0) draft.bag[color] -= 1;
      else if (draft.discard[color] > 0) draft.discard[color] -= 1;
    }
    if (count < 0) draft.bag[color] -= count;
  }

  /**
   * @param {number} source the last one is the center
   * @param {Tool} tool
   * @param {number | null} clicked the color of the tile that was clicked, for the eraser
   * @returns {Change}
   */
  source(source, tool, clicked) {
    return (draft) => {
      const isCenter = source === draft.factories.length;
      const counts = isCenter ? draft.center : draft.factories[source];
      if (tool.kind === "color") {
        counts[tool.color] += 1;
        this.supply(draft, tool.color, 1);
      } else if (tool.kind === "eraser") {
        const color = clicked ?? counts.findLastIndex((count) => count > 0);
        if (color >= 0 && counts[color] > 0) {
          counts[color] -= 1;
          this.supply(draft, color, -1);
        } else if (isCenter) {
          draft.center_has_marker = false;
        }
      } else if (isCenter) {
        takeMarker(draft);
        draft.center_has_marker = true;
      }
    };
  }

  /**
   * @param {number} seat
   * @param {number} row
   * @param {number} column as drawn, where lines end in the last column
   * @param {Tool} tool
   * @returns {Change}
   */
  line(seat, row, column, tool) {
    return (draft) => {
      if (tool.kind === "marker") return;
      const line = draft.players[seat].pattern_lines[row];
      const count = 5 - column;
      const before = { ...line };
      if (tool.kind === "eraser") line.count = count - 1;
      else if (line.color === this.colorNames[tool.color] && line.count === count) line.count = 0;
      else line.count = count;
      if (tool.kind === "color") line.color = this.colorNames[tool.color];
      if (!line.count || line.color === null) {
        line.color = null;
        line.count = 0;
      }
      if (before.color !== null) this.supply(draft, this.colorNames.indexOf(before.color), -before.count);
      if (line.color !== null) this.supply(draft, this.colorNames.indexOf(line.color), line.count);
    };
  }

  /**
   * @param {number} seat
   * @param {number} row
   * @param {number} column
   * @param {number} printed the color of the cell, or of its tile; below 0 for an empty cell of a gray wall
   * @param {Tool} tool which chooses the color on a gray wall
   * @returns {Change}
   */
  wall(seat, row, column, printed, tool) {
    return (draft) => {
      const cells = draft.players[seat].wall[row];
      const isGray = draft.variant === "gray";
      const before = cells[column];
      if (before) this.supply(draft, printed, -1);
      if (!isGray) cells[column] = before ? 0 : 1;
      else if (tool.kind === "color") cells[column] = before === tool.color + 1 ? 0 : tool.color + 1;
      else cells[column] = 0;
      if (cells[column]) this.supply(draft, isGray ? cells[column] - 1 : printed, 1);
    };
  }

  /**
   * @param {number} seat
   * @param {number} slot
   * @param {Tool} tool
   * @returns {Change}
   */
  floor(seat, slot, tool) {
    return (draft) => {
      const { floor } = draft.players[seat];
      if (tool.kind === "eraser" || slot < floor.length) {
        const [gone] = floor.splice(Math.min(slot, floor.length - 1), 1);
        if (gone !== undefined && gone !== MARKER) this.supply(draft, this.colorNames.indexOf(gone), -1);
      } else if (tool.kind === "marker") {
        takeMarker(draft);
        floor.push(MARKER);
        draft.starting_player_next_round = seat;
      } else if (floor.length < 7) {
        floor.push(this.colorNames[tool.color]);
        this.supply(draft, tool.color, 1);
      }
    };
  }

  /** Everything back into the bag. @returns {Change} */
  clear() {
    return (draft) => {
      const lists = [draft.discard, draft.center, ...draft.factories];
      const total = draft.bag.map((count, color) => count + lists.reduce((sum, list) => sum + list[color], 0));
      for (const player of draft.players) {
        for (const name of player.floor) if (name !== MARKER) total[this.colorNames.indexOf(name)] += 1;
        for (const line of player.pattern_lines) if (line.color) total[this.colorNames.indexOf(line.color)] += line.count;
      }
      for (const list of lists) list.fill(0);
      if (draft.phase === "wall_tiling") draft.phase = "factory_offer";
      draft.bag = total;
      draft.center_has_marker = true;
      for (const player of draft.players) {
        player.floor = [];
        player.pattern_lines = player.pattern_lines.map(() => ({ color: null, count: 0 }));
      }
    };
  }
}

/** @param {PositionData} draft */
function takeMarker(draft) {
  draft.center_has_marker = false;
  for (const player of draft.players) player.floor = player.floor.filter((name) => name !== MARKER);
}
