"""Values to codes: dictionaries, hierarchies, the encoded histogram."""

from paretonym.encode.encoding import build_granulations, encode, observed_values
from paretonym.encode.histogram import CountColumn, Histogram

__all__ = ["CountColumn", "Histogram", "build_granulations", "encode", "observed_values"]
