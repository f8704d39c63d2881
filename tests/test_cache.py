"""The cache of machine code: made once, loaded afterwards, and never a reason to fail."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from solver.kernel import cache


def machine_code(folder: Path) -> dict[str, int]:
    """Return the files of numba's cache with their times."""
    files = [path for path in folder.rglob("*") if path.suffix in (".nbi", ".nbc")]
    return {str(path.relative_to(folder)): path.stat().st_mtime_ns for path in files}


def solve(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Solve deals in a process of its own, small searches and one that grows every array."""
    code = (
        "from solver import *; import sys\n"
        "for number, suits in (('ms1', 1), ('ms3', 4), ('ms10957', 4)):\n"
        "    solution = solve(deal_from_id(number, suits), make_rules(suits=suits),\n"
        "        Budget(expansions=30_000), on_compile=lambda: print('compiling'))\n"
        "    print(solution.verdict)\n"
        "columns = 'KS QS JS TS 9S 8S 7S 6S 5S 4S 3S AS\\n2S\\n' + 'KS QS\\n' * 8\n"
        "lost = parse_position(columns + 'completed: --', make_rules(suits=1))\n"
        "print(solve(lost, make_rules(suits=1), Budget(expansions=30_000), loose=True).verdict)\n"
    )
    environment = {"SPIDER_CACHE_DIR": str(folder), **environment}
    return subprocess.run(
        [sys.executable, "-W", "always", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | environment,
    )


def test_a_second_run_compiles_nothing(tmp_path: Path) -> None:
    first = solve(tmp_path)
    assert first.stdout.splitlines()[0] == "compiling"
    (folder,) = tmp_path.iterdir()
    assert folder.name == f"kernels-{cache.kernel_digest()}"
    assert cache.is_compiled(folder, "search")
    made = machine_code(folder)
    assert len(made) > 20
    second = solve(tmp_path)
    assert "compiling" not in second.stdout
    assert machine_code(folder) == made
    assert first.stderr == second.stderr == ""


@pytest.mark.parametrize("setting", cache.SETTINGS)
def test_machine_code_of_other_settings_is_kept_apart(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(setting, raising=False)
    usual = cache.kernel_digest()
    monkeypatch.setenv(setting, "1")
    assert cache.kernel_digest() != usual
    monkeypatch.delenv(setting)
    assert cache.kernel_digest() == usual


def test_a_folder_that_cannot_be_written_is_replaced_by_one_that_goes_at_exit(tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.touch()
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    code = "from solver.kernel import cache; print(cache.kernel_cache_folder())"
    environment = os.environ | {"SPIDER_CACHE_DIR": str(blocker / "cache"), "TMPDIR": str(temporary)}
    ran = subprocess.run(
        [sys.executable, "-W", "always", "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    folder = Path(ran.stdout.strip())
    assert folder.parent == temporary
    assert not folder.exists()
    assert ran.stderr.count("CacheWarning: cannot write the cache folder") == 1


def test_a_folder_that_cannot_be_written_makes_one_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocker = tmp_path / "file"
    blocker.touch()
    monkeypatch.setenv("SPIDER_CACHE_DIR", str(blocker))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.warns(cache.CacheWarning, match="the kernels will be compiled in every run") as caught:
        folder = cache.kernel_cache_folder()
    assert len(caught) == 1
    assert folder.is_dir()
    assert folder.parent == tmp_path


@pytest.mark.parametrize("variable", ["XDG_CACHE_HOME", "SPIDER_CACHE_DIR"])
@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="folders of Linux")
def test_where_the_cache_is(variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPIDER_CACHE_DIR", raising=False)
    monkeypatch.setenv(variable, str(tmp_path))
    expected = tmp_path if variable == "SPIDER_CACHE_DIR" else tmp_path / "spider-patience"
    assert cache.user_cache_folder() == expected
