# ruff: noqa: RUF001 (Cyrillic letters that look like Latin ones are the subject here)
"""Reading what people write: every spelling of a card, every form of a position, and what is said of guesses."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from naive import shuffled_game

from solver.cards import card_name
from solver.notation import format_position, name_of
from solver.numbering import deal_from_id
from solver.partial import UNKNOWN
from solver.position import Position
from solver.reading import Reading, StockEnd, read_text
from solver.rules import LAYOUTS, make_rules
from solver.spelling import spell
from solver.start import InputChoice, PartialStart, RulesChoice, Start, StartError, start_from_data
from solver.words import NotationError

DEAL = deal_from_id("12345").position()
TEXT = format_position(DEAL)
LINES = TEXT.splitlines()


def read(text: str, choice: InputChoice | None = None, rules: RulesChoice | None = None) -> Start:
    start = start_from_data(text.encode(), "game", rules or RulesChoice(), choice)
    assert isinstance(start, Start)
    return start


def columns(text: str, count: int | None = None, stock_from: StockEnd = "start") -> Reading:
    return read_text(text, count, "game", stock_from=stock_from)


def names(reading: Reading) -> list[str]:
    """Return the columns of a reading, face-down cards in angle brackets."""
    return [
        " ".join(f"<{name_of(card)}>" if index < down else name_of(card) for index, card in enumerate(column))
        for column, down in zip(reading.position.columns, reading.position.face_down, strict=True)
    ]


# ---- one card ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "card"),
    [
        ("TH", "TH"), ("10H", "TH"), ("th", "TH"), ("10h", "TH"), ("H10", "TH"), ("hT", "TH"), ("HT", "TH"),
        ("5♥", "5H"), ("5♥️", "5H"), ("♥5", "5H"), ("5♡", "5H"), ("A♠", "AS"), ("♣K", "KC"), ("♦10", "TD"), ("Q♢", "QD"),
        ("К♠", "KS"), ("Д♥", "QH"), ("В♦", "JD"), ("Т♣", "AC"), ("т♣", "AC"), ("д♥", "QH"), ("10♦", "TD"), ("T♦", "TD"),
        ("♠К", "KS"), ("ДЧ", "QH"), ("9П", "9S"), ("2Б", "2D"), ("5С", "5C"), ("А♠", "AS"), ("\u200bKS", "KS"),
    ],
)  # fmt: skip
def test_spellings_of_a_card(word: str, card: str) -> None:
    cards = spell(word)
    assert cards is not None
    assert [(card_name(spelled.card), spelled.face_down, spelled.doubt) for spelled in cards] == [(card, False, None)]


@pytest.mark.parametrize("word", ["<5H>", "(5H)", "[5H]", "{5H}", "|5H", "|5H|", "<H5>", "( 5♥ )", "[5ч]"])
def test_marks_of_a_face_down_card(word: str) -> None:
    cards = spell(word)
    assert cards is not None
    assert [(card_name(spelled.card), spelled.face_down) for spelled in cards] == [("5H", True)]


@pytest.mark.parametrize(
    "word",
    [
        "?", "??", "XX", "xx", "X?", "*", "**", "<?>", "(??)", "[XX]", "<>", "[]", "( )", "[-]", "|?", "(x)", "[--]",
        "<_>", "🂠",
    ],
)  # fmt: skip
def test_unknown_cards(word: str) -> None:
    cards = spell(word)
    assert cards is not None
    assert [spelled.card for spelled in cards] == [UNKNOWN]


@pytest.mark.parametrize(
    ("word", "doubt"),
    [
        ("1H", "taken for TH"),
        ("xc", "taken for TC"),
        ("Xс", "taken for TC"),
        ("0S", "taken for TS"),
        ("H1", "taken for TH"),
        ("11D", "taken for JD"),
        ("12d", "taken for QD"),
        ("13D", "taken for KD"),
        ("КТ", "taken for KC, rank first; suit first it would be AC"),
        ("ТК", "taken for AC, rank first; suit first it would be KC"),
    ],
)
def test_doubtful_spellings_say_what_they_were_taken_for(word: str, doubt: str) -> None:
    cards = spell(word)
    assert cards is not None
    assert [spelled.doubt for spelled in cards] == [doubt]


@pytest.mark.parametrize(("word", "cards"), [("5H6DKS", "5H 6D KS"), ("К♠Д♥10♦Т♣", "KS QH TD AC"), ("xx5H", "? 5H")])
def test_cards_run_together(word: str, cards: str) -> None:
    spelled = spell(word)
    assert spelled is not None
    assert " ".join(name_of(card.card) for card in spelled) == cards


@pytest.mark.parametrize(
    "word", ["", "5", "H", "1", "14H", "5HH", "K?H", "HH", "AA", "<5H", "5H>", "(5H]", "joker", "5-H", "♥"]
)
def test_words_that_are_no_card(word: str) -> None:
    assert spell(word) is None


# ---- columns and their labels --------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "1: <KS> QH\n2: 5D\n3: --\n",
        "1. <KS> QH\n2. 5D\n3. --\n",
        "1) (KS) QH\n2) 5D\n3)\n",
        "column 1: [KS], QH\nColumn 2: 5D\nCOLUMN 3:\n",
        "T1: |KS QH\nT2: 5D\nT3: -\n",
        "Столбец 1: <К♠> Д♥\nСтолбец 2: 5♦\nСтолбец 3: пусто\n",
        "2: 5D\n1: <KS> QH\n3: empty\n",
        "<ks>,, hq\n d5 ;\n—\n",
        "// a remark\n; another\n<KS> QH # and one\n\n5D\n--\n",
        "tableau:\n<KS>QH\n5D\n--\n".replace("<KS>QH", "<KS> QH"),
    ],
)
def test_columns_in_many_forms(text: str) -> None:
    assert names(columns(text, 3)) == ["<KS> QH", "5D", ""]


@pytest.mark.parametrize(
    ("line", "column"),
    [
        ("? ? 5D", "<?> <?> 5D"),
        ("- - 5D", "<?> <?> 5D"),
        ("?? XX <9S> 5D", "<?> <?> <9S> 5D"),
        ("[ ] [?] [9S] 5D", "<?> <?> <9S> 5D"),
        ("<?> - |? 5D", "<?> <?> <?> 5D"),
        ("xxxx5D", "<?> <?> 5D"),
    ],
)
def test_unknown_cards_at_the_head_of_a_column_are_face_down(line: str, column: str) -> None:
    assert names(columns(line + "\n", 1)) == [column]


def test_doubtful_words_are_reported_once_with_their_place_and_number() -> None:
    reading = columns("<1H> 1H 1H\nxc\n", 2)
    assert reading.notes == (
        "game:1:1: '<1H>' was taken for TH",
        "game:1:6: '1H' was taken for TH (2 times)",
        "game:2:1: 'xc' was taken for TC",
    )


def test_a_latin_t_among_russian_ranks_is_said() -> None:
    assert any("Latin T, which was taken for ten" in note for note in columns("К♠ Д♥ Т♣\nT♦\n", 2).notes)
    assert columns("К♠ Д♥ Т♣\n10♦\n", 2).notes == ()


# ---- the stock -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "stock",
    [
        "deal: AS 2S\ndeal: 3S 4S\n",
        "stock1: AS 2S\nstock2: 3S 4S\n",
        "stock 2: 3S 4S\nstock 1: AS 2S\n",
        "Talon: AS 2S 3S 4S\n",
        "stock: AS 2S 3S 4S\n",
        "Talon:\nAS 2S\n3S 4S\n",
        "Колода: Т♠ 2♠ 3♠ 4♠\n",
        "row 1: AS 2S\nrow 2: 3S 4S\n",
        "deal: <AS> <2S>\ndeal: <3S> <4S>\n",
        "AS 2S\n3S 4S\n",
    ],
)
def test_stocks_in_many_forms(stock: str) -> None:
    reading = columns(f"KS\nQH\n{stock}", 2)
    rows = reading.position.rows
    assert [[card_name(card) for card in row] for row in rows] == [["AS", "2S"], ["3S", "4S"]]


def test_the_talon_may_come_first() -> None:
    assert columns("Talon: AS 2S\nKS\nQH\n", 2).position.rows == columns("KS\nQH\ndeal: AS 2S\n", 2).position.rows


@pytest.mark.parametrize(
    ("stock", "rows"),
    [("Talon: AS 2S 3S 4S\n", "4S 3S / 2S AS"), ("deal: AS 2S\ndeal: 3S 4S\n", "3S 4S / AS 2S")],
)
def test_a_stock_may_be_dealt_from_its_other_end(stock: str, rows: str) -> None:
    reading = columns(f"KS\nQH\n{stock}", 2, "end")
    assert " / ".join(" ".join(map(card_name, row)) for row in reading.position.rows) == rows


def test_the_next_row_is_shown_back_where_the_order_is_not_plain() -> None:
    stock = [word for line in LINES[10:] for word in line.split()[1:]]
    talon = "\n".join([*LINES[:10], "Talon: " + " ".join(stock)])
    start = read(talon)
    assert start.position == DEAL
    assert start.notes == (
        "the stock is dealt from its start as written (--stock-from end takes the other): "
        "the next row is 4H 6D TH 4S QS 2H 5C 7S 9H JC, column 1 first",
    )
    reverse = "\n".join([*LINES[:10], "Talon: " + " ".join(stock[::-1])])
    start = read(reverse, InputChoice(stock_from="end"))
    assert start.position == DEAL
    assert "from its end as written (--stock-from start takes the other): the next row is 4H 6D" in start.notes[0]
    assert read(TEXT).notes == ()


# ---- completed runs ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "completed: H S",
        "foundations: ♥ ♠",
        "Removed: S h",
        "completed: HS",
        "собрано: червы пики",
        "foundations: KH KS",
    ],
)
def test_runs_that_have_left(line: str) -> None:
    assert columns(f"KS\n{line}\n", 1).position.completed == (2, 3)


def test_their_number_alone_is_compared_with_the_missing_cards() -> None:
    late = "KS QS JS TS 9S 8S 7S 6S 5S 4S 3S\n2S AS\n" + "--\n" * 8
    assert len(read(late).position.completed) == 7
    assert read(late + "completed: 7\n") == read(late)
    with pytest.raises(StartError, match="says that 6 runs have left, and the missing cards are those of 7"):
        read(late + "completed: 6\n")


# ---- tables --------------------------------------------------------------------------------------

TABLE = """
<AS> <2S> <3S>
 4S   5S  <6S>
 .    7S   8S
