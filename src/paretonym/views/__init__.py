"""What pages and one-file explorers draw, as plain data."""
