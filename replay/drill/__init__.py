"""Drills: malformed calls in place of recorded ones, and what the application does with them."""
