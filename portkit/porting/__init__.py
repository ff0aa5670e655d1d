"""Carrying a deployment over to another engine or release."""
