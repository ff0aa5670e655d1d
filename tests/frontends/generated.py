"""Small bash scripts made by hypothesis: assignments, defaults, operators, arrays, arithmetic, loops, tests."""

from __future__ import annotations

from hypothesis import strategies as st

OUTSIDE = ("TP", "MODE", "EXTRA")
"""Variables that scripts take from outside."""

_NAMES = ("A", "B", "C")
_TEXTS = ("8", "x", "a b", "a/b/c.txt", "Qwen-3", "", "{}", '{"k": 1}', "it's", "-1", "a  b", "*")
_PATTERNS = ("a", "*/", "/*", "?", "[a-c]*", "b*", "*b", '"*"', "x")

words = st.sampled_from(_TEXTS)
names = st.sampled_from(_NAMES)
outside = st.sampled_from(OUTSIDE)
numbers = st.integers(0, 40)


def single(text: str) -> str:
    """A text in single quotes."""
    return "'" + text.replace("'", "'\\''") + "'"


def double(text: str) -> str:
    """A text in double quotes."""
    return '"' + "".join("\\" + c if c in '\\"$`' else c for c in text) + '"'


quoted = st.builds(lambda how, text: how(text), st.sampled_from((single, double)), words)
operators = st.one_of(
    st.builds("{}{}".format, st.sampled_from(("#", "##", "%", "%%")), st.sampled_from(_PATTERNS)),
    st.builds("{}{}/{}".format, st.sampled_from(("/", "//")), st.sampled_from(_PATTERNS), st.sampled_from(("_", ""))),
    st.sampled_from((",,", "^^", "^", ":1", ":0:2", ": -1")),
)
known = st.one_of(
    st.builds("${{{}}}".format, names),
    st.builds("${{{}}}".format, names),
    st.builds("${{{}{}}}".format, names, operators),
    st.builds("${{#{}}}".format, names),
    st.builds("$(({}*2+{}))".format, st.sampled_from(("N", "$N", "${N}")), numbers),
    st.builds("${{L[{}]}}".format, st.sampled_from(("0", "1", "-1", "N%2"))),
    st.sampled_from(("${#L[@]}", "${M[k]}", "${M[$A]}", "$(echo $A)", '$(basename "/$B")', "$(seq -s , 1 3)")),
)
defaulted = st.builds(
    "${{{}{}{}}}".format, outside, st.sampled_from((":-", "-")), st.sampled_from(("8", "fp8", "$A", "${B:-q}", "a/b"))
)
in_quotes = st.builds("".join, st.lists(st.one_of(known, st.sampled_from(("-", "x=", " ", "'", "\\$"))), max_size=3))
argument = st.one_of(
    quoted, st.builds('"{}"'.format, in_quotes), known, st.builds("--f={}".format, known), st.just('"${L[@]}"'),
    st.just("${L[@]}"), st.just('"${L[*]}"'), st.just('"pre${L[@]:1}"'), st.just('"$@"'),
)  # fmt: skip
launch = st.builds(lambda items: "vllm serve " + " ".join(items), st.lists(argument, max_size=4))

assignment = st.one_of(
    st.builds("{}={}".format, names, quoted),
    st.builds("{}+={}".format, names, quoted),
    st.builds('{}="{}"'.format, names, in_quotes),
    st.builds("{}={}".format, names, known),
    st.builds("export {}={}".format, names, quoted),
    st.builds("N={}".format, numbers),
    st.builds("N=$((N+{}))".format, numbers),
    st.builds("((N+={}))".format, numbers),
    st.builds("L=({})".format, st.lists(st.one_of(quoted, known), max_size=3).map(" ".join)),
    st.builds("L+=({})".format, quoted),
    st.builds("L[{}]={}".format, st.integers(0, 3), quoted),
    st.builds("M[{}]={}".format, st.sampled_from(("k", "x", "$A")), quoted),
    st.builds("unset {}".format, names),
    st.builds(": ${{{}:={}}}".format, names, st.sampled_from(("d", "e f"))),
)
test = st.one_of(
    st.builds('[ "${}" = {} ]'.format, names, quoted),
    st.builds("[[ ${} == {} ]]".format, names, st.sampled_from(_PATTERNS)),
    st.builds("[[ -{} ${} ]]".format, st.sampled_from("nz"), names),
    st.builds("(( N > {} ))".format, numbers),
    st.builds("[ $N -le {} -a -n x ]".format, numbers),
    st.sampled_from(("true", "false", "! false")),
)


def _block(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("if {}; then\n{}\nelse\n{}\nfi".format, test, inner, inner),
        st.builds("{} && {{ {}\n}}".format, test, inner),
        st.builds("{} || {{ {}\n}}".format, test, inner),
        st.builds(
            "for A in {}; do\n{}\ndone".format,
            st.lists(st.one_of(quoted, known), min_size=1, max_size=2).map(" ".join),
            inner,
        ),
        st.builds(
            'case "$A" in {}) {} ;; *b*|x) {} ;; *) : ;; esac'.format, st.sampled_from(("8", "a*")), inner, inner
        ),
        st.builds("f() {{ local A=$1; {}\n}}; f {} {}".format, inner, quoted, known),
        st.builds("{}\n{}".format, inner, inner),
        st.builds("( {} )".format, inner),
    )


statement = st.recursive(st.one_of(assignment, launch), _block, max_leaves=6)
scripts = st.builds(
    lambda lines, last: (
        "set -f -- p 'q r'\nA=x B='a b' C= N=3\nL=(one 'two 3')\ndeclare -A M=([k]=v)\n"
        + "\n".join([*lines, last])
        + "\n"
    ),
    st.lists(statement, max_size=5),
    launch,
)
symbolic_scripts = st.builds(
    lambda assigned, values: "A=x B='a b'\n" + "".join(assigned) + 'vllm serve "' + '" "'.join(values) + '"\n',
    st.lists(st.builds("V{}={}\n".format, st.integers(0, 2), defaulted), max_size=3),
    st.lists(
        st.one_of(
            defaulted,
            st.builds("${}".format, outside),
            st.builds("${{V{}}}".format, st.integers(0, 2)),
            st.builds("pre-${{V{}}}".format, st.integers(0, 2)),
            st.builds("${{V{}{}}}".format, st.integers(0, 2), operators),
            st.builds("${{{}{}}}".format, outside, operators),
            st.builds("${{V{}:+--f $A}}".format, st.integers(0, 2)),
            st.builds("${{V{}:-d}}".format, st.integers(0, 2)),
            st.builds("${{#V{}}}".format, st.integers(0, 2)),
            st.builds("$(basename '/'${{V{}}})".format, st.integers(0, 2)),
            st.builds("${{{}:+on}}".format, outside),
        ),
        min_size=1,
        max_size=4,
    ),
)
