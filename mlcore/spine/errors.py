"""Errors that are sentences for the user: who, what must hold, what came, what to do."""

from __future__ import annotations


class MlcoreError(ValueError):
    """Anything that the user can put right; its text is shown as it is."""


class ParamError(MlcoreError):
    """A hyper-parameter, a link or a saved run does not say something valid."""


class DataError(MlcoreError):
    """The data do not allow what was asked of them."""


class FileError(MlcoreError):
    """A file is not of the format that it was read as."""
