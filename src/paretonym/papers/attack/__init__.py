"""Group anonymity: the published adversary on third-party data."""
