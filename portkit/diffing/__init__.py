"""What differs between two deployments, and what the second lacks."""
