"""Release tables of personal records: every trade-off, and proof of what was written."""

__version__ = "0.1.0"
