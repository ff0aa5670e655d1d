"""Named conversions between an engine's spelling of a setting and the canonical one.

A reader turns arguments into a canonical value, a writer a canonical value into arguments. Rows
name them; each module holds one area's. Formulas carry their source in the docstring.
"""

from __future__ import annotations

from portkit.conversions.registry import READERS, WRITERS, reader, writer

__all__ = ["READERS", "WRITERS", "load_all", "reader", "writer"]


def load_all() -> None:
    """Import every area's module, so that its conversions are registered."""
    from portkit.conversions import (  # noqa: F401
        attention,
        communication,
        cuda_graphs,
        generic,
        memory,
        model,
        multimodal,
        observability,
        parallelism,
        scheduling,
        server,
        serving,
        speculation,
        variables,
    )
