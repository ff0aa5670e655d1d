"""Verdicts as text: tables for people, documents for programs."""
