"""What is an address, and how it is shown."""

from __future__ import annotations

import pytest

from sub2node.base.addresses import is_address, shown_address


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("https://me:secret@host:8/a/b?sig=secret#secret", "https://host:8/a/b"),
        ("s3://key:secret@bucket/tables", "s3://bucket/tables"),
        ("http://[secret@host/a?sig=secret", "host/a"),
        ("gs://bucket", "gs://bucket"),
    ],
)
def test_nothing_secret_is_shown(word: str, shown: str) -> None:
    assert is_address(word)
    assert shown_address(word) == shown


def test_a_path_is_no_address_and_stays() -> None:
    assert not is_address("C:/odd?folder@home")
    assert shown_address("C:/odd?folder@home") == "C:/odd?folder@home"
