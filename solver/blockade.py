"""Blockades: positions in which no column can ever be emptied and no run completed, so that they are lost.

A proof that costs milliseconds, at any number of rows in the stock.  It fails for nearly every lost position, yet
where it works nothing else does: of PySolFC's deals ms1..ms32000 it proves ms1748 and ms14934 lost, which no search
has won and no exhaustive search could finish.

Words.  A *break* is a card that does not lie in sequence (one rank lower, any suit) on the face-up card below it.
Cut a column at its breaks into *segments*; the first card of a segment is its *head*.  The top segment with what was
built on it is *open*.  The *end* of a column is its last card.  Stage k is what is played after the k-th row from here
was dealt and before the next::

    column  5C . TH 9S . 4D | 7H 6D     three segments of one column before row 1, "." and "|" are breaks; the end is
            row 1   3C                   6D; the card of row 1 is one more segment, with head 3C

The argument.  Take a position in which every column has two segments or more, and any line from there; watch it until
a column's lowest segment is open, or a run stands complete at the end of a column.  Every line that wins comes to
that, for it has to complete runs.  Until then no column is empty, so a card moves only onto the end of another column,
of the rank above, which gives no break; a deal lays one card on each column, on a break or in sequence.

* A move of cards that lie in sequence on what they leave: the end of the one column becomes the end of the other and
  the card that is bared has the rank of the old end.  The ranks of the ends, all together, stay as they are.
* A move of a head, of rank r: its segment leaves its place.  It needs an end of rank r + 1.  One rank comes to the
  ends: that of the card below the break, which is, where only original cards lie below, the end of the next segment,
  and otherwise what was an end when the row fell.
* A deal: the ends are the cards of the row.  A card that falls in sequence is no head; it counts as one that leaves
  its place at once, which needs an end of the rank above just before.

So this is an upper bound of what can happen, as the least fixpoint of three rules:

    ends(k)      the ranks of row k (before the first: of the present ends), and what segments that can leave in
                 stage k have below them: the end of the original segment, or ends(j - 1) below a card of row j
    leaves(s,k)  segment s can leave its place in stage k: each segment above it that was dealt by then can, in stage k
                 or before, and the rank above its head is in ends(k), but not because of s or what lies below s; or s
                 is a card of row k and that rank is in ends(k - 1)
    kings        do not leave: nothing is of the rank above

If the second segment from below of no column can ever leave, and for no suit every rank below the king can - a card of
each rank must leave its place for a run, or lie in sequence already - with a king that can be open, then neither event
ever comes, under any rules of dealing and removing.

Suits play no part but in the last sentence: a position that is blocked is blocked with its suits painted over.

Source: the argument is ours.  Tested against exhaustive search and against random play in tests/test_blockade.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from solver.cards import ACE, RANK_SYMBOLS, Card, Rank, Suit, rank_of, suit_of
from solver.position import Position
from solver.rules import Rules

RankSet: TypeAlias = int
"""Bit r is rank r."""
StageSet: TypeAlias = int
"""Bit k is stage k."""


class Segment(NamedTuple):
    """One segment of a column, or the card that a row adds to it."""

    head: Card
    """0 where a short row has no card for the column: then it leaves at once, and bares nothing."""
    end: Rank
    """Rank of its last card; of a card that is yet to be dealt nothing is known, and this is 0."""
    row: int
    """1 for a card of the next row, and so on; 0 for what lies in the column."""


@dataclass(frozen=True)
class Blockade:
    """The proof that a position is blocked."""

    leaves: tuple[tuple[StageSet, ...], ...]
    """[c][i]: the stages in which segment i of column c, the lowest 0, can leave its place, rows after the rest."""
    stuck: tuple[Rank, ...]
    """Ranks of which no card, dealt or to be dealt, can ever lie in sequence on another."""

    @property
    def movable(self) -> int:
        """How many segments can ever leave their places."""
        return sum(stages != 0 for column in self.leaves for stages in column)

    def reason(self) -> str:
        """Return in one sentence why the position is lost."""
        names = " or ".join(RANK_SYMBOLS[rank - 1] for rank in self.stuck)
        runs = f"no {names} can ever be placed on a card" if names else "no suit has a card of every rank that can"
        return (
            f"no line empties a column or completes a run: of {sum(map(len, self.leaves))} sequences and cards of rows "
            f"at most {self.movable} can ever leave their places, in no column all but the lowest, and {runs}"
        )


def find_blockade(position: Position, rules: Rules) -> Blockade | None:
    """Return the proof that a position is blocked, None when this bound does not show it; some milliseconds."""
    columns = _segments(position, rules)
    if any(len(column) - len(position.rows) < 2 for column in columns):
        return None
    leaves = _leaves(columns, len(position.rows), rules)
    if any(stages[1] for stages in leaves):
        return None
    placed = _placed(position, columns, leaves)
    needed = range(ACE, rules.ranks)
    for king in _kings(columns, leaves, rules):
        if all((suit_of(king), rank) in placed for rank in needed):
            return None
    ranks = {rank for _, rank in placed}
    return Blockade(tuple(map(tuple, leaves)), tuple(rank for rank in needed if rank not in ranks))


def _segments(position: Position, rules: Rules) -> list[list[Segment]]:
    """Return the segments of each column, the lowest first, then one for each row."""
    columns = []
    for column in range(rules.columns):
        segments: list[Segment] = []
        for i, card in enumerate(position.columns[column]):
            if i > position.face_down[column] and rank_of(card) + 1 == segments[-1].end:
                segments[-1] = segments[-1]._replace(end=rank_of(card))
            else:
                segments.append(Segment(card, rank_of(card), 0))
        for number, row in enumerate(position.rows, 1):
            segments.append(Segment(row[column] if column < len(row) else 0, 0, number))
        columns.append(segments)
    return columns


def _leaves(columns: list[list[Segment]], rows: int, rules: Rules) -> list[list[StageSet]]:
    """Return the least fixpoint of the rules at the top."""
    leaves = [[0] * len(segments) for segments in columns]
    # [k][c]: ranks that column c can bare in stage k.
    bared = [[0] * len(columns) for _ in range(rows + 1)]
    dealt: list[RankSet] = []
    for stage in range(rows + 1):
        ranks = 0
        for segments in columns:
            top = segments[len(segments) - 1 - rows + stage]
            ranks |= 1 << (rank_of(top.head) if stage else top.end)
        # Bit 0 is set where a short row leaves a column as it was.
        dealt.append(ranks)

    def ends(stage: int) -> RankSet:
        """Return the ranks of the ends in a stage as known so far; none before the first."""
        if stage < 0:
            return 0
        ranks = dealt[stage]
        for more in bared[stage]:
            ranks |= more
        return ranks | ends(stage - 1) if ranks & 1 and stage else ranks

    grows = True
    while grows:
        grows = False
        for stage in range(rows + 1):
            until = (2 << stage) - 1
            for column, segments in enumerate(columns):
                others = dealt[stage] | (ends(stage - 1) if dealt[stage] & 1 else 0)
                for other, more in enumerate(bared[stage]):
                    if other != column:
                        others |= more
                above = 0
                for i in range(len(segments) - 1 - rows + stage, 0, -1):
                    head, _, row = segments[i]
                    if head == 0:
                        leaves[column][i] |= 1 << row
                        continue
                    if not leaves[column][i] >> stage & 1:
                        target = 1 << rank_of(head) + 1 if rank_of(head) < rules.ranks else 0
                        if (others | above | (ends(stage - 1) if row == stage else 0)) & target:
                            leaves[column][i] |= 1 << stage
                            grows = True
                    if leaves[column][i] >> stage & 1:
                        above |= ends(row - 1) if row else 1 << segments[i - 1].end
                    if not leaves[column][i] & until:
                        break
                if above != bared[stage][column]:
                    bared[stage][column] = above
                    grows = True
    return leaves


def _placed(position: Position, columns: list[list[Segment]], leaves: list[list[StageSet]]) -> set[tuple[Suit, Rank]]:
    """Return suit and rank of every card that lies in sequence on another or can ever do so."""
    placed: set[tuple[Suit, Rank]] = set()
    for cards, face_down in zip(position.columns, position.face_down, strict=True):
        face_up = cards[face_down:]
        placed.update(
            (suit_of(card), rank_of(card)) for under, card in pairwise(face_up) if rank_of(card) + 1 == rank_of(under)
        )
    for segments, stages in zip(columns, leaves, strict=True):
        placed.update(
            (suit_of(segment.head), rank_of(segment.head))
            for segment, when in zip(segments, stages, strict=True)
            if when and segment.head
        )
    return placed


def _kings(columns: list[list[Segment]], leaves: list[list[StageSet]], rules: Rules) -> list[Card]:
    """Return the kings that can ever be open: all that lies on them can leave."""
    kings = []
    for segments, stages in zip(columns, leaves, strict=True):
        rows = segments[-1].row
        for i, segment in enumerate(segments):
            if rank_of(segment.head) != rules.ranks:
                continue
            for stage in range(segment.row, rows + 1):
                until = (2 << stage) - 1
                if all(when & until for when in stages[i + 1 : len(segments) - rows + stage]):
                    kings.append(segment.head)
                    break
    return kings
