"""The command line: commands by family, exit codes, and the one place that builds the real world.

Here alone is a general `except Exception`: a bug ends one board's run, is kept in the log with its
traceback, and the process still answers with an exit code and, where asked, one JSON object.
"""
