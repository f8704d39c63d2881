"""Starts: from what a user names (a deal number, a text) to a checked game and the rules it is under.

A number is dealt in the layout of its program.  A text shows its number of suits and, through its
face-down cards, its layout; what the user states instead is kept, and a contradiction is an error::

    RulesChoice  what the user stated, None where nothing
    Start        the game and the complete rules, checked: ready to be searched or shown
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from solver.cards import suit_of
from solver.notation import parse_position
from solver.numbering import NumberError, deal_from_id
from solver.position import Deal, Position, PositionError, check_position, fit_layout
from solver.rules import LAYOUTS, PRESETS, Removal, Rules, make_rules

DEFAULT_SUITS = 4


class StartError(ValueError):
    """A game that cannot be started under the rules; the message holds every fault, one a line."""


@dataclass(frozen=True)
class RulesChoice:
    """What a user stated about the rules; None leaves it to the preset, or to the deal."""

    preset: str = "standard"
    suits: int | None = None
    deal_onto_empty: bool | None = None
    removal: Removal | None = None
    layout: str | None = None
    """A name of `LAYOUTS`."""

    def rules(self, suits: int) -> Rules:
        """Return the rules for a game of so many suits, the layout not yet fitted to the game."""
        overrides: dict[str, Any] = {"suits": suits}
        if self.deal_onto_empty is not None:
            overrides["deal_onto_empty"] = self.deal_onto_empty
        if self.removal is not None:
            overrides["removal"] = self.removal
        if self.layout is not None:
            # The stock is what the columns leave, so a layout decides the rows as well.
            heights = LAYOUTS[self.layout]
            overrides["heights"] = heights
            overrides["rows"] = next(rules.rows for rules in PRESETS.values() if sum(rules.heights) == sum(heights))
        return make_rules(self.preset, **overrides)

    def fitted(self, position: Position, suits: int) -> Rules:
        """Return the rules with the layout that the position shows, unless the user stated one."""
        rules = self.rules(suits)
        return rules if self.layout is not None else fit_layout(position, rules)


@dataclass(frozen=True)
class Start:
    """A checked game and its rules."""

    id: str
    """``pysolfc:12345``, or the source of the text."""
    game: Deal | Position
    rules: Rules

    @property
    def position(self) -> Position:
        """The position in which play starts."""
        return self.game.position() if isinstance(self.game, Deal) else self.game


def layout_name(heights: tuple[int, ...]) -> str:
    """Return the name of the layout with these columns, or their heights when it has none."""
    names = [name for name, named in LAYOUTS.items() if named == heights]
    return names[0] if names else " ".join(map(str, heights))


def describe_rules(rules: Rules) -> str:
    """Return the rules, the layout included, in the words of the game."""
    return f"{rules.describe()}, layout {layout_name(rules.heights)}"


def start_from_number(text: str, choice: RulesChoice) -> Start:
    """Deal a number such as ``12345`` or ``pysolfc:ms32000``, of four suits unless the user stated others.

    Raises `NumberError` when there is no such deal, and when its layout is not that of the rules.
    """
    suits = choice.suits or DEFAULT_SUITS
    deal = deal_from_id(text, suits)
    rules = choice.fitted(deal.position(), suits)
    if tuple(map(len, deal.columns)) != rules.heights:
        dealt = layout_name(tuple(map(len, deal.columns)))
        raise NumberError(
            f"{deal.id} is dealt in layout {dealt}, not in layout {layout_name(rules.heights)} of the rules asked for: "
            f"leave --layout out and choose --rules of layout {dealt}"
        )
    check_position(deal.position(), rules)
    return Start(deal.id, deal, rules)


def start_from_text(text: str, source: str, choice: RulesChoice) -> Start:
    """Read a game in the text format; `source` names it in messages.

    Raises `NotationError` for a text of another form and `StartError` for a game that the rules do not allow.
    """
    position = parse_position(text, choice.rules(choice.suits or DEFAULT_SUITS), source)
    suits = choice.suits
    if suits is None:
        # Which runs have left is deduced from the missing cards, and that needs the number of suits:
        # hence the second reading.  A suit may show in the completed runs alone.
        shown = {suit_of(card) for pile in (*position.columns, *position.rows) for card in pile}
        position = parse_position(text, choice.rules(len(shown) or 1), source)
        suits = len(shown.union(position.completed)) or 1
    rules = choice.fitted(position, suits)
    try:
        check_position(position, rules)
    except PositionError as error:
        raise StartError(_explain(position, rules, choice, source, error.faults)) from None
    return Start(source, position, rules)


def _explain(position: Position, rules: Rules, choice: RulesChoice, source: str, faults: Iterable[str]) -> str:
    lines = [f"{source} is no game of {describe_rules(rules)}:", *(f"  {fault}" for fault in faults)]
    if choice.layout is None and len(position.rows) == len(PRESETS["bicycle"].rows):
        bicycle = PRESETS["bicycle"]
        try:
            check_position(position, replace(rules, heights=bicycle.heights, rows=bicycle.rows))
        except PositionError:
            pass
        else:
            lines.append("  it is a deal in Bicycle's layout: ask for --rules bicycle")
    return "\n".join(lines)
