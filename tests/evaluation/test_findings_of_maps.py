"""What is not worth a look after a map: its units are no groups."""

from __future__ import annotations

from mlcore.clustering.som import SelfOrganisingMap
from mlcore.data.dataset import TableData
from mlcore.data.sources import Bundled
from mlcore.runs.carry import carried_out
from mlcore.runs.findings import findings
from mlcore.runs.run import Run


def test_units_of_a_map_are_no_groups_that_could_lie_apart():
    run = Run(data=TableData(source=Bundled(name="wine")), method=SelfOrganisingMap())
    told = {finding.name for finding in findings(carried_out(run), run.data.dataset({}))}
    assert not told & {"one_cluster", "much_noise", "no_structure"}
