"""`python -m paretonym` is the same as the command `paretonym`."""

import os
import sys

# Python puts the working folder first, and a table's folder may hold a `json.py`: nothing that
# lies there is loaded here, so `os` must do
_first = sys.path[0]
if not sys.flags.safe_path and os.path.exists(_first) and os.path.samefile(_first, os.curdir):  # noqa: PTH110, PTH121
    del sys.path[0]

from paretonym.cli.main import main  # noqa: E402

main()