"""


def test_rows_of_a_table() -> None:
    for text in (TABLE, TABLE.replace(".", "--"), "row 1: AS 2S 3S\n".replace("AS 2S 3S", "<AS> <2S> <3S>")
                 + "row 2: 4S 5S <6S>\nrow 3: . 7S 8S\n"):  # fmt: skip
        assert names(columns(text, 3)) == ["<AS> 4S", "<2S> 5S 7S", "<3S> <6S> 8S"]


def test_a_table_in_a_frame() -> None:
    text = "| 1 | 2 | 3 |\n|---|---|---|\n| AS | 2S | 3S |\n| 4S |  | 5S |\n"
    assert names(columns(text, 3)) == ["AS 4S", "2S", "3S 5S"]


def test_a_table_with_commas() -> None:
    assert names(columns("AS,2S,3S,KS\n4S,,5S,\n", 4)) == ["AS 4S", "2S", "3S 5S", "KS"]


def test_a_ragged_row_goes_by_where_it_stands() -> None:
    text = " AS 10S  3S\n 4S      5S\n"
    assert names(columns(text, 3)) == ["AS 4S", "TS", "3S 5S"]


def test_unknown_cards_at_the_head_of_a_table() -> None:
    assert names(columns(" - ?  3S\nAS 5S 4S\n", 3)) == ["<?> AS", "<?> 5S", "3S 4S"]


def test_the_print_of_plspider(data: Path) -> None:
    """Table rows as its page has them, the sixth row with dots; face-down cards are not marked."""
    rows = [
        "10S 2H 4S QD 3D 10D 9H AS JS JD",
        "3C 4H 3H QH 8C 10H 3D 4D 8H AH",
        "KS KC 10C 7C 8S 3S 7D 3S 6C 5C",
        "4C 3H 4D 7S 2S 3C 5C 8C QC 5S",
        "JH KH 2H QC JH 6H QS 2C KD KS",
        "5S . . 2D . . 6H . . 5D",
    ]
    stock = (data / "deals" / "pysolfc_4suit_14934.txt").read_text().splitlines()[-5:]
    start = read("\n".join(rows + stock), InputChoice(as_dealt=True))
    assert start.position == deal_from_id("14934").position()
    assert "the tableau was read as 6 rows of a table, top row first" in start.notes[0]


def test_two_characters_a_card_without_separators() -> None:
    """Five rows of ten, one of four, five deals of ten, as an old solver has them."""
    position = shuffled_game(random.Random(3), make_rules(heights=LAYOUTS["left"]))
    rows = ["".join(card_name(column[row]) for column in position.columns if row < len(column)) for row in range(6)]
    rows += ["".join(map(card_name, row)) for row in position.rows]
    assert read("\n".join(rows), InputChoice(as_dealt=True)).position == position


# ---- unknown cards -------------------------------------------------------------------------------


def test_one_unknown_card_is_filled_in() -> None:
    start = read(TEXT.replace("<6D>", "?", 1))
    assert start.position == DEAL
    assert start.notes == ("1 unknown card filled in: only 6D is missing",)


def test_equal_unknown_cards_are_filled_in() -> None:
    fives = TEXT.replace("<5H>", "<?>", 1).replace(" 5H\n", " 5H\n")
    both = format_position(
        Position(
            tuple(tuple(card for card in column) for column in DEAL.columns), DEAL.face_down, DEAL.rows, DEAL.completed
        )
    ).replace("<AS>", "??")
    start = read(both)
    assert start.position == DEAL
    assert start.notes == ("2 unknown cards filled in: only AS is missing",)
    assert read(fives).position == DEAL


def test_several_fillings_are_counted_and_not_guessed() -> None:
    start = start_from_data(TEXT.replace("<6D> <AS>", "? ?", 1).encode(), "game", RulesChoice())
    assert isinstance(start, PartialStart)
    assert {card_name(card): times for card, times in start.missing.items()} == {"6D": 1, "AS": 1}
    assert start.fillings == 2
    assert start.problem == (
        "game has 2 unknown cards (missing: 6D, AS); 2 fillings are possible: write the cards that you know; "
        "a search needs every card"
    )


def test_a_game_with_all_hidden_cards_unknown() -> None:
    lines = [" ".join(["?"] * (len(line.split()) - 1) + line.split()[-1:]) for line in LINES[:10]]
    text = "\n".join([*lines, *["deal:" + " ?" * 10] * 5])
    start = start_from_data(text.encode(), "game", RulesChoice())
    assert isinstance(start, PartialStart)
    assert start.shown.unknown == sum(start.missing.values()) == 94
    assert start.fillings is not None
    assert start.fillings > 10**100
    assert "; some 10^1" in start.problem
    assert len(start.problem) < 800
    with pytest.raises(StartError, match="the stock is missing: write its 5 rows as deal: and the cards"):
        start_from_data("\n".join(lines).encode(), "game", RulesChoice())


def test_runs_that_have_left_are_deduced_with_unknown_cards_too() -> None:
    # Eleven spades are known, two cards are not: they can only be the two missing spades, as seven runs have left.
    late = "? ? KS QS JS TS 9S 8S 7S 6S 5S 4S 3S\n" + "--\n" * 9
    start = start_from_data(late.encode(), "game", RulesChoice(suits=1))
    assert isinstance(start, PartialStart)
    assert start.shown.completed == (3,) * 7
    assert {card_name(card) for card in start.missing} == {"AS", "2S"}


def test_uncertain_runs_are_said() -> None:
    # A run of hearts or of spades has left: with so few cards known both are possible.
    open_cards = ("KS KS", "KH", "QS", "QH", "JS", "JH", "5S", "5H", "6S", "6H")
    text = "".join(f"? ? ? ? {name}\n" for name in open_cards) + ("deal:" + " ?" * 10 + "\n") * 4
    start = start_from_data(text.encode(), "game", RulesChoice())
    assert isinstance(start, PartialStart)
    assert (start.fillings, start.missing) == (None, {})
    assert "which runs have left is not certain, so neither are the missing cards: name the runs" in start.problem
    named = start_from_data((text + "completed: H\n").encode(), "game", RulesChoice())
    assert isinstance(named, PartialStart)
    assert named.shown.unknown == sum(named.missing.values()) == 80


def test_unknown_cards_and_a_wrong_total_are_told_together() -> None:
    text = TEXT.replace("<6D> <AS>", "?", 1).replace(" KH\n", " QC\n", 1)
    with pytest.raises(StartError) as caught:
        start_from_data(text.encode(), "game", RulesChoice())
    assert "103 cards, 1 of them unknown, make 103: the rules have 104" in str(caught.value)
    assert "QC is there 3 times, 1 too many" in str(caught.value)


def test_a_deal_without_marks_is_open_unless_it_is_said_to_be_dealt() -> None:
    text = TEXT.replace("<", "").replace(">", "")
    start = read(text)
    assert start.position.face_down == (0,) * 10
    assert "no card is marked face-down, so all are taken as face-up; --as-dealt takes" in start.notes[0]
    assert read(text, InputChoice(as_dealt=True)).position == DEAL
    assert read(text, InputChoice(as_dealt=True)).notes == ()


# ---- faults --------------------------------------------------------------------------------------


def test_all_faults_come_in_one_message() -> None:
    text = TEXT.replace("<6D>", "<6Z>", 1).replace("9C", "9", 1).replace("deal: 4H", "deal: 4", 1)
    with pytest.raises(NotationError) as caught:
        read(text)
    assert [line.partition(": ")[0].strip() for line in str(caught.value).splitlines()] == [
        "game:1:1",
        "game:1:26",
        "game:11:7",
    ]


# ---- small games and puzzles ---------------------------------------------------------------------


def test_a_small_game_needs_its_size() -> None:
    text = "AH AS\n2S\n3S 2C 3C\ndeal: 2H 3H AD\ndeal: 2D 3D AC\n"
    start = read(text, rules=RulesChoice(columns=3, ranks=3, packs=1))
    assert (start.rules.columns, start.rules.ranks, start.rules.packs) == (3, 3, 1)
    assert start.rules.heights == (2, 1, 3)
    assert len(start.rules.rows) == 2
    with pytest.raises(NotationError, match="3 columns: the rules have 10"):
        read(text)
    with pytest.raises(StartError, match="11 cards make 11: the rules have 12\n  AH is missing 1 time"):
        read(text.replace("AH ", ""), rules=RulesChoice(columns=3, ranks=3, packs=1))


def test_loose_deduces_size_and_says_so(data: Path) -> None:
    path = data / "cases" / "mini-solvitaire-ComplexSolvable-from-end.txt"
    start = start_from_data(path.read_bytes(), "mini", RulesChoice(), InputChoice(loose=True))
    assert isinstance(start, Start)
    assert start.loose
    assert (start.rules.columns, start.rules.ranks, start.rules.packs) == (4, 3, 2)
    assert start.notes == (
        "the ranks are taken to be ace to 3; --ranks states others",
        "loose: the cards were not checked to be full packs",
    )


@pytest.mark.parametrize("name", ["synth-deal-completes-run", "synth-facedown-king-in-run", "stale-lost-54"])
def test_loose_accepts_piles_that_are_no_pack(name: str, data: Path) -> None:
    text = (data / "cases" / f"{name}.txt").read_text()
    assert isinstance(start_from_data(text.encode(), name, RulesChoice(), InputChoice(loose=True)), Start)
    with pytest.raises(StartError, match="the rules have 104"):
        start_from_data(text.encode(), name, RulesChoice())
