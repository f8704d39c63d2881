"""How people write a card: many spellings in, one card out, and what was doubtful about it.

=====================  =====================================================================
rank                   ``A 2 .. 9 10 T J Q K``, any case; Russian ``Т`` (ace) ``В Д К``
suit                   ``C D H S``, any case; ``♣ ♦ ♥ ♠`` filled or not; Russian ``Т К Б Ч П``
order                  rank first or suit first
face-down and known    ``<5H> (5H) [5H] {5H} |5H``
unknown                ``? ?? X? XX xx ** 🂠``, anything of these or ``-`` or nothing in brackets
run together           ``5H6DKS``, ``К♠Д♥10♦``
=====================  =====================================================================

Cyrillic and Latin capitals look alike, and the two tens of the world do not: a Cyrillic ``Т`` is the ace (туз), a
Latin ``T`` the ten.  Ranks that nobody should write, but many do, are taken for what they mostly mean, and said:
``1``, ``0`` and ``x`` for ten, ``11 12 13`` for jack, queen and king.
"""

# ruff: noqa: RUF001, RUF002, RUF003 (Cyrillic letters and dashes that look like others are the subject here)

from __future__ import annotations

import re
from typing import NamedTuple

from solver.cards import (
    ACE,
    CLUBS,
    DIAMONDS,
    HEARTS,
    KING,
    RANK_SYMBOLS,
    SPADES,
    SUIT_SYMBOLS,
    Card,
    Rank,
    Suit,
    card_name,
    make_card,
)
from solver.partial import UNKNOWN

TEN, JACK, QUEEN = 10, 11, 12

RANKS: dict[str, Rank] = {symbol: rank for rank, symbol in enumerate(RANK_SYMBOLS, start=1)} | {
    "10": TEN,
    # Cyrillic: туз, валет, дама, король; А and К as the Latin letters that they look like.
    "Т": ACE,
    "А": ACE,
    "В": JACK,
    "Д": QUEEN,
    "К": KING,
}
DOUBTFUL_RANKS: dict[str, Rank] = {"1": TEN, "0": TEN, "X": TEN, "Х": TEN, "11": JACK, "12": QUEEN, "13": KING}
"""Ranks that are said when they are taken for something; the second X is Cyrillic."""

SUITS: dict[str, Suit] = {symbol: suit for suit, symbol in enumerate(SUIT_SYMBOLS)} | {
    "♣": CLUBS, "♧": CLUBS, "♦": DIAMONDS, "♢": DIAMONDS, "♥": HEARTS, "♡": HEARTS, "♠": SPADES, "♤": SPADES,
    # Cyrillic: трефы or крести, бубны, червы, пики; С is mostly a Latin C typed on the other keyboard.
    "Т": CLUBS, "К": CLUBS, "Б": DIAMONDS, "Ч": HEARTS, "П": SPADES, "С": CLUBS,
}  # fmt: skip

MAX_WORD = 3 * 104
"""Characters of a word; all cards of a game run together, tens as 10, are not longer."""

CYRILLIC_RANKS = frozenset("ТВДК")
LATIN_TEN = "T"

_BRACKETS = {"<": ">", "(": ")", "[": "]", "{": "}"}
_BAR = "|"
_INVISIBLE = re.compile("[\ufe0e\ufe0f\u200b\u200d\u2060\ufeff]")
"""Variation selectors of symbols, and characters without width that web pages leave between cards."""
_UNKNOWN = re.compile(r"\?+|[XХ]\?|[XХ]{2,3}|\*+|🂠+")
_UNKNOWN_IN_BRACKETS = re.compile(r"|[XХ]|-+|—|–|_+|\.+")
_RANK = "|".join(sorted(map(re.escape, [*RANKS, *DOUBTFUL_RANKS]), key=len, reverse=True))
_SUIT = "|".join(map(re.escape, SUITS))
_JOINED = re.compile(rf"(?:{_RANK})(?:{_SUIT})|\?\??|[XХ]{{2}}")


class Spelled(NamedTuple):
    """One card as a word writes it."""

    card: Card
    """The card, or `UNKNOWN`."""
    face_down: bool
    """Whether the word marks it so."""
    doubt: str | None = None
    """What a doubtful spelling was taken for."""
    cyrillic: bool = False
    """Whether the rank is a Cyrillic letter."""
    latin_ten: bool = False
    """Whether the rank is the Latin T."""

    @property
    def known(self) -> bool:
        """Whether the card is known."""
        return self.card != UNKNOWN


def spell(word: str) -> list[Spelled] | None:
    """Return the card that a word writes, or the cards of a word run together; None when it writes none."""
    if len(word) > MAX_WORD:
        return None
    text = _INVISIBLE.sub("", word)
    inner, face_down = _unwrapped(text)
    upper = inner.upper()
    if _UNKNOWN.fullmatch(upper) or (face_down and _UNKNOWN_IN_BRACKETS.fullmatch(upper)):
        return [Spelled(UNKNOWN, face_down)]
    single = _single(upper, face_down)
    if single is not None:
        return [single]
    return None if face_down else _joined(upper)


def _unwrapped(text: str) -> tuple[str, bool]:
    """Return what is inside the marks of a face-down card, and whether there were any."""
    if len(text) >= 2 and _BRACKETS.get(text[0]) == text[-1]:
        return text[1:-1].strip(), True
    if text.startswith(_BAR):
        return text[1:].removesuffix(_BAR), True
    return text, False


def _single(text: str, face_down: bool) -> Spelled | None:
    rank_first = _parts(text[:-1], text[-1:])
    suit_first = _parts(text[1:], text[:1])
    parts = rank_first or suit_first
    if parts is None:
        return None
    rank_text, rank, suit = parts
    card = make_card(rank, suit)
    doubt = None
    if rank_text in DOUBTFUL_RANKS:
        doubt = f"taken for {card_name(card)}"
    elif rank_first is not None and suit_first is not None and rank_first[1:] != suit_first[1:]:
        other = make_card(suit_first[1], suit_first[2])
        doubt = f"taken for {card_name(card)}, rank first; suit first it would be {card_name(other)}"
    return Spelled(card, face_down, doubt, rank_text in CYRILLIC_RANKS, rank_text == LATIN_TEN)


def _parts(rank_text: str, suit_text: str) -> tuple[str, Rank, Suit] | None:
    rank = RANKS.get(rank_text) or DOUBTFUL_RANKS.get(rank_text)
    suit = SUITS.get(suit_text)
    return None if rank is None or suit is None else (rank_text, rank, suit)


def _joined(text: str) -> list[Spelled] | None:
    pieces = _JOINED.findall(text)
    if len(pieces) < 2 or "".join(pieces) != text:
        return None
    cards: list[Spelled] = []
    for piece in pieces:
        card = Spelled(UNKNOWN, False) if _UNKNOWN.fullmatch(piece) else _single(piece, False)
        if card is None:
            return None
        cards.append(card)
    return cards
