"""Values to codes: dictionaries, hierarchies, the encoded histogram."""

from paretonym.encode.encoding import encode, observed_values
from paretonym.encode.histogram import CountColumn, Histogram

__all__ = ["CountColumn", "Histogram", "encode", "observed_values"]
