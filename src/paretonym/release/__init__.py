"""Step 7: write a release, recompute it from the written file, and verify it again later.

This room shares no code with the engine, so that it can catch the engine's mistakes.
"""

from paretonym.release.atomic import refuse_same_path
from paretonym.release.checker import Check, Description, Recomputed, check, recompute
from paretonym.release.manifest import InternalManifest, PublicManifest
from paretonym.release.publish import Publication, ReleaseRequest, publish
from paretonym.release.source_check import SourceResult, check_source
from paretonym.release.verify import Verification, verify
from paretonym.release.writers import WrittenFacts, write_data

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
