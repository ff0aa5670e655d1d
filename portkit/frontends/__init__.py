"""Texts to launches: one package for each form that people keep launches in."""
