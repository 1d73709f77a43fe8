"""dmf_crawler: what changed today in the Korean register of drug master files."""

__version__ = "0.1.0"
