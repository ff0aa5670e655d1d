"""What stays known of arguments, arrays and strings to which the shell adds something unknown."""

from __future__ import annotations

import pytest

from portkit.frontends.shell import read_script
from portkit.source import SourceText

LOOP = "while read -r l; do {}; done < f; "
CASES = (
    ('serve() { local m=$1; shift; vllm serve $m "$@"; }; serve Q "$@"', 'Q "$@"'),
    ('serve() { local m=$1; shift 2; vllm serve $m "$@"; }; serve Q "$@"', 'Q "${@:2}"'),
    ('set -- --tp 2 "$@"; vllm serve "$@"', '--tp 2 "$@"'),
    ('set -- --tp 2 "$@"; shift 3; vllm serve "$@" "$1"', '"${@:2}" "$2"'),
    ('bash -c \'vllm serve m "$@"\' _ --tp 2 "$@"', 'm --tp 2 "$@"'),
    ("A=(--x); " + LOOP.format('A+=("$l")') + 'vllm serve m "${A[@]}"', 'm --x "${A[@]:1}"'),
    ("A=(--x); " + LOOP.format('A=("${A[@]}" "$l")') + 'vllm serve m "${A[@]}"', 'm --x "${A[@]:1}"'),
    ("A=(--x); " + LOOP.format('A=("$l")') + 'vllm serve m "${A[@]}"', 'm "${A[@]}"'),
    ('S="--x 1"; ' + LOOP.format('S+=" --y $l"') + "vllm serve m $S", 'm --x 1 "${S:6}"'),
    ('S="--x 1"; ' + LOOP.format('S="$S --y $l"') + "vllm serve m $S", 'm --x 1 "${S:6}"'),
    ("S=abc; " + LOOP.format('S="$S$l"') + 'vllm serve m "$S"', 'm "${S}"'),
    ("S=abc; " + LOOP.format('S="$l"') + 'vllm serve m "$S"', 'm "${S}"'),
)


@pytest.mark.parametrize(("script", "expected"), CASES)
def test_known_words_stay(script: str, expected: str) -> None:
    (launch,) = read_script(SourceText("launch.sh", script), {})
    assert " ".join(word.shell() for word in launch.argv) == expected
