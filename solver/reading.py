"""Reading a position as people write it: tolerant of form, strict about meaning, and open about its guesses.

What is understood, beside our own form (`solver.notation`), whose text always reads back unchanged::

    1: <6D> (AS) |TH [5H] 9C      labels of columns, other marks of face-down cards, commas, 10 or T, any case
    ? ? XX - К♠ Д♥                unknown cards at the head of a column, symbols, Russian ranks (see `solver.spelling`)
    stock1: 4H 6D ...             numbered rows;  Talon: and fifty cards in one go;  a heading and rows under it
    foundations: ♥ S              runs that have left: suits, or how many

or the tableau as the rows of a table, top row first, with ``.`` or nothing where a column has ended, and rows of the
stock below; cells may be framed by ``|`` or separated by commas.

A word that is no card is a fault with its place, and all faults come in one message.  A word that could mean two
things is taken for the likelier one, and a note says so.  Whether the cards make a game is not asked here.
"""

# ruff: noqa: RUF001, RUF002 (Cyrillic letters and dashes that look like others are the subject here)

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from solver.cards import (
    ACE,
    CLUBS,
    DIAMONDS,
    HEARTS,
    RANK_SYMBOLS,
    SPADES,
    SUIT_SYMBOLS,
    Suit,
    card_name,
    make_card,
    suit_of,
)
from solver.partial import UNKNOWN, PartialPosition
from solver.position import MAX_CARDS, Cards
from solver.rules import MAX_COLUMNS
from solver.spelling import CYRILLIC_RANKS, SUITS, Spelled, spell
from solver.words import NotationError, Word, text_lines

StockEnd: TypeAlias = Literal["start", "end"]
"""Which end of a written stock is dealt first."""

EMPTY = "--"
"""An empty column, or no completed run, as we write it."""
DEAL_LABEL = "deal:"
COMPLETED_LABEL = "completed:"

_EMPTY_COLUMN = frozenset({EMPTY, "-", "—", "–", ".", "empty", "пусто", "[]", "()", "<>"})
_EMPTY_CELL = frozenset({EMPTY, "-", "—", "–", ".", "..", ""})
_HEAD_UNKNOWN = frozenset({"-", "—", "–"})
"""At the head of a column these are unknown cards, alone they are an empty column."""

_COLUMN_LABELS = frozenset(
    {"", "c", "t", "col", "column", "tableau", "tab", "pile", "stack", "столбец", "стопка", "столб", "колонка"}
)
_STOCK_LABELS = frozenset({"deal", "stock", "talon", "deck", "row", "сдача", "колода", "талон", "запас", "ряд"})
_COMPLETED_LABELS = frozenset(
    {"completed", "complete", "foundation", "foundations", "removed", "runs", "собрано", "убрано"}
)
_TABLE_ROW_LABELS = frozenset({"row", "ряд"})
_SECTION_LABELS = frozenset({"tableau", "columns", "piles", "stacks", "table", "столбцы", "стопки", "стол"})
"""A label of these without number and cards is a heading."""
_SUIT_WORDS = {
    "clubs": CLUBS, "diamonds": DIAMONDS, "hearts": HEARTS, "spades": SPADES,
    "трефы": CLUBS, "крести": CLUBS, "бубны": DIAMONDS, "червы": HEARTS, "пики": SPADES,
}  # fmt: skip
_NONE_WORDS = frozenset({EMPTY, "-", "none", "нет"})

