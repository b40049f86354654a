"""Tests of the `azul` command keep games in a folder of their own."""

import pytest

from azul_ui.games.store import FOLDER_VARIABLE


@pytest.fixture(autouse=True)
def games_folder(tmp_path, monkeypatch):
    folder = tmp_path / "kept games"
    monkeypatch.setenv(FOLDER_VARIABLE, str(folder))
    return folder
