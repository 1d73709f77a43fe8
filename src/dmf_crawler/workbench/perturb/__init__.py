"""The catalogue of breakage: ways in which what was read is not what the site really says.

Each is a value (`breakage.py`): applied to the rows of a real list as they were read, or to the
bytes of its pages, which are then really read. `catalogue.py` has them all.
"""