# Blanks inside a label are few, and those before it are cut off: nothing here may try long runs of them twice.
_LABEL = re.compile(r"(?P<name>[^\W\d_]{0,20})\s{0,3}(?P<number>\d{0,2})\s{0,3}(?::|[.)](?=\s|$))")
_BARE_LABEL = re.compile(r"(?P<name>[^\W\d_]{3,20})(?:\s{1,3}(?P<number>\d{1,2})(?=\s|$))?(?=\s|$)")
_WORD = re.compile(r"[<(\[{][^<>()\[\]{}|]*[>)\]}]|\|?[^\s,;|]+(?:\|(?=[\s,;]|$))?|\|")
"""A bracket with what is in it, blanks included; else what stands between separators."""
_RULE_LINE = re.compile(r"[-=_+|:\s]{5,}")
_MAX_LINES = 10 * MAX_CARDS
"""Lines that are looked at, empty ones and comments aside."""
_MAX_WORDS = 2 * MAX_CARDS * MAX_COLUMNS
"""Words that a text may have: a table with all cards in one column has ten cells for each card."""
_MAX_READ_CARDS = 4 * MAX_CARDS
"""Cards that are read before a text is refused; up to this number faults tell which are too many."""
_MAX_FAULTS = 20
"""Faults that one message lists; after so many the text is of another kind."""


_STAND_IN = make_card(ACE, CLUBS)
"""Stands in a place that is faulty anyway, so that reading can go on."""


class _Line(NamedTuple):
    """A line of the tableau: its words, and the number of its label if it has one."""

    number: int | None
    words: list[Word]
    cells: list[Word] | None
    """The cells of a line that separates them, empty ones included."""


class _Row(NamedTuple):
    """A line of the stock."""

    label: Word
    number: int | None
    words: list[Word]


class Doubt(NamedTuple):
    """A word that could mean another thing, written once or more."""

    word: Word
    meaning: str
    """``taken for TH``."""
    times: int

    def __str__(self) -> str:
        times = f" ({self.times} times)" if self.times > 1 else ""
        return f"{self.word.place}: {self.word.quoted} was {self.meaning}{times}"


@dataclass(frozen=True)
class Reading:
    """What a text says."""

    position: PartialPosition
    doubts: tuple[Doubt, ...]
    """Words that could mean another thing."""
    remarks: tuple[str, ...]
    """How the lines were taken where that was not plain, a sentence each."""
    first_unknown: Word | None
    """The first word that writes an unknown card."""
    stock_in_own_form: bool
    """Whether the stock was written row by row, in our own form."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was doubtful and how it was taken, a sentence each."""
        return (*map(str, self.doubts), *self.remarks)


def read_text(
    text: str,
    columns: int | None = 10,
    source: str = "<text>",
    *,
    stock_from: StockEnd = "start",
    as_dealt: bool = False,
) -> Reading:
    """Return the position that a text shows; `source` names the text in messages.

    `columns` is how many there must be, None for as many as there are.  `stock_from` says which end of the written
    stock is dealt first.  With `as_dealt` all but the last card of each column are face-down, marked or not.

    Raises `NotationError` with all faults of the text.
    """
    return _Reader(source, columns, stock_from, as_dealt).read(text)


