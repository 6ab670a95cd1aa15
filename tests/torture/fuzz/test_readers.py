"""Files that people and models write: whatever stands in them, there is a value, or an error of ours that says what and where."""

from __future__ import annotations

from pathlib import Path
from random import Random
from unittest.mock import patch

from loopwright.checks.detection import repository as detection
from loopwright.drive.errors import UserError
from loopwright.formats import gsd_config, gsd_state
from loopwright.formats.front_matter import is_small_enough
from loopwright.formats.gsd_block import clamp_loop
from loopwright.importers import plan_lint, plans, shape_md
from loopwright.plugin.preset_command import command_page
from loopwright.store import config, mirror, presets
from loopwright.views import plan_waves
from tests.formats import test_gsd_config, test_gsd_state
from tests.importers import test_prd, test_shape_md
from tests.support.builders import a_loop
from tests.support.plan_projects import a_plan
from tests.torture.conftest import Figure
from tests.torture.fuzz.conftest import CHUNKS, allow_explained_errors, fuzz

SEED = Path(__file__).parents[2] / "importers/cases/seed-003.md"
STORIES = b'{"stories":[{"id":"a","acceptanceCriteria":["b (check: `c`)"],"priority":1},{"id":2,"dependsOn":["a"]}]}'
MARKDOWN = b"---;```;~~~yaml;## Wave 9;- [ ] a (check: `b`);| a | b |;|--|--|;<!--;-->;<!-- task;# Phase 1:;> ".split(
    b";"
)
TAGS = b"""<task id='1'>;</task>;<files>;<file;<check type="content">a/b contains "c";</check>;<gap type="stub" """.split(
    b";"
)
YAML = b"""loop:;  history:;- iteration: 1;{a: [b, {c;';"\\x4;|-;>+9;&a;? k;criteria:;mustNot:;verification:;  a: b""".split(
    b";"
)
SETTINGS = b"""[limits]\ndollars = 40\niterations = 5 # few\n[check]\ntimeout = 60\n[prices]\n"a.b" = "4/20/0.2/5"\n;
shape = "colleague"\nnotify = "say done"\n;limits = {stuck = 3}\n;[tool.pytest]\nx=1\n;{"scripts":{"test":"jest"}}""".split(
    b";"
)
TOML = b"""[a];[[a]];''';a.b.c = 1;1979-13-99T99:99;inf;prices.m = '1/2/3/4';{a = 1};limits = {stuck = 3}""".split(
    b";"
)
TOML += [
    b"a." * 3_000 + b"a = 1",
    b"a = " + b"[" * 900,
    b"limits.stuck = 0x" + b"f" * 9_000,
    b"x = " + b"9" * 5_000,
]


@CHUNKS
def test_a_plan_is_read_and_linted_whatever_it_is(
    seeds: range, figure: Figure, tmp_path: Path
) -> None:
    def trial(data: bytes, random: Random) -> object:
        path, root = tmp_path / random.choice(("PLAN.md", "prd.json")), str(tmp_path)
        path.write_bytes(data)
        with allow_explained_errors(UserError, naming=path.name):
            plan, wrong = (
                (reading := plans.read(str(path), root)).plan,
                plan_lint.lint_plan(reading, root),
            )
            shown = (
                plan_waves.text(plan, 80),
                plan_waves.problems_text(wrong, "x"),
                repr(plan_waves.facts(plan, wrong)),
            )
            assert sum(map(len, shown)) < 20 * len(data) + 500_000, "it grows"
            return plan.tasks
        return None

    fuzz(
        figure,
        "plan",
        seeds,
        trial,
        [SEED.read_bytes(), a_plan().encode(), test_prd.PRD.encode(), STORIES],
        MARKDOWN + TAGS,
    )


@CHUNKS
def test_a_shape_is_read_whatever_it_is(seeds: range, figure: Figure) -> None:
    def trial(data: bytes, random: Random) -> object:
        shape = shape_md.read(data.decode("utf-8-sig", "replace"))
        assert max(len(shape.criteria), len(shape.must_not)) <= shape_md.MAX_ITEMS
        assert (
            len(mirror.render_mirror(a_loop(criteria=shape.criteria, must_not=shape.must_not)))
            < 500_000
        )
        return shape.criteria

    samples = [
        text.encode() for text in (test_shape_md.PLAIN, test_shape_md.FENCED, test_shape_md.TABLE)
    ]
    fuzz(figure, "SHAPE.md", seeds, trial, samples, MARKDOWN + YAML)


@CHUNKS
def test_a_gsd_projects_files_are_read_and_written_whatever_they_are(
    seeds: range, figure: Figure
) -> None:
    said = clamp_loop(
        gsd_state.GsdLoop(
            True, "verify", "2", 3, 9, (("01", 2),), 1, "a", "b", True, "a: b", "'c", (), True, 3
        )
    )

    def trial(data: bytes, random: Random) -> object:
        text = data.decode("utf-8", "surrogateescape")
        if random.random() < 0.2:
            assert len(gsd_state.current_phase(text) + repr(gsd_config.read(text).problems)) < 5_000
        found = gsd_state.read_block(text)
        if random.random() < 0.4:
            written = gsd_state.update_block(text, values := random.choice((said, found or said)))
            assert not is_small_enough(text) or gsd_state.read_block(written) == clamp_loop(
                values
            ), "what was written is read"
            assert random.random() < 0.8 or gsd_state.update_block(written, values) == written, (
                "a second write changes nothing"
            )
        return found

    samples = [
        test_gsd_state.SEED,
        test_gsd_state.stating(test_gsd_state.WORKING),
        test_gsd_config.SEED,
    ]
    fuzz(figure, "STATE.md", seeds, trial, [text.encode() for text in samples], MARKDOWN + YAML)


@CHUNKS
def test_presets_are_read_whatever_stands_in_them(
    seeds: range, figure: Figure, tmp_path: Path
) -> None:
    ours, path = presets.built_in_presets(), Path(presets.user_files()[-1])

    def trial(data: bytes, random: Random) -> object:
        path.write_bytes(data)
        with (
            patch.object(presets, "built_in_presets", lambda: dict(ours)),
            allow_explained_errors(config.ConfigError, naming=path),
        ):  # read once
            return [command_page(preset) for preset in presets.all_presets().values()]
        return None

    path.parent.mkdir(parents=True)
    samples = [
        b"[mine]\n" + Path(presets.BUILT_IN_FOLDER, f"{name}.toml").read_bytes() for name in ours
    ]
    fuzz(
        figure,
        "presets",
        seeds,
        trial,
        [*samples, b'[a]\nlook_for = "x"\n[b]\nexploitation = ["y", "z"]\n'],
        TOML,
    )


@CHUNKS
def test_settings_are_read_and_set_whatever_stands_in_them(
    seeds: range, figure: Figure, tmp_path: Path
) -> None:
    path, root = Path(config.user_file()), str(tmp_path)

    def trial(data: bytes, random: Random) -> object:
        for place in (
            path,
            tmp_path / random.choice(("pyproject.toml", "package.json", config.PROJECT_FILE)),
        ):
            place.write_bytes(data)
        with allow_explained_errors(config.ConfigError):
            detection.repository_checks(root)
            config.limits_from_settings(config.settings(root))
            config.prices()
            before = config.load_settings_file(str(path))
            config.store_setting(str(path), "limits.stuck", "7")
            assert config.load_settings_file(str(path)) == {**before, "limits.stuck": 7}, (
                "only this one has changed"
            )
            return before
        return None

    path.parent.mkdir(parents=True)
    fuzz(figure, "config", seeds, trial, SETTINGS, TOML)
