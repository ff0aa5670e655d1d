"""What is wrong with a launch on its own release."""