@dataclass
class _Reader:
    source: str
    columns: int | None
    stock_from: StockEnd
    as_dealt: bool
    faults: list[NotationError] = field(default_factory=list)
    doubts: dict[tuple[str, str], list[Word]] = field(default_factory=dict)
    """Each doubtful word by its text and what it was taken for."""
    first_unknown: Word | None = None
    notes: list[str] = field(default_factory=list)
    lines: list[_Line] = field(default_factory=list)
    rows: list[_Row] = field(default_factory=list)
    completed: list[Suit] | None = None
    completed_runs: int | None = None
    words: int = 0
    cards: int = 0
    """Cards found so far, in words that are some."""
    cyrillic: Counter[str] = field(default_factory=Counter)
    own_form: bool = True
    table_rows: bool = False
    """Whether lines of the tableau are labelled as rows of a table."""

    def read(self, text: str) -> Reading:
        self._sort_lines(text)
        self._stop()
        wanted = self.columns if self.columns is not None else self._count_columns()
        table = self._is_table(wanted)
        columns, face_down = self._read_table(wanted) if table else self._read_columns(wanted)
        rows = self._read_stock(wanted)
        self._stop()
        if self.as_dealt:
            face_down = tuple(max(len(column) - 1, 0) for column in columns)
        self._note_alphabets()
        doubts = tuple(Doubt(words[0], meaning, len(words)) for (_, meaning), words in self.doubts.items())
        completed = None if self.completed is None else tuple(sorted(self.completed))
        position = PartialPosition(columns, face_down, rows, completed, self.completed_runs)
        return Reading(position, doubts, tuple(self.notes), self.first_unknown, self.own_form)

    # ---- lines ---------------------------------------------------------------------------------------

    def _sort_lines(self, text: str) -> None:
        """Put each line where it belongs: tableau, stock or completed runs."""
        section: Word | None = None
        count = 0
        for number, content in text_lines(text):
            if not content or content.isspace():
                continue
            count += 1
            if count > _MAX_LINES:
                raise NotationError(f"more than {_MAX_LINES} lines: a position has a hundred at most", self.source)
            if content.lstrip().startswith((";", "//")) or _RULE_LINE.fullmatch(content.strip()):
                continue
            label, at = self._label(content, number)
            cells = _cells(content[at:], at, self.source, number)
            words = [word for word in cells if word.text] if cells else list(self._words(content, at, number))
            self.words += len(words)
            if self.words > _MAX_WORDS:
                raise NotationError(
                    f"more than {_MAX_WORDS} words: a position has {MAX_CARDS} cards at most", self.source, number
                )
            if label is None:
                if not words or _is_heading(words):
                    continue
                if section is not None:
                    self.rows.append(_Row(section, None, words))
                else:
                    self.lines.append(_Line(None, words, cells))
                continue
            word, name, label_number = label
            section = None
            if name in _COMPLETED_LABELS:
                self._read_completed(word, words)
            elif name in _SECTION_LABELS and label_number is None and not words:
                continue
            elif name in _STOCK_LABELS and not (name in _TABLE_ROW_LABELS and self._fills_table(label_number)):
                if words:
                    self.rows.append(_Row(word, label_number, words))
                else:
                    section = word
                    self.rows.append(_Row(word, None, []))
            elif name in _TABLE_ROW_LABELS:
                self.table_rows = True
                self.lines.append(_Line(None, words, cells))
            elif name in _COLUMN_LABELS and label_number is not None:
                self.lines.append(_Line(label_number, words, None))
            else:
                self._fault(
                    word,
                    f"{word.quoted} labels no line: a column may have its number, a row of the stock starts with "
                    f"{DEAL_LABEL}, the suits of the runs that have left with {COMPLETED_LABEL}",
                )
        self._check_headings()

    def _check_headings(self) -> None:
        """A stock label without cards is a heading; nothing may be missing below it."""
        kept: list[_Row] = []
        for index, row in enumerate(self.rows):
            if row.words:
                kept.append(row)
                continue
            below = self.rows[index + 1] if index + 1 < len(self.rows) else None
            if below is None or below.label is not row.label:
                self._fault(
                    row.label, f"{row.label.quoted} without cards: write the cards of the row, or leave the line out"
                )
        self.rows = kept

    def _fills_table(self, number: int | None) -> bool:
        # "row 1:" is a row of a table before any column, and one of the stock after them.
        return not self.rows and number == len(self.lines) + 1 and all(line.number is None for line in self.lines)

    def _label(self, content: str, number: int) -> tuple[tuple[Word, str, int | None] | None, int]:
        """Return the label of a line as written, its name and its number; and where the rest of the line begins."""
        start = len(content) - len(content.lstrip())
        match = _LABEL.match(content, start)
        if match is None or not (match["name"] or match["number"]):
            match = _BARE_LABEL.match(content, start)
            known = _COLUMN_LABELS | _STOCK_LABELS | _COMPLETED_LABELS | _SECTION_LABELS
            if match is None or match["name"].lower() not in known:
                return None, 0
        word = Word(match[0].strip(), self.source, number, start + 1)
        return (word, match["name"].lower(), int(match["number"]) if match["number"] else None), match.end()

    def _words(self, content: str, start: int, number: int) -> Iterator[Word]:
        for match in _WORD.finditer(content, start):
            if match[0] != "|":
                yield Word(match[0], self.source, number, match.start() + 1)

    # ---- cards ---------------------------------------------------------------------------------------

    def _spell(self, word: Word) -> list[Spelled]:
        """Return the cards of a word; a word that is none becomes a fault and one unknown card."""
        cards = spell(word.text)
        if cards is None:
            self._fault(
                word,
                f"{word.quoted} is not a card: write rank {RANK_SYMBOLS} (or 10), then suit {SUIT_SYMBOLS}, "
                "such as TH or 2S",
            )
            return [Spelled(UNKNOWN, False)]
        self.cards += len(cards)
        if self.cards > _MAX_READ_CARDS:
            raise word.error(f"more than {_MAX_READ_CARDS} cards: a position has {MAX_CARDS} at most")
        for card in cards:
            if card.doubt is not None:
                self._doubt(word, card.doubt)
            self.cyrillic["cyrillic"] += card.cyrillic
            self.cyrillic["latin ten"] += card.latin_ten
        if not all(card.known for card in cards):
            self.first_unknown = self.first_unknown or word
        return cards

    def _unknown(self, word: Word) -> list[Spelled]:
        self.first_unknown = self.first_unknown or word
        return [Spelled(UNKNOWN, True)]

    def _note_alphabets(self) -> None:
        if self.cyrillic["cyrillic"] and self.cyrillic["latin ten"]:
            self.notes.append(
                f"the text has Russian ranks ({' '.join(sorted(CYRILLIC_RANKS))}) and the Latin T, which was taken for "
                "ten: write 10, and the Cyrillic Т or A for the ace"
            )

    def _pile(self, words: Sequence[Word]) -> tuple[Cards, int]:
        """Return the cards of a column, bottom card first, and how many are face-down."""
        cards: list[int] = []
        face_down = 0
        for index, word in enumerate(words):
            if word.text in _HEAD_UNKNOWN and face_down == len(cards) and index + 1 < len(words):
                spelled = self._unknown(word)
            else:
                spelled = self._spell(word)
            for card in spelled:
                down = card.face_down or (not card.known and face_down == len(cards))
                if down and face_down < len(cards):
                    self._fault(
                        word,
                        f"{word.quoted} is face-down but lies on the face-up {card_name(cards[-1])}: "
                        "face-down cards come first, the bottom card of a column is written first",
                    )
                elif not down and not card.known and not self._is_faulty(word):
                    self._fault(
                        word, f"{word.quoted} is an unknown card on a face-up one: face-up cards are seen, so write it"
                    )
                cards.append(card.card if card.known or down else _STAND_IN)
                face_down += down
        if cards and cards[-1] == UNKNOWN and words and not self._is_faulty(words[-1]):
            self._fault(
                words[-1], f"{words[-1].quoted} ends a column: its last card lies face-up and is seen, so write it"
            )
        return tuple(cards), face_down

    # ---- the tableau, a line a column ----------------------------------------------------------------

    def _count_columns(self) -> int:
        return max(1, min(len(self.lines), MAX_COLUMNS))

    def _read_columns(self, wanted: int) -> tuple[tuple[Cards, ...], tuple[int, ...]]:
        piles: dict[int, tuple[Cards, int]] = {}
        for place, line in enumerate(self.lines, start=1):
            number = line.number if line.number is not None else place
            first = line.words[0] if line.words else None
            if line.number is None and place > wanted:
                # Rows of the stock without labels.
                if first is not None:
                    self._extra_line(first, place, wanted, line)
                continue
            if not 1 <= number <= wanted or number in piles:
                problem = f"a second column {number}" if number in piles else f"column {number}"
                fault = f"{problem}: the rules have columns 1 to {wanted}"
                if first is not None:
                    self._fault(first, f"{first.quoted} starts {fault}")
                continue
            if first is None:
                piles[number] = ((), 0)
            elif first.text.lower() in _EMPTY_COLUMN:
                if len(line.words) == 1:
                    piles[number] = ((), 0)
                    if first.text in ("[]", "()", "<>", *_HEAD_UNKNOWN):
                        self._doubt(first, f"taken for an empty column; write {EMPTY}")
                elif first.text in _HEAD_UNKNOWN or spell(first.text) is not None:
                    piles[number] = self._pile(line.words)
                else:
                    second = line.words[1]
                    self._fault(
                        second,
                        f"{second.quoted} follows {first.text}, which is an empty column: write one or the other",
                    )
                    piles[number] = ((), 0)
            else:
                piles[number] = self._pile(line.words)
        missing = [number for number in range(1, wanted + 1) if number not in piles]
        if missing and not self.faults:
            numbered = any(line.number is not None for line in self.lines)
            found = f"{len(piles)} column{'s' if len(piles) != 1 else ''}"
            which = f", without {', '.join(map(str, missing))}" if numbered and piles else ""
            raise NotationError(
                f"{found}{which}: the rules have {wanted}; write one line a column, {EMPTY} for an empty one",
                self.source,
            )
        columns = [piles.get(number, ((), 0)) for number in range(1, wanted + 1)]
        return tuple(cards for cards, _ in columns), tuple(down for _, down in columns)

    def _extra_line(self, first: Word, place: int, wanted: int, line: _Line) -> None:
        if len(line.words) > wanted or (self.rows and not self._took_rows()):
            self._fault(
                first,
                f"{first.quoted} starts column {place}: the rules have {wanted}; "
                f"a row of the stock starts with {DEAL_LABEL}",
            )
            return
        if not self._took_rows():
            self.notes.append(
                f"{first.place}: the lines after column {wanted} have no label and were taken for rows of the stock"
            )
        self.rows.append(_Row(first._replace(text=""), None, line.words))

    def _took_rows(self) -> bool:
        return any(not row.label.text for row in self.rows)

    # ---- the tableau as a table ----------------------------------------------------------------------

    def _is_table(self, wanted: int) -> bool:
        """Tell rows of a table from columns: by their number, and by where the face-down cards lie."""
        lines = self.lines
        if not lines or any(line.number is not None for line in lines):
            return False
        if self.table_rows:
            return True
        sizes = [len(line.cells) if line.cells else len(_expanded(line.words)) for line in lines]
        if sizes[0] != wanted or wanted == 1:
            return False
        split = _tableau_end(sizes, wanted)
        if any(size > wanted for size in sizes[split:]):
            return False
        as_table = not _has_down_below_up(self._table_piles(lines[:split], wanted, None))
        if len(lines) != wanted:
            return len(lines) < wanted or as_table
        marks = [[_is_down(word) for word in line.words] for line in lines]
        if not as_table or split != len(lines):
            return False
        if _has_down_below_up(marks):
            return True
        self.notes.append(
            f"{self.source}: the {wanted} lines could be columns or the rows of a table; they were taken for columns"
        )
        return False

    def _read_table(self, wanted: int) -> tuple[tuple[Cards, ...], tuple[int, ...]]:
        self.own_form = False
        sizes = [len(line.cells) if line.cells else len(_expanded(line.words)) for line in self.lines]
        split = _tableau_end(sizes, wanted)
        if not self.table_rows:
            first = self.lines[0].words[0]
            self.notes.append(f"{first.place}: the tableau was read as {split} rows of a table, top row first")
        for line in self.lines[split:]:
            self.rows.append(_Row(line.words[0]._replace(text=""), None, line.words))
        piles = self._table_piles(self.lines[:split], wanted, self._fault)
        read = [self._pile([word for word in pile if word.text]) for pile in piles]
        return tuple(cards for cards, _ in read), tuple(down for _, down in read)

    def _table_piles(
        self, lines: Sequence[_Line], wanted: int, fault: Callable[[Word, str], None] | None
    ) -> list[list[Word]]:
        """Return the words of each column of a table, top row first; a fault where a gap lies above a card."""
        piles: list[list[Word]] = [[] for _ in range(wanted)]
        gaps: list[Word | None] = [None] * wanted
        pattern = _expanded(lines[0].words)
        for line in lines:
            cells = line.cells if line.cells and len(line.cells) == wanted else _expanded(line.words)
            for column, word in zip(_columns_of(cells, pattern, wanted), cells, strict=False):
                if column >= wanted:
                    continue
                if word.text in _EMPTY_CELL:
                    gaps[column] = gaps[column] or word
                    continue
                gap = gaps[column]
                if gap is not None:
                    if gap.text in _HEAD_UNKNOWN and not piles[column]:
                        piles[column].append(gap)
                    elif fault is not None:
                        fault(word, f"{word.quoted} lies under a gap in column {column + 1}: fill it, or write ? there")
                    gaps[column] = None
                piles[column].append(word)
        return piles

    # ---- stock and completed runs --------------------------------------------------------------------

    def _read_stock(self, wanted: int) -> tuple[Cards, ...]:
        rows = self.rows
        numbers = [row.number for row in rows]
        if rows and all(number is not None for number in numbers) and len(set(numbers)) == len(numbers):
            rows = sorted(rows, key=lambda row: row.number or 0)
        elif len({number for number in numbers if number is not None}) < sum(n is not None for n in numbers):
            twice = next(row for index, row in enumerate(rows) if row.number in numbers[:index])
            self._fault(twice.label, f"a second {twice.label.quoted}: number each row of the stock once")
        piles = [[card.card for word in row.words for card in self._stock_cards(word)] for row in rows]
        if any(row.label.text.lower() != DEAL_LABEL for row in rows):
            self.own_form = False
        # A row in our own form that is too long is a fault of the game; other labels may hold the whole stock.
        if any(
            len(pile) > wanted and row.label.text.lower() != DEAL_LABEL for row, pile in zip(rows, piles, strict=True)
        ):
            self.own_form = False
            flat = [card for pile in piles for card in pile]
            if self.stock_from == "end":
                flat.reverse()
            return tuple(tuple(flat[at : at + wanted]) for at in range(0, len(flat), wanted))
        if self.stock_from == "end":
            self.own_form = False
            piles.reverse()
        return tuple(map(tuple, piles))

    def _stock_cards(self, word: Word) -> list[Spelled]:
        return self._unknown(word) if word.text in _HEAD_UNKNOWN else self._spell(word)

    def _read_completed(self, label: Word, words: Sequence[Word]) -> None:
        if self.completed is not None or self.completed_runs is not None:
            self._fault(label, f"a second {label.quoted} line: write all suits on one")
            return
        if len(words) == 1 and re.fullmatch("[0-9]{1,2}", words[0].text):
            self.completed_runs = int(words[0].text)
            return
        self.completed = []
        for word in words:
            text = re.sub("[\ufe0e\ufe0f]", "", word.text)
            if text.lower() in _NONE_WORDS:
                continue
            if text.lower() in _SUIT_WORDS:
                self.completed.append(_SUIT_WORDS[text.lower()])
            elif all(symbol in SUITS for symbol in text.upper()):
                self.completed += [SUITS[symbol] for symbol in text.upper()]
            elif (cards := spell(text)) is not None and all(card.known for card in cards):
                self.completed += [suit_of(card.card) for card in cards]
            else:
                self._fault(
                    word,
                    f"{word.quoted} is not a suit: write one of {SUIT_SYMBOLS} for each completed run, "
                    f"or {EMPTY} for none",
                )

    # ---- faults and doubts ---------------------------------------------------------------------------

    def _fault(self, word: Word, problem: str) -> None:
        self.faults.append(word.error(problem))
        if len(self.faults) >= _MAX_FAULTS:
            self._stop()

    def _is_faulty(self, word: Word) -> bool:
        return any((fault.line, fault.column) == (word.line, word.column) for fault in self.faults)

    def _doubt(self, word: Word, meaning: str) -> None:
        self.doubts.setdefault((word.text, meaning), []).append(word)

    def _stop(self) -> None:
        """Raise all faults there are, or one where the text is of another kind."""
        if len(self.faults) > 1 and not self.cards:
            raise NotationError(
                "none of its words is a card: write one line a column, such as <6D> <AS> 9C, "
                "as 'spider show 1' prints it",
                self.source,
            )
        if self.faults:
            raise NotationError.of_all(sorted(self.faults, key=lambda fault: (fault.line or 0, fault.column or 0)))


