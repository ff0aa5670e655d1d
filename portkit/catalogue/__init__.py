"""What each release of an engine accepts, and reading a command line by that release's own rules."""
