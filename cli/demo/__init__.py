"""The demo: an agent, two broken ones, and the worked example they run on."""