def _cells(content: str, at: int, source: str, number: int) -> list[Word] | None:
    """Return the cells of a line that frames them with ``|`` or separates them by single commas; else None."""
    stripped = content.strip()
    if len(stripped) > 1 and stripped[0] == stripped[-1] == "|" and stripped.count("|") > 2:
        separator, body = "|", content.rstrip()[:-1]
        start = body.index("|") + 1
    elif ",," in content and "," in content:
        separator, body, start = ",", content, 0
    else:
        return None
    cells = []
    for part in body[start:].split(separator):
        indent = len(part) - len(part.lstrip())
        cells.append(Word(part.strip(), source, number, at + start + indent + 1))
        start += len(part) + 1
    # A cell of several words is none: then the separators separate as blanks do.
    return None if any(re.search(r"\s", cell.text) for cell in cells) else cells


def _is_heading(words: Sequence[Word]) -> bool:
    """Return whether a line numbers the columns of a table: 1 2 3 ..."""
    return len(words) > 1 and [word.text for word in words] == [str(number) for number in range(1, len(words) + 1)]


def _expanded(words: Iterable[Word]) -> list[Word]:
    """Return the words with those that run cards together taken apart."""
    expanded: list[Word] = []
    for word in words:
        cards = None if len(word.text) < 4 else spell(word.text)
        if cards is None or len(cards) < 2:
            expanded.append(word)
        else:
            size = len(word.text) // len(cards)
            names = [card_name(card.card) if card.known else "?" for card in cards]
            expanded += [
                word._replace(text=name, column=word.column + size * index) for index, name in enumerate(names)
            ]
    return expanded


