"""The report in its formats."""
