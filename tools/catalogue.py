#!/usr/bin/env python
"""Makes and checks the catalogues in mappings/releases/, from the engines' released wheels.

    python tools/catalogue.py add vllm 0.34.0           write one release's catalogue, print what changed
    python tools/catalogue.py add vllm                  the same for all newer releases on the index
    python tools/catalogue.py changes vllm 0.11.2 0.12.0   what changed between two catalogued releases
    python tools/catalogue.py ranges --write            begin and end the rows' releases as the catalogues say
    python tools/catalogue.py extract sglang 0.5.23     only write mappings/releases/sglang/0.5.23.json
    python tools/catalogue.py compare sglang 0.5.23     read the syntax trees: the same flags?
    python tools/catalogue.py compare                   the same for every committed release
    python tools/catalogue.py verify                    extract all releases again: the same files?
    python tools/catalogue.py verify sglang@0.5.23 ...  only those

Setup: Python 3.11, portkit installed, and `pip install -r tools/requirements-catalogue.txt`. No
torch, no GPU and no engine: a wheel is downloaded with pip, unzipped and never installed. Its
sources stay in the folder given by --cache or $PORTKIT_WHEELS (default: ~/.cache/portkit/wheels):
2 GB for all releases.

How it works: third-party imports are answered by stubs, then the engine's own function builds its
own parser, and the parser is walked. What differs between releases is in catalogues/eras.py: look
there first when a new release doesn't read.
"""

from __future__ import annotations

import sys

from catalogues.commands import main

if __name__ == "__main__":
    sys.exit(main(__doc__))