def _tableau_end(sizes: Sequence[int], wanted: int) -> int:
    """Return how many rows of a table are the tableau: a full row after a ragged one starts the stock."""
    for index in range(1, len(sizes)):
        if sizes[index] > sizes[index - 1] and sizes[index] == wanted:
            return index
    return len(sizes)


def _columns_of(cells: Sequence[Word], pattern: Sequence[Word], wanted: int) -> list[int]:
    """Return the column of each cell of a row: by number when the row is full, else by where it stands in the line."""
    if len(cells) >= wanted:
        return list(range(len(cells)))
    for place in (_end, _start):
        at = {place(word): column for column, word in enumerate(pattern)}
        found = [at.get(place(word)) for word in cells]
        if all(column is not None for column in found):
            return [column for column in found if column is not None]
    return list(range(len(cells)))


def _end(word: Word) -> int:
    return word.column + len(word.text)


def _start(word: Word) -> int:
    return word.column


def _is_down(word: Word) -> bool:
    cards = spell(word.text)
    return cards is not None and any(card.face_down for card in cards)


def _has_down_below_up(piles: Iterable[Iterable[bool | Word]]) -> bool:
    """Return whether a face-down card lies on a face-up one in any pile."""
    for pile in piles:
        up = False
        for mark in pile:
            down = _is_down(mark) if isinstance(mark, Word) else mark
            if down and up:
                return True
            up = up or not down
    return False
