/**
 * The objects of docs/WEB_PROTOCOL.md, for the type checker.
 *
 * @typedef {{name: string, description: string, rating: number | null}} Level
 * @typedef {{name: string, doc: string, type: "number" | "integer", default: number | null, most: number | null}} AgentOption
 * @typedef {{name: string, summary: string, can_analyse: boolean, options: AgentOption[]}} AgentKind
 * @typedef {{name: string, spec: string}} OwnAgent
 * @typedef {{name: string, description: string}} Engine
 * @typedef {{
 *   protocol: number, version: string, levels: Level[], agents: AgentKind[], own: OwnAgent[], engines: Engine[],
 *   color_names: string[], limits: Record<string, number>, variants: {name: string, description: string}[]
 * }} Catalog
 *
 * @typedef {{table: string, supply: string, boards: string[], title: string, headline: string, ending: string | null}} Drawing
 *
 * @typedef {{color: string | null, count: number}} PatternLine
 * @typedef {{
 *   score: number, wall: number[][], pattern_lines: PatternLine[], floor: string[], resigned: number | null
 * }} PlayerData
 * @typedef {{
 *   ruleset: string, variant: string, num_players: number, current_player: number, starting_player_next_round: number,
 *   phase: string, round: number, max_rounds: number, end_reason: string | null, bag: number[], discard: number[],
 *   factories: number[][], center: number[], center_has_marker: boolean, players: PlayerData[]
 * }} PositionData
 *
 * @typedef {{
 *   player: number, taken: number, line_columns: number[], floor_slots: number[], takes_marker: boolean,
 *   marker_slot: number | null, to_lid: number, penalty: number, fills_line: boolean, wall_cell: [number, number] | null,
 *   points: number
 * }} Preview
 * @typedef {{
 *   action: number, source: number | null, color: number, destination: number | null, notation: string, words: string,
 *   preview: Preview
 * }} Move
 *
 * @typedef {{
 *   number: number, round: number, player: number, type: "draft" | "tile" | "resign", action: number | null,
 *   notation: string, words: string, line?: number, column?: number
 * }} Turn
 * @typedef {{name: string, label: string, is_person: boolean}} Seat
 * @typedef {{ranks: number[], winners: number[], end_reason: string, scores: number[], words: string}} Result
 * @typedef {{
 *   type: "game", id: string, position_number: number, seats: Seat[], turns: Turn[], number: number, is_over: boolean,
 *   result: Result | null, to_move: {seat: number, is_person: boolean} | null, can_undo: boolean, can_redo: boolean,
 *   thinking: number | null, pace: {is_paused: boolean, seconds: number}, is_kept: boolean, warning: string | null,
 *   has_position: boolean, seed: number | null, engine: string, can_rematch: boolean, can_change?: boolean
 * }} Game
 *
 * @typedef {{row: number, column: number, color: number, points: number}} ScoredTile
 * @typedef {{
 *   before: number, tiles: ScoredTile[], floor: number, clamp: number, row_bonus: number, column_bonus: number,
 *   color_bonus: number, after: number
 * }} SeatScoring
 * @typedef {{round: number, is_final: boolean, seats: SeatScoring[]}} Scoring
 * @typedef {{
 *   type: "happened", turn: Turn, from_number: number, travel: Preview | null, scoring: Scoring | null, words: string[]
 * }} Happened
 *
 * @typedef {{
 *   type: "position", number: number, position: PositionData, text: string, drawing: Drawing, last: Turn | null,
 *   legal: Move[], can_play: boolean, ref?: string
 * }} Position
 *
 * @typedef {{action: number, notation: string}} LineMove
 * @typedef {{
 *   action: number, notation: string, words: string, value: number, win_chance: number, line: LineMove[]
 * }} Candidate
 * @typedef {{
 *   type: "analysis", number: number, engine: string, status: "waiting" | "compiling" | "running" | "final",
 *   depth: number | null, nodes: number | null, seconds: number, candidates: Candidate[], win_chances: number[]
 * }} Analysis
 *
 * @typedef {"inaccuracy" | "mistake" | "blunder"} Severity
 * @typedef {{
 *   number: number, round: number, player: number, action: number, notation: string, words: string, value: number,
 *   best_value: number, win_chance: number, best_win_chance: number, win_chances: number[],
 *   best: {action: number, notation: string, words: string}, best_line: LineMove[], severity: Severity | null
 * }} ReviewedMove
 * @typedef {{
 *   moves: number, mean_loss: number, mean_win_chance_loss: number, accuracy: number, severities: Record<Severity, number>
 * }} PlayerSummary
 * @typedef {{
 *   type: "review", engine: string | null, status: "running" | "final" | "stopped" | "none", done: number, total: number,
 *   from: number, moves: ReviewedMove[], players: PlayerSummary[]
 * }} Review
 * @typedef {{
 *   type: "tried", number: number, action: number, win_chance: number, best_win_chance: number, value: number,
 *   best_value: number, severity: Severity | null, is_best: boolean
 * }} Tried
 * @typedef {{
 *   type: "hint", number: number, action: number, notation: string, words: string, value: number, win_chance: number,
 *   line: LineMove[]
 * }} Hint
 *
 * @typedef {{reason: string, where: string, detail: string}} Problem
 * @typedef {{
 *   position: PositionData, text: string | null, problems: Problem[], is_playable: boolean, drawing: Drawing | null
 * }} CheckedPosition
 *
 * @typedef {{
 *   id: string, players?: string[], labels?: string[], scores?: number[], is_over?: boolean, words?: string, number?: number,
 *   round?: number, updated?: number | string, has_review?: boolean, variant?: string
 * }} Summary
 */

export {};
