"""The live door: the mitmproxy addon, upstream routing, the stream tee, and running the proxy."""
