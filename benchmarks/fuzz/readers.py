"""Fuzz one reader of save files with atheris: whatever the bytes, a game or the reader's own error.

    pip install atheris
    python benchmarks/fuzz/readers.py pso /tmp/corpus -max_total_time=600 -rss_limit_mb=200 -timeout=5 -max_len=60000

The first argument is the reader; the rest goes to libFuzzer.  The corpus folder is filled with saves made from games
in play before the first run.  What breaks a reader belongs into ``tests/data/fuzz/<reader>/``, which the tests read.
"""

from __future__ import annotations

import contextlib
import random
import sys
from pathlib import Path

import atheris

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))

with atheris.instrument_imports(include=["solver"]):
    from solver.files import kpat, native, pso, solvitaire, windows7, windowsxp
    from solver.files.common import FileError
    from solver.notation import format_position
    from solver.partial import fill
    from solver.position import PositionError, faults_of
    from solver.reading import read_text
    from solver.rules import LAYOUTS, make_rules
    from solver.start import InputChoice, RulesChoice, StartError, start_from_data
    from solver.words import NotationError

MAX_MESSAGE = 10_000
"""Characters of an error."""

READERS = {
    module.__name__.rpartition(".")[2]: module for module in (kpat, native, pso, solvitaire, windows7, windowsxp)
}


def seed_corpus(name: str, folder: Path) -> None:
    """Write saves of some games in play into an empty folder."""
    import naive
    import saves

    from solver.numbering import deal_from_id
    from solver.show.board import board_json
    from solver.start import Start

    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        return
    rng = random.Random(1)
    scheme = name if name in ("kpat", "windows7", "windowsxp", "solvitaire") else "pysolfc"
    layout = "spread" if scheme == "pysolfc" else "left"
    rules = make_rules(heights=LAYOUTS[layout])
    for number in range(1, 7):
        start = deal_from_id(f"{scheme}:{number}").position()
        game = [start, *(position for position, _ in naive.random_playout(start, rules, rng, 12 * number))]
        position = game[-1]
        match name:
            case "pso":
                data = saves.pysolfc_save(position, number + 2**1000 * (number % 2), protocol=number % 3 * 2 + 1)
            case "kpat":
                data = (
                    saves.kpat_old_save(position, number, 4) if number % 2 else saves.kpat_save(game[-3:], number, 4, 1)
                )
            case "windows7":
                # A short header, as every byte of a long one would be fuzzed like the XML.
                xml = saves.windows7_xml(position, number)
                data = saves.windows7_file(xml, header_size=0x18)
            case "windowsxp":
                data = saves.pack_numbers(saves.windowsxp_numbers(position, number, 4))
            case "solvitaire":
                data = solvitaire.write(position, rules).encode()
            case "native":
                import json

                data = json.dumps(board_json(Start("seed", position, rules))).encode()
            case _:
                data = format_position(position).encode()
        (folder / f"seed{number}").write_bytes(data)


def check(name: str, data: bytes) -> None:
    """Read the bytes and look at what came out; anything but the package's own errors ends the run."""
    for taken in (InputChoice(), InputChoice(loose=True)):
        with contextlib.suppress(FileError, NotationError, StartError):
            start_from_data(data, "fuzz", RulesChoice(), taken)
    try:
        if name == "text":
            partial = read_text(data.decode("utf-8", "replace"), 10, "fuzz").position
            suits = 4
        else:
            saved = READERS[name].read(data, "fuzz")
            partial, suits = saved.current, saved.suits
            if saved.original is not None:
                faults_of(saved.original.position(), make_rules(suits=min(suits, 4)))
    except (FileError, NotationError) as error:
        if len(str(error)) > MAX_MESSAGE:
            raise RuntimeError("a message that nobody reads") from error
        return
    format_position(partial)
    try:
        filled = fill(partial, make_rules(suits=min(suits, 4)))
        if filled.position is not None:
            faults_of(filled.position, make_rules(suits=min(suits, 4)))
    except PositionError:
        pass


def main() -> None:
    name = sys.argv[1]
    folder = Path(next(argument for argument in sys.argv[2:] if not argument.startswith("-")))
    seed_corpus(name, folder)
    atheris.Setup([sys.argv[0], *sys.argv[2:]], lambda data: check(name, data))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
