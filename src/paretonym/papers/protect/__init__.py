"""Group anonymity: the published protection and its evaluation."""
