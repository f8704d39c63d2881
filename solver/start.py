"""Starts: from what a user names (a deal number, a save file, a text) to a checked game and the rules it is under.

A number is dealt in the layout of its program.  A file shows its number of suits and, through its face-down cards, its
layout; what the user states instead is kept, and a contradiction is an error::

    RulesChoice   what the user stated about the rules, None where nothing
    InputChoice   how the user wants the input taken
    Start         the game and the complete rules, checked: ready to be searched or shown
    PartialStart  the same for a position with unknown cards: ready to be shown

Both carry notes: what was doubtful or deduced, and what else the user must know about the answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, TypeVar

from solver.cards import HEARTS, RANK_SYMBOLS, RED_SUITS, SPADES, Card, Suit, card_name, make_card, rank_of, suit_of
from solver.files import FORMATS, SavedGame, read_save
from solver.notation import name_of
from solver.numbering import NumberError, scheme_of
from solver.partial import UNKNOWN, PartialPosition, fill
from solver.position import Deal, Position, PositionError, check_position, fit_layout
from solver.reading import Reading, StockEnd, read_text
from solver.rules import (
    LAYOUTS,
    MAX_COLUMNS,
    MAX_FACE_DOWN,
    PRESETS,
    SUITS_PER_PACK,
    Removal,
    Rules,
    RulesError,
    make_rules,
)

DEFAULT_SUITS = 4
MAX_TEXT = 1 << 17
"""Bytes; a position needs a thousand, and a table of it ten thousand, so more is some other file."""

MAX_FILLING_DIGITS = 9
"""Digits of a number of fillings that is written out."""

Moment: TypeAlias = Literal["original", "current"]
"""The deal that a saved game started from, or the position in which it was left."""

Piles = TypeVar("Piles", Deal, Position, PartialPosition)


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
    columns: int | None = None
    """Of a small game, like the next two."""
    ranks: int | None = None
    packs: int | None = None

    @property
    def is_small(self) -> bool:
        """Whether the user asked for a game of another size."""
        return (self.columns, self.ranks, self.packs) != (None, None, None)

    def rules(self, suits: int, **size: Any) -> Rules:
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
        return make_rules(self.preset, **overrides | size)

    def fitted(self, position: Position, suits: int) -> Rules:
        """Return the rules with the layout that the position shows, unless the user stated one."""
        rules = self.rules(suits)
        return rules if self.layout is not None else fit_layout(position, rules)


@dataclass(frozen=True)
class InputChoice:
    """How a user wants the input taken."""

    moment: Moment | None = None
    """Which position of a saved game; None for the present one."""
    stock_from: StockEnd = "start"
    """Which end of a written stock is dealt first."""
    as_dealt: bool = False
    """Whether all but the last card of each column are face-down, marked or not."""
    recolour: int | None = None
    """Suits that the cards are recoloured to, 1 or 2."""
    loose: bool = False
    """Whether piles pass that are no full pack."""


@dataclass(frozen=True)
class Start:
    """A checked game and its rules."""

    id: str
    """``pysolfc:12345``, or the source of the text."""
    game: Deal | Position
    rules: Rules
    notes: tuple[str, ...] = ()
    """What the user must know of how the input was taken, a sentence each."""
    advice: tuple[str, ...] = ()
    """What the user must know of an answer under these rules, a sentence each."""
    loose: bool = False
    """Whether the cards were not checked to be full packs."""

    @property
    def position(self) -> Position:
        """The position in which play starts."""
        return self.game.position() if isinstance(self.game, Deal) else self.game

    @property
    def shown(self) -> Position | PartialPosition:
        """What a board shows of it."""
        return self.position


@dataclass(frozen=True)
class PartialStart:
    """A game with unknown cards, checked as far as it can be, and its rules."""

    id: str
    shown: PartialPosition
    rules: Rules
    missing: Mapping[Card, int]
    """The cards that the unknown ones are together; empty when that is not certain."""
    fillings: int | None
    """How many fillings there are, at least two; None when not even the missing cards are certain."""
    notes: tuple[str, ...] = ()

    @property
    def problem(self) -> str:
        """Why it cannot be searched, as a sentence with what to do."""
        if self.fillings is None:
            what = (
                "which runs have left is not certain, so neither are the missing cards: name the runs (completed: H S)"
            )
        else:
            digits = len(str(self.fillings))
            many = f"{self.fillings:,}" if digits <= MAX_FILLING_DIGITS else f"some 10^{digits - 1}"
            what = f"{many} fillings are possible: write the cards that you know"
        return f"{self.id} has {describe_unknown(self)}; {what}; a search needs every card"


def describe_unknown(start: PartialStart) -> str:
    """Return how many cards are unknown and which, in words."""
    count = start.shown.unknown
    cards = f"{count} unknown card{'s' if count != 1 else ''}"
    if not start.missing:
        return cards
    names = [
        f"{times} x {card_name(card)}" if times > 1 else card_name(card)
        for card, times in sorted(start.missing.items())
    ]
    return f"{cards} (missing: {', '.join(names)})"


def layout_name(heights: tuple[int, ...]) -> str:
    """Return the name of the layout with these columns, or their heights when it has none."""
    names = [name for name, named in LAYOUTS.items() if named == heights]
    return names[0] if names else " ".join(map(str, heights))


def describe_rules(rules: Rules) -> str:
    """Return the rules, the layout included, in the words of the game."""
    standard = PRESETS["standard"]
    size = ""
    if (rules.columns, rules.ranks, rules.packs) != (standard.columns, standard.ranks, standard.packs):
        packs = f"{rules.packs} pack{'s' if rules.packs > 1 else ''}"
        size = f", {rules.columns} columns, {packs} of ace to {RANK_SYMBOLS[rules.ranks - 1]}"
    return f"{rules.describe()}, layout {layout_name(rules.heights)}{size}"


# ---- numbers -------------------------------------------------------------------------------------


def start_from_number(text: str, choice: RulesChoice, taken: InputChoice | None = None) -> Start:
    """Deal a number such as ``12345`` or ``kpat:42``, of four suits unless the user stated others.

    Raises `NumberError` when there is no such deal, and when its layout is not that of the rules.
    """
    taken = taken or InputChoice()
    if choice.is_small:
        raise NumberError(f"{text} is a deal of two packs in ten columns: leave --columns, --ranks and --packs out")
    _refuse_text_options(taken, text)
    if taken.loose:
        raise StartError(f"--loose is for puzzles: {text} is a deal of full packs")
    suits = choice.suits or DEFAULT_SUITS
    scheme = scheme_of(text)
    deal = scheme.deal(text.rpartition(":")[2], suits)
    if taken.recolour is not None:
        suits = _recoloured_suits(taken.recolour, suits)
        deal = recoloured(deal, suits)
    rules = choice.fitted(deal.position(), suits)
    if tuple(map(len, deal.columns)) != rules.heights:
        dealt = layout_name(tuple(map(len, deal.columns)))
        raise NumberError(
            f"{deal.id} is dealt in layout {dealt}, not in layout {layout_name(rules.heights)} of the rules asked for: "
            f"leave --layout out and choose --rules of layout {dealt}"
        )
    check_position(deal.position(), rules)
    return Start(deal.id, deal, rules, advice=_rules_advice(scheme.program, scheme.rules, choice, rules))


def _rules_advice(program: str, preset: str, choice: RulesChoice, rules: Rules) -> tuple[str, ...]:
    """Say so when a program deals onto empty columns and the rules in force do not."""
    if not PRESETS[preset].deal_onto_empty or rules.deal_onto_empty or choice.deal_onto_empty is not None:
        return ()
    return (
        f"{program} deals rows onto empty columns; the rules here are {choice.preset}, which are strict: "
        f"a win holds there as well, a loss need not; ask for --rules {preset} to play by its own",
    )


# ---- files and texts -----------------------------------------------------------------------------


def start_from_data(
    data: bytes, source: str, choice: RulesChoice, taken: InputChoice | None = None
) -> Start | PartialStart:
    """Read a game from the bytes of a save file, recognised by what it holds, or of a text.

    Raises `FileError` or `NotationError` for a file that is no game, `StartError` for one that the rules do not allow.
    """
    taken = taken or InputChoice()
    saved = read_save(data, source)
    if saved is not None:
        return _start_from_save(saved, source, choice, taken)
    return start_from_text(decode(data, source), source, choice, taken)


def decode(data: bytes, source: str) -> str:
    """Return the text of a file; raises `StartError` for what is none, and for an empty one."""
    if len(data) > MAX_TEXT:
        raise StartError(f"{source} is too large to be a deal: it has more than {MAX_TEXT:,} bytes")
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise StartError(
            f"{source} is no text: byte {error.start + 1} is not {encoding.removesuffix('-sig').upper()}; "
            f"other files that are read: {', '.join(FORMATS)}"
        ) from None
    if not text.strip():
        raise StartError(f"{source} is empty: a deal is one line a column, as 'spider show 1' prints it")
    return text


def start_from_text(
    text: str, source: str, choice: RulesChoice, taken: InputChoice | None = None
) -> Start | PartialStart:
    """Read a game from a text as people write it; `source` names it in messages.

    Raises `NotationError` for a text that is none and `StartError` for a game that the rules do not allow.
    """
    taken = taken or InputChoice()
    columns = choice.columns or (None if taken.loose else MAX_COLUMNS)
    reading = read_text(text, columns, source, stock_from=taken.stock_from, as_dealt=taken.as_dealt)
    notes = [*reading.notes, *_face_notes(reading.position), *_stock_notes(reading, taken)]
    start = _checked(reading.position, source, choice, taken, None, notes)
    if taken.moment == "original" and not _is_start(start.shown):
        raise StartError(
            f"{source} shows a game in play, and a text does not tell its deal: leave --position original out, "
            "or name the deal's number or a save file"
        )
    return start


def _refuse_text_options(taken: InputChoice, source: str) -> None:
    """Raise `StartError` for options that would have no effect, as the user expects one."""
    if taken.stock_from != "start" or taken.as_dealt:
        option = "--as-dealt" if taken.as_dealt else "--stock-from"
        raise StartError(f"{option} is for texts: {source} tells by itself what lies where, so leave it out")


def _face_notes(position: PartialPosition) -> list[str]:
    """Say so when a deal has no face-down cards, which is rather a way of writing than a game."""
    full = sum(map(len, position.rows)) == sum(PRESETS["standard"].rows)
    if tuple(map(len, position.columns)) not in LAYOUTS.values() or any(position.face_down) or not full:
        return []
    return [
        "no card is marked face-down, so all are taken as face-up; "
        "--as-dealt takes all but the last of each column as face-down"
    ]


def _stock_notes(reading: Reading, taken: InputChoice) -> list[str]:
    rows = reading.position.rows
    if not rows or (reading.stock_in_own_form and taken.stock_from == "start"):
        return []
    other = "end" if taken.stock_from == "start" else "start"
    return [
        f"the stock is dealt from its {taken.stock_from} as written (--stock-from {other} takes the other): "
        f"the next row is {' '.join(map(name_of, rows[0]))}, column 1 first"
    ]


def _is_start(position: Position | PartialPosition) -> bool:
    heights = tuple(map(len, position.columns))
    return heights in LAYOUTS.values() and all(
        down == height - 1 for down, height in zip(position.face_down, heights, strict=True)
    )


def _start_from_save(saved: SavedGame, source: str, choice: RulesChoice, taken: InputChoice) -> Start | PartialStart:
    _refuse_text_options(taken, source)
    notes = list(saved.notes)
    partial: PartialPosition = saved.current
    name = source
    deal = saved.original
    if taken.moment == "original":
        if deal is None:
            why = "; ".join(saved.notes) or f"{saved.format} holds one position only"
            raise StartError(f"{source} does not tell its deal: {why}; leave --position original out")
        position = deal.position()
        partial, name = PartialPosition(position.columns, position.face_down, position.rows), deal.id
    elif deal is not None and deal.id != source:
        notes.append(
            f"the present position of {deal.id} was taken from the {saved.format}; --position original is its deal"
        )
    start = _checked(partial, name, choice, taken, saved.suits, notes)
    if isinstance(start, PartialStart):
        return start
    return replace(start, advice=_rules_advice(saved.program, saved.rules, choice, start.rules))


def _checked(
    partial: PartialPosition,
    source: str,
    choice: RulesChoice,
    taken: InputChoice,
    suits: int | None,
    notes: Sequence[str],
) -> Start | PartialStart:
    """Return the game of a position that was read, checked under the rules."""
    shown = len({suit_of(card) for card in partial.cards if card != UNKNOWN}.union(partial.completed or ()))
    if taken.recolour is not None:
        suits = _recoloured_suits(taken.recolour, suits or shown)
        partial = recoloured(partial, suits)
        shown = suits
    suits = choice.suits or suits or min(max(shown, 1), SUITS_PER_PACK)
    notes = list(notes)
    try:
        if choice.is_small or (taken.loose and len(partial.columns) != MAX_COLUMNS) or _is_short(partial, taken):
            rules = _small_rules(partial, choice, taken, suits, notes)
            filling = fill(partial, rules, loose=taken.loose)
        else:
            # The layout shows in the face-down cards, whichever cards they are.
            shape = Position(partial.columns, partial.face_down, partial.rows)
            rules = choice.fitted(shape, suits)
            filling = fill(partial, rules, loose=taken.loose)
            if choice.suits is None and filling.position is not None and not taken.loose:
                # A suit may show in the completed runs alone, and they were deduced just now.
                every = {suit_of(card) for card in filling.partial.cards if card != UNKNOWN}
                suits = max(suits, len(every.union(filling.position.completed)))
                rules = choice.fitted(shape, suits)
        if filling.position is None:
            return PartialStart(source, filling.partial, rules, filling.missing, filling.count, tuple(notes))
        check_position(filling.position, rules, loose=taken.loose)
    except PositionError as error:
        raise StartError(_explain(partial, rules, choice, source, error.faults)) from None
    except RulesError as error:
        raise StartError(f"{source}: {error}") from None
    if partial.completed_runs is not None and partial.completed_runs != len(filling.position.completed):
        raise StartError(
            f"{source} says that {partial.completed_runs} runs have left, and the missing cards are those of "
            f"{len(filling.position.completed)}"
        )
    if partial.unknown:
        (card,) = {card for card, times in filling.missing.items() if times}
        unknown = f"{partial.unknown} unknown card{'s' if partial.unknown > 1 else ''}"
        notes.append(f"{unknown} filled in: only {card_name(card)} is missing")
    if taken.loose:
        notes.append("loose: the cards were not checked to be full packs")
    return Start(source, filling.position, rules, tuple(notes), loose=taken.loose)


def _explain(position: PartialPosition, rules: Rules, choice: RulesChoice, source: str, faults: Iterable[str]) -> str:
    lines = [f"{source} is no game of {describe_rules(rules)}:", *(f"  {fault}" for fault in faults)]
    bicycle = PRESETS["bicycle"]
    if len(position.columns) != rules.columns and not choice.is_small:
        lines.append("  a small game needs its size (--columns, --ranks, --packs), a puzzle --loose")
    in_play = sum(1 for _ in position.cards)
    if not position.rows and in_play == sum(rules.heights) and not choice.is_small:
        lines.append(
            f"  the columns are a whole deal, so the stock is missing: write its {len(rules.rows)} rows as deal: "
            "and the cards, ? for each that you do not know"
        )
    if choice.layout is None and len(position.rows) == len(bicycle.rows) and not choice.is_small:
        try:
            filling = fill(position, replace(rules, heights=bicycle.heights, rows=bicycle.rows))
            if filling.position is not None:
                check_position(filling.position, replace(rules, heights=bicycle.heights, rows=bicycle.rows))
        except PositionError:
            pass
        else:
            lines.append("  it is a deal in Bicycle's layout: ask for --rules bicycle")
    return "\n".join(lines)


# ---- small games and puzzles ---------------------------------------------------------------------


def _is_short(partial: PartialPosition, taken: InputChoice) -> bool:
    """Return whether loose piles are of whole suits that end below the king, as those of a small game."""
    return taken.loose and _deduced_ranks(partial) is not None


def _deduced_ranks(partial: PartialPosition) -> int | None:
    """Return the highest rank where every suit has all ranks up to it equally often, and it is no king."""
    cards = Counter(card for card in partial.cards if card != UNKNOWN)
    if not cards:
        return None
    highest = max(map(rank_of, cards))
    suits = {suit_of(card) for card in cards}
    even = all(
        cards[make_card(rank, suit)] == cards[make_card(highest, suit)]
        for suit in suits
        for rank in range(1, highest + 1)
    )
    return highest if even and 1 < highest < len(RANK_SYMBOLS) else None


def _small_rules(
    partial: PartialPosition, choice: RulesChoice, taken: InputChoice, suits: int, notes: list[str]
) -> Rules:
    """Return the rules of a game of another size, the layout taken from the position."""
    columns = choice.columns or len(partial.columns)
    if not columns:
        raise RulesError("no columns: a game has at least one")
    ranks = choice.ranks
    if ranks is None and taken.loose:
        ranks = _deduced_ranks(partial)
        if ranks is not None:
            notes.append(f"the ranks are taken to be ace to {RANK_SYMBOLS[ranks - 1]}; --ranks states others")
    ranks = ranks or len(RANK_SYMBOLS)
    problem: RulesError | None = None
    for packs in (choice.packs,) if choice.packs else (2, 1):
        cards = packs * SUITS_PER_PACK * ranks
        rows = (
            tuple(len(row) for row in partial.rows if row)
            if not taken.loose
            else tuple(min(max(len(row), 1), columns) for row in partial.rows)
        )
        heights = _small_heights(partial, columns, cards - sum(rows))
        try:
            return choice.rules(suits, columns=columns, ranks=ranks, packs=packs, heights=heights, rows=rows)
        except RulesError as error:
            problem = problem or error
    assert problem is not None
    raise problem


def _small_heights(partial: PartialPosition, columns: int, cards: int) -> tuple[int, ...]:
    """Return heights of a deal from which the position can come: its own, and what has left spread over them.

    The deal of a small game is not known where runs have left; any layout that allows the position serves.
    """
    heights = [len(column) for column in partial.columns][:columns]
    heights += [0] * (columns - len(heights))
    for _ in range(max(cards - sum(heights), 0)):
        heights[heights.index(min(heights))] += 1
    while sum(heights) > cards and max(heights) > 0:
        heights[heights.index(max(heights))] -= 1
    while max(heights) > MAX_FACE_DOWN + 1 and min(heights) < MAX_FACE_DOWN + 1:
        heights[heights.index(max(heights))] -= 1
        heights[heights.index(min(heights))] += 1
    return tuple(heights)


# ---- other colours -------------------------------------------------------------------------------


def recoloured(piles: Piles, suits: int) -> Piles:
    """Return the same cards as a game of one suit (spades), or of two (black cards spades, red ones hearts)."""

    def suit(old: Suit) -> Suit:
        return HEARTS if suits == 2 and old in RED_SUITS else SPADES

    def cards(pile: tuple[Card, ...]) -> tuple[Card, ...]:
        return tuple(card if card == UNKNOWN else make_card(rank_of(card), suit(suit_of(card))) for card in pile)

    new: dict[str, Any] = {"columns": tuple(map(cards, piles.columns)), "rows": tuple(map(cards, piles.rows))}
    if not isinstance(piles, Deal) and piles.completed is not None:
        new["completed"] = tuple(sorted(map(suit, piles.completed)))
    if isinstance(piles, Deal):
        new["id"] = f"{piles.id} recoloured to {suits} suit{'s' if suits > 1 else ''}"
    return replace(piles, **new)


def _recoloured_suits(suits: int, before: int) -> int:
    if suits >= before:
        raise StartError(f"--recolour {suits}: the game has {before} suit{'s' if before > 1 else ''} already")
    return suits
