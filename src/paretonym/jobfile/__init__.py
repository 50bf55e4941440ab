"""The job file: YAML read into a Job, faults told with their line, edits that keep the rest."""
