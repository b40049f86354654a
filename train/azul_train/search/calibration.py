"""Calibration of the networks' win chances on held-out games."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from azul_agents.analysis.calibration import brier_score, reliability
from azul_train.search.samples import Samples

Floats = NDArray[np.float32]


def calibration_of(
    samples: Samples, judged: NDArray[np.int64], margins: Floats, chances: Floats
) -> dict[str, Any]:
    """Errors by round and in all, and predicted against observed shares of the win."""
    shares, rounds = samples.share[judged].astype(np.float64), samples.rounds[judged]
    errors = (margins - samples.margin[judged]) ** 2
    base_rate = np.full_like(shares, 1 / samples.points.shape[1])
    masks = {"all": np.ones(len(judged), bool)}
    masks |= {f"round {number + 1}": rounds == number for number in np.unique(rounds).tolist()}
    return {
        "by_round": {
            name: {
                "positions": int(own.sum()),
                "margin": round(float(errors[own].mean()), 2),
                "base_rate": round(brier_score(base_rate[own], shares[own]), 4),
                "brier": round(brier_score(chances[own].astype(np.float64), shares[own]), 4),
            }
            for name, own in masks.items()
        },
        "reliability": [
            {name: round(number, 4) for name, number in one._asdict().items()}
            for one in reliability(chances.astype(np.float64), shares, samples.game[judged])
        ],
    }
