"""The command line of tools/catalogue.py."""

from __future__ import annotations

import argparse
import difflib
import importlib
import importlib.util
import logging
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

from packaging.version import Version

from catalogues import adding, form, ranges, static, static_names
from catalogues.eras import ENGINES
from catalogues.records import Record
from catalogues.wheels import RELEASES, Sources, fetch
from portkit.catalogue.load import load
from portkit.launch import EngineName

_HOME = "/home/user"


def main(description: str | None) -> int:
    """Run one command; the result is the exit status, 1 where something differs."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = os.environ.get("PORTKIT_WHEELS") or Path.home() / ".cache" / "portkit" / "wheels"
    parser.add_argument("--cache", type=Path, default=default, help="folder for wheels and their sources")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    add = commands.add_parser("add", help="extract a release and say what it changed")
    add.add_argument("engine", choices=sorted(ENGINES))
    add.add_argument("release", nargs="?", help="a release or `latest`; left out, every one newer than those here")
    add.set_defaults(run=lambda o: adding.add(o.engine, o.release, o.cache))
    changes = commands.add_parser("changes", help="what changed between two catalogued releases")
    changes.add_argument("engine", choices=sorted(ENGINES))
    changes.add_argument("old", type=Version)
    changes.add_argument("new", type=Version)
    changes.set_defaults(run=lambda o: adding.print_changes(o.engine, o.old, o.new))
    extract = commands.add_parser("extract", help="write one release's catalogue")
    extract.add_argument("engine", choices=sorted(ENGINES))
    extract.add_argument("release")
    extract.add_argument("--out", type=Path, default=RELEASES, help="folder of catalogues (default: the repository's)")
    extract.set_defaults(run=_extract)
    compare = commands.add_parser("compare", help="check the flags' names by a second reading")
    compare.add_argument("engine", nargs="?", choices=sorted(ENGINES))
    compare.add_argument("release", nargs="?")
    compare.add_argument("--record", action="store_true", help="write the names that the tests compare with")
    compare.set_defaults(run=_compare)
    verify = commands.add_parser("verify", help="extract again and compare with the files")
    verify.add_argument("releases", nargs="*", type=_pair, metavar="ENGINE@RELEASE")
    verify.set_defaults(run=_verify)
    stated = commands.add_parser("ranges", help="the releases that rows state, against the catalogues")
    stated.add_argument("--write", action="store_true", help="put the derived ones into mappings/*.yaml")
    stated.set_defaults(run=lambda o: ranges.check(write=o.write))
    options = parser.parse_args()
    options.cache = options.cache.resolve()
    return int(options.run(options))


def _committed() -> list[tuple[str, str]]:
    return sorted((path.parent.name, path.stem) for path in RELEASES.glob("*/*.json"))


def _extract(options: argparse.Namespace) -> int:
    sources = fetch(options.engine, options.release, options.cache)
    found, failed = _read_alone(options.engine, sources)
    document = {"engine": options.engine, "release": options.release, "wheel": sources.wheel, **found}
    path = options.out / options.engine / f"{options.release}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(form.text(document).replace(_HOME, "~"), encoding="utf-8")
    flags, variables = len(found["flags"]), len(found["variables"])
    print(f"{options.engine} {options.release}: {flags} flags, {variables} variables")
    for name, error in failed.items():
        print(f"  a stub stood in for {name}: {error.splitlines()[0]}")
    return 0


def _read_alone(engine: str, sources: Sources) -> tuple[Record, dict[str, str]]:
    """Run a reader in an environment that says nothing of this machine, and in silence."""
    missing = sorted(name for name in ENGINES[engine].real if importlib.util.find_spec(name) is None)
    if missing:
        raise SystemExit(f"not installed: {', '.join(missing)} (see tools/requirements-catalogue.txt)")
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    os.environ.clear()
    os.environ["HOME"] = _HOME
    reader = importlib.import_module(f"catalogues.{engine}")
    result: tuple[Record, dict[str, str]] = reader.read(sources)
    return result


def _compare(options: argparse.Namespace) -> int:
    wanted = [pair for pair in _committed() if options.engine in (None, pair[0])]
    if options.release:
        wanted = [(options.engine, options.release)]
    names = static_names.recorded()
    wrong = [_second_reading(engine, release, names, options) for engine, release in wanted]
    if options.record:
        static_names.record(names)
    return int(any(wrong))


def _second_reading(engine: EngineName, release: str, names: static_names.Names, options: argparse.Namespace) -> bool:
    """Read a release's names statically and say how the catalogue differs; True where it does.

    With --record the names go into `names`, else they must be there already.
    """
    read = static.read_names(engine, fetch(engine, release, options.cache).root)
    known = names.setdefault(engine, {})
    only_listed, only_read = static.differences(load(engine, Version(release)), read)
    found = [f"only in the catalogue: {name}" for name in only_listed]
    found += [f"only in the sources: {name}" for name in only_read]
    if options.record:
        known[release] = read
    elif known.get(release) != read:
        found.append(f"{static_names.NAMES.name} says otherwise: compare --record")
    print(f"{engine} {release}: {len(read)} names read from the sources")
    for line in found:
        print(f"  {line}")
    return bool(found)


def _verify(options: argparse.Namespace) -> int:
    wanted = options.releases or _committed()
    differences = [_changes(engine, release, options.cache) for engine, release in wanted]
    return int(any(differences))


def _changes(engine: str, release: str, cache: Path) -> bool:
    """Extract in a process of its own, since an engine's modules can't be unloaded, and print a diff.

    True where the files differ or the release can't be read.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, sys.argv[0], "--cache", str(cache)]
        if subprocess.run([*command, "extract", engine, release, "--out", folder]).returncode:
            return True
        paths = [root / engine / f"{release}.json" for root in (RELEASES, Path(folder))]
        committed, extracted = (path.read_text(encoding="utf-8").splitlines() for path in paths)
    changes = list(difflib.unified_diff(committed, extracted, "committed", "extracted", lineterm="", n=0))
    print("\n".join(changes) if changes else "  the committed file says the same")
    return bool(changes)


def _pair(text: str) -> tuple[str, str]:
    engine, at, release = text.partition("@")
    if not at or engine not in ENGINES:
        raise argparse.ArgumentTypeError(f"{text!r} isn't ENGINE@RELEASE")
    return engine, release
