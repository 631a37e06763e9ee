"""The offline door: answering recorded requests over HTTP. Nothing here opens an upstream connection."""
