"""The local copy of the site and the days it lives; an independent world on loopback.

Nothing here imports a stage or the pipeline: what the copy did is decided without the code that
must find it. README.md beside this file maps each known behaviour of the site to its switch.
"""
