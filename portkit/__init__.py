"""portkit: what a tuned SGLang deployment has that a vLLM one lacks, and the launch script that carries it over."""

__version__ = "0.1.0"
