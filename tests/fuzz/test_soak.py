"""The soak test runs its chores and counts what they did."""

import os
import subprocess
import sys
import tempfile

from soak.supervisor import FOLDERS, Plan, soak


def test_soak__runs_chores_and_prints_what_they_did(tmp_path):
    run = subprocess.run(
        [sys.executable, "-m", "soak", "aec", "records", "--minutes", "0.2", "--turn", "6"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(FOLDERS), "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "games" in run.stdout and "refused" in run.stdout and "0 failures" in run.stdout
    assert list(tmp_path.iterdir()) == []


def test_chore_that_crashes__is_a_failure_with_the_command_that_repeats_it(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert soak(Plan(("no such chore",), 0.01, 1, 7, 1.0)) == 1
    said = capsys.readouterr().out
    assert "no such chore, seed 7: ended with exit code 1" in said and "soak.chore" in said
