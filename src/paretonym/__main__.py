"""`python -m paretonym` is the same as the command `paretonym`."""

from paretonym.cli.main import run

run()
