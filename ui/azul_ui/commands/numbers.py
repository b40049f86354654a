"""Checks of numbers that typer leaves to us."""

import math

import typer


def finite(value: float) -> float:
    """Refuse infinity and NaN, which passes every bound in older versions of typer."""
    if not math.isfinite(value):
        raise typer.BadParameter(f"{value} is not a finite number")
    return value
