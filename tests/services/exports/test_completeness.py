"""An export has everything that the database has about its player, and nothing about others."""

import json
import re

import pytest

from services.exports.parts import BY_STAFF_ALONE, LEFT_OUT, NOTES, PARTS
from services.shared.text import camel_case
from tests.support.personal_rows import PersonalRows, dump, personal_tables, rows_about
from tests.support.sample_data import add_sample_data

MASKED = {"who", "address", "before", "after", "player"}
"""Columns of events that name staff when they are not by the player."""


@pytest.fixture
def document(app):
    """The file of a player as an object."""

    def read(player, **options):
        pieces = app.extensions["services"].documents.pieces(player.user, **options)
        return json.loads(b"".join(pieces))

    return read


def sources():
    """The columns of each table that the file has: the part, and the names there and in the table."""
    for part in PARTS:
        meta = part.table._meta
        own = {
            name: column.column_name
            for name, column in part.columns.items()
            if column.model is part.table and name not in part.decrypted
        }
        yield meta.table_name, part.name, own
        for key, columns in part.joined.items():
            joined = {f"{key.name}_{column.column_name}": column.column_name for column in columns}
            yield key.rel_model._meta.table_name, part.name, joined


def is_in_file(file, table, row):
    """Whether a part has the row, with all the columns that it should have."""
    for of_table, part, names in sources():
        if of_table != table:
            continue
        compared = {
            name: column for name, column in names.items() if table != "audit_events" or column not in MASKED
        }
        wanted = [plain(row[column]) for column in compared.values()]
        if any([plain(each[camel_case(name)]) for name in compared] == wanted for each in file[part]):
            return True
    return False


def plain(value):
    if isinstance(value, bool):
        return str(int(value))
    return json.dumps(value, sort_keys=True) if isinstance(value, dict) else str(value)


def missing(file, player_id, texts):
    """Rows about the player that neither the file has nor the list of what is left out."""
    return [
        (table, row)
        for table, row in rows_about(player_id, texts, dump())
        if table not in LEFT_OUT
        and not (table == "audit_events" and row["what"] in BY_STAFF_ALONE)
        and not is_in_file(file, table, row)
    ]


@pytest.mark.both_databases("tables that refer to players")
@pytest.mark.usefixtures("app")
def test_every_table_that_refers_to_players_is_in_the_file_or_left_out_with_a_reason():
    in_file = {table for table, _, _ in sources()}

    assert personal_tables() - in_file - set(LEFT_OUT) == set()
    assert in_file & set(LEFT_OUT) == set()
    assert set(LEFT_OUT) <= set(dump())


def test_what_is_left_out_of_a_part_is_a_column_of_its_table():
    unknown = [
        (part.name, name)
        for part in PARTS
        for name in part.without
        if name not in {column.column_name for column in part.table._meta.sorted_fields}
    ]

    assert unknown == []


@pytest.fixture
def written(app, player, new_player):
    """Rows about the player in every table, and others about another player."""
    others = new_player("others")
    own = PersonalRows(app, player, others, "b")
    own.write()
    # Their texts begin with another letter.
    PersonalRows(app, others, player, "c").write()
    return own


def texts_of(written, *, parts, is_hidden):
    """The texts in columns that these parts have, or that they leave out."""
    hidden = {
        (part.table._meta.table_name, column)
        for part in parts
        for column in part.without
        if column != "encrypted_address"
    }
    tables = {part.table._meta.table_name for part in parts}
    return {
        text
        for (table, column), texts in written.texts.items()
        for text in texts
        if table in tables and ((table, column) in hidden) == is_hidden
    }


@pytest.mark.both_databases("services/exports/rows.py")
@pytest.mark.security("Downloads of a player's data")
def test_every_text_about_the_player_is_in_the_file_except_secrets_and_others(written, player, document):
    text = json.dumps(document(player))

    shown = texts_of(written, parts=PARTS, is_hidden=False)
    assert len(shown) > 80
    assert {each for each in shown if each not in text} == set()
    assert {each for each in texts_of(written, parts=PARTS, is_hidden=True) if each in text} == set()
    notes = texts_of(written, parts=NOTES, is_hidden=False)
    assert len(notes) > 5
    assert {each for each in notes if each in text} == set()
    assert re.findall(r'"c[0-9]{6}', text) == []


@pytest.mark.both_databases("a dump of each")
def test_the_file_has_every_row_that_a_dump_of_the_database_has_of_the_player(written, player, document):
    about_players = personal_tables()
    own = {text for (table, _), texts in written.texts.items() if table in about_players for text in texts}

    assert missing(document(player), player.id, own | {player.platform_id}) == []


@pytest.mark.both_databases("a dump of each")
def test_the_file_has_every_row_that_playing_and_paying_have_left(app, document):
    player = add_sample_data(app)

    file = document(player)

    assert missing(file, player.id, {player.platform_id, player.username, file["player"]["pseudonym"]}) == []
    assert [len(file[part]) for part in ("account", "bets", "deposits", "withdrawals")] == [1, 3, 1, 1]


def test_staff_see_the_notes_too(written, player, document):
    text = json.dumps(document(player, notes=NOTES))

    assert {each for each in texts_of(written, parts=NOTES, is_hidden=False) if each not in text} == set()
