"""The command line: options in, reports out, exit codes; everything else is imported when used."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from portkit import __version__
from portkit.errors import PortkitError

if TYPE_CHECKING:
    from portkit.pipeline import Loaded, Request
    from portkit.report.findings import Checked

app = typer.Typer(
    name="portkit",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    help="What a tuned SGLang launch has that a vLLM one lacks, and the launch script that carries it over.",
)

TROUBLE = 2

Script = Annotated[str, typer.Argument(help="A launch script, or - for standard input.", show_default=False)]
Gpu = Annotated[str | None, typer.Option("--gpu", help="GPU and count, as in a6000x2 or h100:8.")]
ModelConfig = Annotated[str | None, typer.Option("--model-config", help="The model's config.json.")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A variable the script takes from outside."),
]
Everything = Annotated[bool, typer.Option("--all", help="Also what agrees and what needs nothing.")]


@app.callback(invoke_without_command=True)
def _top(
    version: Annotated[bool, typer.Option("--version", help="Print the version and the known releases.")] = False,
) -> None:
    if version:
        from portkit.catalogue.load import known_releases

        typer.echo(f"portkit {__version__}")
        for engine in ("sglang", "vllm"):
            typer.echo(f"{engine}: {', '.join(map(str, known_releases(engine)))}")
        raise typer.Exit


@app.command()
def diff(
    a: Script,
    b: Script,
    from_: Annotated[
        list[str] | None,
        typer.Option("--from", help="Engine and release of a launch, A's first if both are of one engine."),
    ] = None,
    launch: Annotated[
        list[str] | None, typer.Option("--launch", help="Which launch of A, and given again of B.")
    ] = None,
    gpu: Gpu = None,
    model_config: ModelConfig = None,
    set_: Settings = None,
    everything: Everything = False,
    format_: Annotated[str, typer.Option("--format", help="table or json.")] = "table",
) -> None:
    """What differs between two launches, and what B lacks.

    Exits with 0 when nothing that matters differs, 1 when something does, 2 on trouble.
    """
    from portkit.diffing.compare import compare
    from portkit.pipeline import load_deployment

    _one_of("--format", format_, ("table", "json"))
    named, launches, settings = _two("--from", from_), _two("--launch", launch), _pairs(set_)
    releases = [tuple(filter(None, named)), tuple(filter(None, reversed(named)))]
    left, right = (
        load_deployment(_request(path, release, which, gpu, model_config, settings))
        for path, release, which in zip((a, b), releases, launches, strict=True)
    )
    _refuse_unused(named, {left.launch.engine, right.launch.engine})
    comparison = compare(left.deployment, right.deployment, left.resolution.catalogue, right.resolution.catalogue)
    if format_ == "json":
        import json

        from portkit.report.document import comparison_document

        typer.echo(json.dumps(comparison_document(comparison), indent=2, ensure_ascii=False))
    else:
        from portkit.report.console import console
        from portkit.report.difference import print_comparison

        out = console()
        for name, loaded in (("A", left), ("B", right)):
            out.print(f"{name}: {loaded.launch.source.name}, {loaded.remarks[0]}")
            for remark in loaded.remarks[1:]:
                out.print(f"   {remark}")
        out.print()
        print_comparison(comparison, out, everything=everything)
    raise typer.Exit(1 if comparison.differs else 0)


@app.command()
def port(
    script: Script,
    to: Annotated[str, typer.Option("--to", help="Engine and release to write for: vllm, vllm@0.20.1.")],
    from_: Annotated[str | None, typer.Option("--from", help="Engine and release of the script.")] = None,
    launch: Annotated[str | None, typer.Option("--launch", help="Which launch, by number or name.")] = None,
    gpu: Gpu = None,
    model_config: ModelConfig = None,
    set_: Settings = None,
    graphs: Annotated[
        str,
        typer.Option("--graphs", help="cover: never less than the target's default; exact: the source's limits alone."),
    ] = "cover",
    force: Annotated[
        list[str] | None,
        typer.Option("--force", metavar="SETTING", help="Carry a setting although it is unsafe on the target."),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 where an optimisation is lost.")] = False,
    everything: Everything = False,
) -> None:
    """Write the launch script for another engine; the account of every setting goes to stderr."""
    from portkit.conversions.writing import PortOptions
    from portkit.pipeline import load_deployment
    from portkit.porting.port import left_behind
    from portkit.porting.port import port as carry_over
    from portkit.porting.render import render_script
    from portkit.releases import choose_target
    from portkit.report.account import print_account
    from portkit.report.console import console

    _one_of("--graphs", graphs, ("cover", "exact"))
    target = choose_target(to)
    loaded = load_deployment(_request(script, from_, launch, gpu, model_config, _pairs(set_)))
    _refuse_nothing_to_do(loaded, target.catalogue.engine, str(target.catalogue.release))
    options = PortOptions(graphs_exact=graphs == "exact", force=_known_settings(force))
    result = carry_over(loaded.deployment, target.catalogue, options)
    text = render_script(result, loaded.launch)
    typer.echo(text, nl=False)
    err = console(stderr=True)
    err.print(f"{loaded.launch.source.name}: {loaded.remarks[0]}")
    for remark in loaded.remarks[1:]:
        err.print(f"  {remark}")
    err.print(f"ported to {target.catalogue.engine} {target.catalogue.release} ({target.reason})\n")
    print_account(result, err, everything=everything)
    if strict and left_behind(result):
        raise typer.Exit(1)


@app.command()
def show(
    script: Script,
    from_: Annotated[str | None, typer.Option("--from", help="Engine and release of the script.")] = None,
    launch: Annotated[str | None, typer.Option("--launch", help="Which launch, by number or name.")] = None,
    gpu: Gpu = None,
    model_config: ModelConfig = None,
    set_: Settings = None,
    format_: Annotated[str, typer.Option("--format", help="yaml or json.")] = "yaml",
) -> None:
    """The canonical document of a launch: every setting, its unit, and where its value comes from."""
    from portkit.pipeline import load_deployment
    from portkit.report.document import deployment_document

    _one_of("--format", format_, ("yaml", "json"))
    loaded = load_deployment(_request(script, from_, launch, gpu, model_config, _pairs(set_)))
    document = deployment_document(loaded.deployment)
    if format_ == "json":
        import json

        typer.echo(json.dumps(document, indent=2, ensure_ascii=False))
        return
    from ruamel.yaml import YAML

    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = False
    yaml.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
    yaml.dump(document, sys.stdout)


@app.command()
def check(
    script: Script,
    from_: Annotated[str | None, typer.Option("--from", help="Engine and release of the script.")] = None,
    launch: Annotated[str | None, typer.Option("--launch", help="Only this launch, by number or name.")] = None,
    gpu: Gpu = None,
    model_config: ModelConfig = None,
    set_: Settings = None,
    format_: Annotated[str, typer.Option("--format", help="table, json, github or sarif.")] = "table",
) -> None:
    """What is wrong with each launch on its release: flags, values, keys, variables, combinations.

    Exits with 0 when nothing is worse than a note, 1 when something is, 2 on trouble.
    """
    from portkit.checking.check import check as find
    from portkit.pipeline import label, load_resolutions
    from portkit.report.findings import Checked, failing

    _one_of("--format", format_, ("table", "json", "github", "sarif"))
    checked = [
        Checked(
            label(one.launch),
            one.launch.engine,
            str(one.resolution.catalogue.release),
            one.reason,
            tuple(find(one.resolution, one.facts)),
        )
        for one in load_resolutions(_request(script, from_, launch, gpu, model_config, _pairs(set_)))
    ]
    _show_findings(checked, format_)
    raise typer.Exit(1 if failing(checked) else 0)


def _show_findings(checked: list[Checked], format_: str) -> None:
    import json

    from portkit.report import findings

    if format_ == "table":
        from portkit.report.console import console

        findings.print_findings(checked, console())
    elif format_ == "github":
        for line in findings.github_lines(checked):
            typer.echo(line)
    else:
        document = findings.sarif_document if format_ == "sarif" else findings.findings_document
        typer.echo(json.dumps(document(checked), indent=2, ensure_ascii=False))


@app.command()
def releases(
    script: Annotated[str | None, typer.Argument(help="A launch script; left out, only what is known.")] = None,
    launch: Annotated[str | None, typer.Option("--launch", help="Which launch, by number or name.")] = None,
    set_: Settings = None,
) -> None:
    """The releases portkit knows; with a script, which accept it, which it is read by, and why."""
    from portkit.catalogue.load import known_releases
    from portkit.releases import accepting, choose_release

    if script is None:
        for engine in ("sglang", "vllm"):
            typer.echo(f"{engine}: {', '.join(map(str, known_releases(engine)))}")
        return
    from portkit.frontends.shell import read_script
    from portkit.pipeline import pick, read_source, reader_beside

    chosen, remark = pick(read_script(read_source(script), _pairs(set_)), launch)
    taken = choose_release(chosen, None, reader_beside(chosen.source.name))
    if remark:
        typer.echo(remark)
    typer.echo(f"{script} is read as {chosen.engine} {taken.catalogue.release}: {taken.reason}")
    for first, last, refusal in accepting(chosen):
        named = f"{first} to {last}" if first != last else str(first)
        typer.echo(f"{chosen.engine} {named}: {f'refuses it: {refusal}' if refusal else 'accepts it'}")


@app.command(context_settings={"ignore_unknown_options": True})
def explain(
    name: Annotated[
        str,
        typer.Argument(help="A flag, a key (speculative-config.method), a variable or a setting (cuda_graphs.mode)."),
    ],
    engine: Annotated[str | None, typer.Option("--engine", help="sglang or vllm; left out, both.")] = None,
    format_: Annotated[str, typer.Option("--format", help="text or json.")] = "text",
) -> None:
    """What is known of a flag, a key, a variable or a setting, in every release of both engines."""
    from portkit.explaining.explanation import explain as explain_name
    from portkit.explaining.subject import ENGINES

    _one_of("--format", format_, ("text", "json"))
    if engine is not None:
        _one_of("--engine", engine, ENGINES)
    explanation = explain_name(name, [known for known in ENGINES if engine in (None, known)])
    if format_ == "json":
        import json

        from portkit.report.explanation_document import explanation_document

        typer.echo(json.dumps(explanation_document(explanation), indent=2, ensure_ascii=False))
        return
    from portkit.report.console import console
    from portkit.report.explanation import print_explanation

    print_explanation(explanation, console())


def _request(
    path: str,
    release: str | tuple[str, ...] | None,
    launch: str | None,
    gpu: str | None,
    model_config: str | None,
    settings: dict[str, str],
) -> Request:
    from portkit.pipeline import Request

    return Request(path, release, launch, gpu, model_config, settings)


def _two(option: str, values: list[str] | None) -> list[str | None]:
    values = values or []
    if len(values) > 2:
        raise PortkitError(f"{option} is given {len(values)} times", hint="once for A, once for B")
    return [*values, *[None] * (2 - len(values))]


def _refuse_unused(named: list[str | None], engines: set[str]) -> None:
    from portkit.catalogue.load import find
    from portkit.releases import split_engine

    for text in filter(None, named):
        engine = split_engine(text)[0]
        if engine not in engines:
            find(engine, "latest")
            raise PortkitError(f"--from {text}: neither launch is of {engine}", hint="name the engine of one of them")


def _pairs(settings: list[str] | None) -> dict[str, str]:
    pairs = {}
    for item in settings or []:
        name, separator, value = item.partition("=")
        if not separator or not name.isidentifier():
            raise PortkitError(f"--set {item} is not NAME=VALUE", hint="for example --set TP=8")
        pairs[name] = value
    return pairs


def _one_of(option: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise PortkitError(f"{option} {value}: no such choice", hint="choose from " + ", ".join(choices))


def _known_settings(names: list[str] | None) -> frozenset[str]:
    import difflib

    from portkit.mapping.load import rows
    from portkit.mapping.rows import AREAS

    known = [*rows(), *(area for area, _ in AREAS)]
    for name in names or []:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=3)
            hint = "did you mean " + " or ".join(near) + "?" if near else "name a setting as `portkit show` does"
            raise PortkitError(f"--force {name}: no such setting", hint=hint)
    return frozenset(names or [])


def _refuse_nothing_to_do(loaded: Loaded, engine: str, release: str) -> None:
    deployment = loaded.deployment
    if (deployment.engine, deployment.release) == (engine, release):
        raise PortkitError(
            f"{loaded.launch.source.name} is a launch of {engine} {release} already: nothing to port",
            hint="name another engine or release with --to, or the script's own with --from",
        )


def main() -> NoReturn:
    """Run the command line; trouble is one message on stderr and exit code 2."""
    try:
        app(standalone_mode=True)
    except PortkitError as error:
        sys.stderr.write(f"portkit: error: {error}\n")
        sys.exit(TROUBLE)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(TROUBLE)
    sys.exit(0)
