"""The tests' own PostgreSQL server."""

import psycopg


def test_the_server_responds_and_is_recent(postgres_url: str) -> None:
    with psycopg.connect(postgres_url) as connection:
        assert connection.info.server_version >= 160000


def test_each_test_can_have_its_own_empty_database(postgres_url: str, postgres_database_url: str) -> None:
    assert postgres_database_url != postgres_url
    with psycopg.connect(postgres_database_url) as connection:
        connection.execute("CREATE TABLE only_here (id integer)")
    with psycopg.connect(postgres_url) as connection:
        found = connection.execute("SELECT to_regclass('only_here')").fetchone()
    assert found == (None,)
