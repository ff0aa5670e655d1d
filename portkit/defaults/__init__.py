"""What an engine decides when nobody says: small formulas, each with its source."""
