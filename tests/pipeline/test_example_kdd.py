"""The Census-Income example, where its table is at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from paretonym.jobfile.loading import load_job, parse_job
from paretonym.jobfile.yaml import read_yaml
from paretonym.model.schema import Role
from paretonym.pipeline.open_job import open_job

EXAMPLES = Path(__file__).parents[2] / "examples"
TABLE = Path(__file__).parents[3] / "shared" / "data" / "kdd_census_income" / "train.csv.gz"


def test_every_column_of_the_example_has_a_name_and_a_role():
    job = load_job(EXAMPLES / "kdd.yaml")
    assert job.source.names is not None
    assert len(job.source.names) == 42
    assert {column.name for column in job.columns} == set(job.source.names)
    assert len(job.quasi) == 14


@pytest.mark.skipif(not TABLE.is_file(), reason="the shared table is not here")
def test_the_example_fits_its_table():
    data = read_yaml((EXAMPLES / "kdd.yaml").read_text(encoding="utf-8"), "kdd.yaml").data
    with open_job(parse_job(data, base=EXAMPLES, table=TABLE)) as opened:
        assert opened.histogram.rows == 199_523
        assert opened.histogram.combinations == 116_939
        assert opened.lattice.size == 22_394_880
        profiles = {profile.name: profile for profile in opened.table.profile(opened.schema.quasi)}
        for granulation in opened.lattice.granulations:
            profile = profiles[granulation.column]
            # no value is without a leaf and no leaf without a value
            assert len(granulation.leaves) == profile.distinct + bool(profile.missing)
            assert Role.QUASI in opened.schema[granulation.column].roles
        assert [name for name, profile in profiles.items() if profile.missing] == [
            "country_of_birth"
        ]
