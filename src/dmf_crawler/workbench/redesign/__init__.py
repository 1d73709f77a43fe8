"""What sites do to their pages: each kind of redesign as one pure function on a saved list page.

Nothing here imports a stage or the pipeline: what is true of a page is decided by the rehearsal
site that wrote it, never by the reader that must get it right.
"""
