"""The explorer: a local web app over the same pipelines as the commands."""
