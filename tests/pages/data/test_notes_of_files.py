"""Every note on a file that has a press has words for its button on the Data page."""

from __future__ import annotations

import pytest

from mlcore.data.importing import read
from tests.data.importing import test_above, test_left_out, test_measures, test_unclosed
from ui.data.upload import _ways

FILES = {
    **{name: text for name, (text, *_) in test_unclosed.OPEN.items()},
    **{name: text for name, (text, *_) in test_above.NOTES.items()},
    "a second table": test_left_out.NAMES + test_left_out.rows(20) + "\nid,m\n1,2\n3,4\n5,6\n",
    "totals": f"name,n,x\n{test_left_out.SUMS}Total,210,52.5\n",
    "names again": test_left_out.NAMES + (test_left_out.rows(9) + test_left_out.NAMES) * 2,
    "open dates": "d,x\n01/02/2020,1\n03/04/2021,7\n",
    "words": "a,b\n"
    + "".join(f"{w},{i}\n" for i, w in enumerate(["NA", "UK", "uk", "refused"] * 5)),
    **{
        name: "k,v\n" + "".join(f"r{i},{write(i)}\n" for i in range(1, 21))
        for name, (write, _) in {**test_measures.NUMBERS, **test_measures.MIXED}.items()
    },
}


@pytest.mark.parametrize("name", FILES)
def test_a_press_has_words(name):
    notes = [note for note in read(FILES[name].encode()).report.notes if note.fix]
    labels = [label for note in notes for label in _ways(note).values()]
    assert all(label.strip() and "{" not in label for label in labels)
    assert len(labels) >= len(notes)
