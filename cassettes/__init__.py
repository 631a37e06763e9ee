"""What is kept: exchanges, the SQLite store, routes, the match form, redaction, events and transcripts.

The lowest floor: nothing here imports from the other folders, opens a socket or judges a request.
"""
