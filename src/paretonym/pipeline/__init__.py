"""From a job to a front, a score, a release; and the same pipelines as a Python interface."""
