"""Prices: one row as typed."""

import pytest

from loopwright.core.limits import Price
from loopwright.core.prices import PRICES, parse_price


def test_a_price_is_four_numbers():
    assert parse_price("my-model", "4/20/0.2/5") == Price("my-model", 4.0, 20.0, 0.2, 5.0)


@pytest.mark.parametrize(
    "text",
    ["", "4", "4/20", "4/20/1/1/1", "a/b/c/d", "-1/2/3/4", "4,20,0,5", "nan/1/1/1", "inf/1/1/1"],
)
def test_anything_else_is_refused(text):
    with pytest.raises(ValueError, match="in/out/read/write"):
        parse_price("m", text)


def test_the_table_has_each_model_once():
    assert len({price.model for price in PRICES}) == len(PRICES)
