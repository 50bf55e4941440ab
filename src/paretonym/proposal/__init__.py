"""A first job for a table that nobody has described: profile, roles, hierarchies, text."""
