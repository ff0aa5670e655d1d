"""Reads a release's flags and environment variables out of its own wheel; see tools/catalogue.py."""
