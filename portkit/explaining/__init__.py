"""What is known of a flag, a key, a variable or a setting, over all catalogued releases."""
