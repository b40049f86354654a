"""`azul warmup`: compile everything now instead of at first use."""


def warmup() -> None:
    """Compile everything now, so that no command has to later.

    Takes one and a half minutes of one core the first time, twice that on a slow one, and a few seconds once everything is in the cache. The code is
    cached in $NUMBA_CACHE_DIR, $XDG_CACHE_HOME or ~/.cache, and compiled again after an update of azul_env, Numba or
    NumPy.
    """
    from azul_ui.terminal.warming import warm_up_everything

    warm_up_everything()
