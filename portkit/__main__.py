"""`python -m portkit`."""

from portkit.cli import main

main()
