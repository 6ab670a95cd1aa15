"""Product that leaves unchanged tests with less to look at."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.product_rules.lost_methods import LostMethods

GO = "package codec\n\nfunc (Hex) Encode() string { return text }\n"
VALIDATE = "\nfunc (Hex) Validate(text string) error { return nil }\n"
GO_TEST = (
    "type validator interface {\n\tValidate(text string) error\n}\n\n"
    "if v, ok := c.(validator); ok {\n\tv.Validate(text)\n}\n"
)
ASKED = {
    "go, an interface of the test": ("codec.go", GO + VALIDATE, GO, "codec_test.go", GO_TEST),
    "go, an interface in place": (
        "codec.go",
        GO + VALIDATE,
        GO + VALIDATE.replace("Validate", "Check"),
        "codec_test.go",
        "v, ok := c.(interface{ Validate(string) error })\n",
    ),
    "go, an interface of the product": (
        "codec.go",
        f"{GO}{VALIDATE}\ntype Validator interface {{\n\tValidate(text string) error\n}}\n",
        f"{GO}\ntype Validator interface {{\n\tValidate(text string) error\n}}\n",
        "codec_test.go",
        "switch v := c.(type) {\ncase codec.Validator:\n\tv.Validate(text)\n}\n",
    ),
    "python": (
        "codec.py",
        "class Hex:\n    def validate(self):\n        pass\n",
        "class Hex:\n    def check(self):\n        pass\n",
        "test_codec.py",
        'if hasattr(codec, "validate"):\n    assert not codec.validate("x")\n',
    ),
    "ruby": (
        "codec.rb",
        "class Hex\n  def valid?(text)\n  end\nend\n",
        "class Hex\nend\n",
        "test/codec_test.rb",
        "assert codec.valid?(text) if codec.respond_to?(:valid?)\n",
    ),
    "php": (
        "Hex.php",
        "class Hex\n{\n    public function validate() {}\n}\n",
        "class Hex\n{\n}\n",
        "tests/HexTest.php",
        "if (method_exists($codec, 'validate')) {\n",
    ),
    "perl": ("Hex.pm", "sub validate {\n}\n", "1;\n", "t/a.t", "ok(1) if $c->can('validate');\n"),
    "javascript": (
        "codec.js",
        "class Hex {\n  validate(text) {\n  }\n}\n",
        "class Hex {\n}\n",
        "codec.test.js",
        'if (typeof codec.validate === "function") {\n',
    ),
}


@pytest.mark.parametrize("case", ASKED)
def test_a_method_that_a_test_asks_for_and_that_is_gone_is_found(case: str) -> None:
    path, before, after, test, text = ASKED[case]
    methods = LostMethods({path: (before, after)})

    (finding,) = methods.findings({test: text})
    assert (finding.severity, finding.rule) == (MEDIUM, "name-of-tests-gone")
    assert any(word in text for word in methods.words)


@pytest.mark.parametrize(
    ("before", "after", "test"),
    [
        (GO + VALIDATE, GO + VALIDATE.replace("nil", "ErrInvalid"), GO_TEST),
        (GO + VALIDATE, GO, "c.Validate(text)\n"),
        (GO + VALIDATE, GO, GO_TEST.replace("Validate", "Check")),
        (GO, GO + VALIDATE, GO_TEST),
    ],
    ids=["still there", "a plain call", "another method", "a new method"],
)
def test_a_method_that_no_test_passes_over_is_fine(before: str, after: str, test: str) -> None:
    methods = LostMethods({"codec.go": (before, after)})

    assert list(methods.findings({"codec_test.go": test})) == []


def test_a_method_that_moved_to_another_file_is_fine() -> None:
    sides = {"codec.go": (GO + VALIDATE, GO), "validate.go": (None, f"package codec\n{VALIDATE}")}

    assert list(LostMethods(sides).findings({"codec_test.go": GO_TEST})) == []


ORDER = "sub ships {\n    my ($self) = @_;\n    return 0 unless $self->{paid};\n    return 1;\n}\n"
BARE = ORDER.replace("return 0 unless", "return unless")


@pytest.mark.parametrize(
    ("after", "test", "is_found"),
    [
        (BARE, "holds($order->ships, 'ships');\n", True),
        (BARE, "holds(ships($order), 'ships');\n", True),
        (BARE, "is_deeply($order->ships, 1, 'ships');\n", True),
        (BARE, "ok($order->ships, 'ships');\n", False),
        (BARE, "holds(!$order->ships, 'waits');\n", False),
        (BARE, "my $ships = $order->ships;\n", False),
        (ORDER.replace("return 0", "return ''"), "holds($order->ships, 'ships');\n", False),
        (f"{ORDER}sub why {{\n    return;\n}}\n", "holds($order->ships, 'ships');\n", False),
    ],
)
def test_a_function_of_perl_that_returns_nothing_in_a_list(
    after: str, test: str, is_found: bool
) -> None:
    rows = list(LostMethods({"lib/Order.pm": (ORDER, after)}).findings({"t/order.t": test}))

    assert [row.rule for row in rows] == ["product-tells-less-apart"] * is_found


SAMPLE = 'package sample\n\nimport "example.org/shop/pricing"\n\nvar Basket = 1\n'
INIT = "\nfunc init() {\n\tpricing.Rounding = pricing.HalfUp\n}\n"
SHOP_TEST = 'import (\n\t"example.org/shop/pricing"\n\t"example.org/shop/sample"\n)\n'


def started(after: str, test: str, path: str = "pricing/pricing_test.go") -> list[str]:
    methods = LostMethods({"sample/sample.go": (SAMPLE, after)})
    return [row.rule for row in methods.findings({path: test})]


def test_a_package_that_sets_what_the_tests_of_another_one_measure_is_found() -> None:
    assert started(SAMPLE + INIT, SHOP_TEST) == ["product-detects-tests"]
    aliased = (SAMPLE + INIT).replace("import ", "import p ").replace("pricing.R", "p.R")
    assert started(aliased, SHOP_TEST) == ["product-detects-tests"]


def test_a_package_that_starts_for_itself_is_fine() -> None:
    assert started(SAMPLE + INIT.replace("pricing.Rounding", "basket"), SHOP_TEST) == []
    call = INIT.replace("pricing.Rounding = pricing.HalfUp", 'pricing.Register("x", halfUp)')
    assert started(SAMPLE + call, SHOP_TEST) == []
    assert started(SAMPLE + INIT, SHOP_TEST.replace("/sample", "/other")) == []
    assert started(SAMPLE + INIT, SHOP_TEST, "sample/sample_test.go") == []
