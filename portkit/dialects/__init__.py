"""Between a resolved launch and the canonical document: rows do the work, in both directions."""
