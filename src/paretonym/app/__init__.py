"""Pipelines: from a job file to a front, a score, a release."""
