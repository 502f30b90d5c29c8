"""What a wheel holds beside its packages: the dashboard and the bundled data.

They are data of our two packages, so that no name as common as `ui` or `pages` lands among the
packages of whoever installs it (docs/decisions/0141-one-wheel.md).
"""

from pathlib import Path
from shutil import copy2, copytree, ignore_patterns

from setuptools import setup
from setuptools.command.build_py import build_py

DASHBOARD = ("app.py", ".streamlit", "pages", "ui", "figures", "service")
LEFT_OUT = ignore_patterns("__pycache__", "*.py[cod]", "*.nb[ic]", "build.py")


class WithData(build_py):
    """Also copies what the packages have beside them in the repository."""

    def run(self) -> None:
        """Copy it where the wheel is made, and leave an installation in place alone."""
        super().run()
        if self.editable_mode:
            return
        built = Path(self.build_lib)
        for name in DASHBOARD:
            _copy(Path(name), built / "mlscope" / "dashboard" / name)
        _copy(Path("sample_data"), built / "mlcore" / "sample_data")


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        copytree(source, target, ignore=LEFT_OUT, dirs_exist_ok=True)
    else:
        copy2(source, target)


setup(cmdclass={"build_py": WithData})
