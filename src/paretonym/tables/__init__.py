"""Opens tables of any supported kind and answers a few questions about them.

The only room that talks to data engines.
"""

from paretonym.tables.opening import csv_form
from paretonym.tables.table import Table, open_table

__all__ = ["Table", "csv_form", "open_table"]
