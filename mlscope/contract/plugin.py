"""The plugin of pytest: `--mlscope-package NAME` adds the contract to what is run.

Every pytest of the environment loads this file, so it imports nothing before it is asked.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

OPTION, REASONS = "--mlscope-package", "mlscope_exceptions"
HERE = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option, and the setting for promises that are not kept."""
    says = "also run the contract of MLScope for what this installed package adds"
    parser.getgroup("mlscope").addoption(OPTION, metavar="NAME", default="", help=says)
    says = "promises that are not kept, a line each: check:slot.name = why"
    parser.addini(REASONS, says, type="linelist", default=[])


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Add the contract to the files that are collected."""
    if not config.getoption(OPTION):
        return
    for name in ("subjects", "components", "methods", "verbs"):
        pytest.register_assert_rewrite(f"mlscope.contract.{name}")
    from mlcore.spine.threads import thread_settings
    from mlscope.__main__ import DASHBOARD

    if "numpy" not in sys.modules:
        os.environ.update(thread_settings(1))  # the last bits depend on the number of threads
    sys.path.append(str(DASHBOARD))  # where views of others find ours
    config.args.append(str(HERE / "test_package.py"))
