"""Step 7: write a release, recompute it from the written file, and verify it again later.

This room shares no code with the engine, so that it can catch the engine's mistakes.
"""

from paretonym.publishing.atomic import refuse_same_path
from paretonym.publishing.checker import Check, Description, Recomputed, check, recompute
from paretonym.publishing.manifest import InternalManifest, PublicManifest
from paretonym.publishing.publish import Publication, ReleaseRequest, publish
from paretonym.publishing.source_check import SourceResult, check_source
from paretonym.publishing.verify import Verification, verify
from paretonym.publishing.writers import WrittenFacts, write_data

__all__ = [
    "Check",
    "Description",
    "InternalManifest",
    "PublicManifest",
    "Publication",
    "Recomputed",
    "ReleaseRequest",
    "SourceResult",
    "Verification",
    "WrittenFacts",
    "check",
    "check_source",
    "publish",
    "recompute",
    "refuse_same_path",
    "verify",
    "write_data",
]
