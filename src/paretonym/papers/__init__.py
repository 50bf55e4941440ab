"""Everything behind `paretonym reproduce`: the papers' experiments made again, and their pages."""
