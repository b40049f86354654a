"""A rules-exact, compiled engine for the board game Azul, and environments for reinforcement learning on top.

The public functions are pure and documented in `docs/SPEC.md`; the compiled kernels live in `azul_env.core`.
"""

from azul_env.batch import GameBatch
from azul_env.chance import deal_of_tiles, dealt, drawn_deal, tile_chances, tiles_due
from azul_env.core.actions import Action, decode_action, encode_action
from azul_env.core.spec import Color, IllegalReason, num_actions, num_factories
from azul_env.envs.registration import register_environments
from azul_env.errors import (
    IllegalActionError,
    ImpossibleDealError,
    InvalidPositionError,
    MissingDealError,
    NotationError,
    Problem,
    ProblemReason,
    RecordError,
)
from azul_env.notation import describe_action, format_action, parse_action
from azul_env.observation import decode_observation, observation_layout, observe
from azul_env.record import GameRecord, GameRecorder, ReplayStep, replay, verify
from azul_env.record_files import LostRecordWarning, append_record, read_records, write_records
from azul_env.rules import (
    StepResult,
    afterstate,
    apply_action,
    illegal_reason,
    legal_actions,
    legal_mask,
    new_game,
    ranking,
    resign,
    undealt_game,
    winners,
)
from azul_env.state import (
    GameState,
    PatternLine,
    PlayerBoard,
    format_state,
    from_dict,
    parse_state,
    problems,
    to_dict,
)

__version__ = "0.1.0"

__all__ = [
    "Action",
    "Color",
    "GameBatch",
    "GameRecord",
    "GameRecorder",
    "GameState",
    "IllegalActionError",
    "IllegalReason",
    "ImpossibleDealError",
    "InvalidPositionError",
    "LostRecordWarning",
    "MissingDealError",
    "NotationError",
    "PatternLine",
    "PlayerBoard",
    "Problem",
    "ProblemReason",
    "RecordError",
    "ReplayStep",
    "StepResult",
    "afterstate",
    "append_record",
    "apply_action",
    "deal_of_tiles",
    "dealt",
    "decode_action",
    "decode_observation",
    "describe_action",
    "drawn_deal",
    "encode_action",
    "format_action",
    "format_state",
    "from_dict",
    "illegal_reason",
    "legal_actions",
    "legal_mask",
    "new_game",
    "num_actions",
    "num_factories",
    "observation_layout",
    "observe",
    "parse_action",
    "parse_state",
    "problems",
    "ranking",
    "read_records",
    "replay",
    "resign",
    "tile_chances",
    "tiles_due",
    "to_dict",
    "undealt_game",
    "verify",
    "winners",
    "write_records",
]

register_environments()
