# The public names: type checkers read them here, and `azul_env.lazy` imports them when they are first used.

from azul_env import azul_v0 as azul_v0
from azul_env.batch import GameBatch as GameBatch
from azul_env.chance import (
    deal_of_tiles as deal_of_tiles,
    dealt as dealt,
    drawn_deal as drawn_deal,
    tile_chances as tile_chances,
    tiles_due as tiles_due,
)
from azul_env.core.actions import (
    Action as Action,
    decode_action as decode_action,
    encode_action as encode_action,
    num_actions as num_actions,
)
from azul_env.core.arguments import (
    brief as brief,
    printable as printable,
    shown as shown,
)
from azul_env.core.spec import (
    COLOR_BONUS as COLOR_BONUS,
    COLOR_LETTERS as COLOR_LETTERS,
    COLOR_NAMES as COLOR_NAMES,
    COLUMN_BONUS as COLUMN_BONUS,
    COUNTER_LIMIT as COUNTER_LIMIT,
    DEFAULT_MAX_ROUNDS as DEFAULT_MAX_ROUNDS,
    FACTORY_CAPACITY as FACTORY_CAPACITY,
    FLOOR as FLOOR,
    FLOOR_PENALTIES as FLOOR_PENALTIES,
    MAX_PLAYERS as MAX_PLAYERS,
    MIN_PLAYERS as MIN_PLAYERS,
    NUM_COLORS as NUM_COLORS,
    NUM_DESTINATIONS as NUM_DESTINATIONS,
    NUM_LINES as NUM_LINES,
    ROW_BONUS as ROW_BONUS,
    TILES_PER_COLOR as TILES_PER_COLOR,
    Color as Color,
    EndReason as EndReason,
    IllegalReason as IllegalReason,
    num_factories as num_factories,
)
from azul_env.core.state import Rows as Rows
from azul_env.envs.single import AzulEnv as AzulEnv
from azul_env.envs.vector import (
    AzulTurnsVectorEnv as AzulTurnsVectorEnv,
    AzulVectorEnv as AzulVectorEnv,
)
from azul_env.errors import (
    IllegalActionError as IllegalActionError,
    ImpossibleDealError as ImpossibleDealError,
    InvalidPositionError as InvalidPositionError,
    MissingDealError as MissingDealError,
    NotationError as NotationError,
    Problem as Problem,
    ProblemReason as ProblemReason,
    RecordError as RecordError,
)
from azul_env.notation import (
    describe_action as describe_action,
    format_action as format_action,
    parse_action as parse_action,
)
from azul_env.observation import (
    decode_observation as decode_observation,
    observation_layout as observation_layout,
    observe as observe,
)
from azul_env.preview import (
    MovePreview as MovePreview,
    move_preview as move_preview,
    move_previews as move_previews,
)
from azul_env.record import (
    GameRecord as GameRecord,
    GameRecorder as GameRecorder,
    ReplayStep as ReplayStep,
    replay as replay,
    verify as verify,
)
from azul_env.record_files import (
    LostRecordWarning as LostRecordWarning,
    append_record as append_record,
    read_records as read_records,
    write_records as write_records,
)
from azul_env.render import (
    ansi as ansi,
    png_bytes as png_bytes,
    rgb_array as rgb_array,
    svg as svg,
    write_gif as write_gif,
)
from azul_env.rewards import (
    REWARDS as REWARDS,
    Reward as Reward,
    outcome as outcome,
    round_margin as round_margin,
    score_margin as score_margin,
)
from azul_env.rules import (
    StepResult as StepResult,
    afterstate as afterstate,
    apply_action as apply_action,
    illegal_reason as illegal_reason,
    legal_actions as legal_actions,
    legal_mask as legal_mask,
    new_game as new_game,
    ranking as ranking,
    resign as resign,
    undealt_game as undealt_game,
    winners as winners,
)
from azul_env.scoring import (
    PlacedTile as PlacedTile,
    RoundScoring as RoundScoring,
    SeatScoring as SeatScoring,
    resignation_scoring as resignation_scoring,
    round_scoring as round_scoring,
)
from azul_env.state import (
    GameState as GameState,
    PatternLine as PatternLine,
    PlayerBoard as PlayerBoard,
    format_state as format_state,
    from_dict as from_dict,
    parse_state as parse_state,
    problems as problems,
    to_dict as to_dict,
)

__version__: str
__all__: list[str]
