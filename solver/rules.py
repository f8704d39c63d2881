"""The rules of the game, once: what may be moved, dealt and removed is a value of `Rules`.

The game.  Two packs, ten columns; 54 cards are dealt to the tableau, the last of each
column face-up, the other 50 wait in the stock as five rows of ten.

* A *run* (cards of one suit descending by one) at the end of a column moves as a group, or
  any tail of it: onto a card one rank higher of any suit, or onto an empty column.  So
  nothing goes onto an ace, and a king moves only to an empty column.
* A row is dealt one card onto every column.  Under *strict* rules no column may be empty then;
  under *deal-onto-empty* any may.
* A *completed run*, king to ace of one suit and face-up, leaves the tableau: at once when
  removal is *automatic*, by a move of the player's choice (``take``) when it is *optional*.
* Whenever the last card of a column is face-down it turns up.
* The game is won when no card is left: eight completed runs have gone.

Which program plays which variant: see `PRESETS`.  Small games (fewer columns, ranks or packs)
serve tests and research: they can be searched to the end by slow, obvious code.
Source: the written rules of Goodsol, PySolFC and KPat; Morehead & Mott-Smith 1949; Bicycle.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Literal, TypeAlias, get_args

Removal: TypeAlias = Literal["automatic", "optional"]

SUITS_PER_PACK = 4
MAX_COLUMNS = 10
MAX_RANKS = 13
MAX_PACKS = 2
MAX_STOCK_ROWS = 15
"""Four bits of a packed position count the rows dealt."""
MAX_FACE_DOWN = 15
"""Four bits of a packed position count the face-down cards of a column."""


def _six_card_columns(*tall: int) -> tuple[int, ...]:
    return tuple(6 if column in tall else 5 for column in range(10))


LAYOUTS: dict[str, tuple[int, ...]] = {
    "spread": _six_card_columns(0, 3, 6, 9),
    "left": _six_card_columns(0, 1, 2, 3),
    "bicycle": _six_card_columns(),
}
"""Heights of the columns of a deal, by name: PySolFC and AisleRiot give the sixth card to columns
1, 4, 7 and 10 (``spread``), KPat, Windows and Solvitaire to columns 1..4 (``left``)."""

SUIT_SHARES: dict[int, tuple[int, ...]] = {1: (4,), 2: (2, 2), 3: (2, 1, 1), 4: (1, 1, 1, 1)}
"""Runs of one pack that each suit makes, largest first: one suit ignores suits, two go by colour,
three recolour one of the four (KPat)."""


class RulesError(ValueError):
    """Rules that contradict themselves or exceed what a position can hold."""


@dataclass(frozen=True)
class Rules:
    """One variant of the game; every field reaches the search.

    Raises `RulesError` when the fields do not fit together.
    """

    preset: str = "standard"
    """Name of the preset that the fields started from; it decides nothing."""
    suits: int = 4
    """Distinct suits, 1..4; two packs recoloured when fewer than four."""
    deal_onto_empty: bool = False
    """Whether a row may be dealt while a column is empty (False: strict)."""
    removal: Removal = "automatic"
    """Whether a completed run leaves at once, or only by a ``take`` move."""
    columns: int = 10
    ranks: int = 13
    """Cards of a completed run: ace to this rank."""
    packs: int = 2
    """Packs of four suits; ``4 * packs`` completed runs win."""
    heights: tuple[int, ...] = LAYOUTS["spread"]
    """Cards of each column when the game starts, the last one face-up."""
    rows: tuple[int, ...] = (10, 10, 10, 10, 10)
    """Cards of each row of the stock, first dealt first; a short row falls on the leftmost columns."""

    def __post_init__(self) -> None:
        for name, low, high in (
            ("suits", 1, SUITS_PER_PACK),
            ("columns", 1, MAX_COLUMNS),
            ("ranks", 2, MAX_RANKS),
            ("packs", 1, MAX_PACKS),
        ):
            value = getattr(self, name)
            if not low <= value <= high:
                raise RulesError(f"{name} is {value}: it must be {low} to {high}")
        if self.removal not in get_args(Removal):
            raise RulesError(f"removal is {self.removal!r}: it must be automatic or optional")
        if len(self.heights) != self.columns:
            raise RulesError(f"heights {self.heights} do not fit {self.columns} columns")
        if any(not 0 <= height <= MAX_FACE_DOWN + 1 for height in self.heights):
            raise RulesError(f"heights {self.heights}: a column starts with 0 to {MAX_FACE_DOWN + 1} cards")
        if len(self.rows) > MAX_STOCK_ROWS:
            raise RulesError(f"{len(self.rows)} stock rows: at most {MAX_STOCK_ROWS} are possible")
        if any(not 1 <= row <= self.columns for row in self.rows):
            raise RulesError(f"rows {self.rows}: a row has 1 to {self.columns} cards")
        dealt = sum(self.heights) + sum(self.rows)
        if dealt != self.cards:
            raise RulesError(
                f"heights and rows deal {dealt} cards, but {self.packs} pack(s) of {self.ranks} ranks have {self.cards}"
            )

    @property
    def cards(self) -> int:
        """Cards of the whole game, 104 in Spider."""
        return self.packs * SUITS_PER_PACK * self.ranks

    @property
    def runs(self) -> int:
        """Completed runs of a won game, 8 in Spider."""
        return self.packs * SUITS_PER_PACK

    @property
    def suit_runs(self) -> tuple[int, ...]:
        """Runs that each suit of the game makes, largest first: (4, 4) for two suits."""
        return tuple(self.packs * share for share in SUIT_SHARES[self.suits])

    def describe(self) -> str:
        """Return one line that names the rules in the words of the game."""
        words = [
            "deal onto empty columns" if self.deal_onto_empty else "strict",
            f"{self.removal} removal",
            f"{self.suits} suit{'s' if self.suits > 1 else ''}",
        ]
        return f"{self.preset} ({', '.join(words)})"

    def as_dict(self) -> dict[str, Any]:
        """Return the preset and every parameter, as JSON types."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


PRESETS: dict[str, Rules] = {
    # Goodsol, PlaySoli, Windows, PySolFC, AisleRiot.
    "standard": Rules("standard"),
    # MobilityWare "Unrestricted Deal", KPat as played, PySolFC Relaxed Spider.
    "relaxed": Rules("relaxed", deal_onto_empty=True),
    # BVS Solitaire: the player chooses when a completed run leaves.
    "bvs": Rules("bvs", removal="optional"),
    # Morehead & Mott-Smith, The Complete Book of Solitaire and Patience Games, 1949.
    "morehead-1949": Rules("morehead-1949", removal="optional"),
    # Bicycle's rule sheet: 50 cards on the table, a last row of four.
    "bicycle": Rules("bicycle", heights=LAYOUTS["bicycle"], rows=(10, 10, 10, 10, 10, 4)),
}


def make_rules(preset: str = "standard", **overrides: Any) -> Rules:
    """Return a preset with single fields replaced.

    Raises `RulesError` for an unknown preset, naming those there are, and for fields that do not fit.
    """
    try:
        rules = PRESETS[preset]
    except KeyError:
        raise RulesError(f"unknown rules {preset!r}: choose one of {', '.join(PRESETS)}") from None
    return replace(rules, **overrides)
