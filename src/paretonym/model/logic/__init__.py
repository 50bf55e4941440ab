"""Sentences of confidentiality: read, compiled to conditions on values, judged of a row."""
