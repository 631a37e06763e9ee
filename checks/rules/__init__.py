"""One rule a file; `checks.registry` lists them all."""
