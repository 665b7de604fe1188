"""The tests' own PostgreSQL server."""

import psycopg


def test_the_server_answers_and_is_a_recent_one(postgres_url: str) -> None:
    with psycopg.connect(postgres_url) as connection:
        assert connection.info.server_version >= 160000


def test_each_test_may_have_an_empty_database_of_its_own(postgres_url: str, postgres_database_url: str) -> None:
    assert postgres_database_url != postgres_url
    with psycopg.connect(postgres_database_url) as connection:
        connection.execute("CREATE TABLE only_here (id integer)")
    with psycopg.connect(postgres_url) as connection:
        found = connection.execute("SELECT to_regclass('only_here')").fetchone()
    assert found == (None,)
