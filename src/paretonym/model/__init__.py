"""Frozen types shared by all rooms; no input or output happens here."""
