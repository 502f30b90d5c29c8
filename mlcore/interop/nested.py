"""The settings of a component and of its parts, by names such as `method__kernel__gamma`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mlcore.spine.component import Component
from mlcore.spine.errors import ParamError
from mlcore.spine.params import params_of

SEPARATOR = "__"  # between a part and its setting, as scikit-learn has it


def settings_of(at: str, component: Component) -> dict[str, Any]:
    """Every setting of a component and of its parts, by its full name."""
    settings: dict[str, Any] = {}
    for name in params_of(type(component)):
        value = getattr(component, name)
        settings[f"{at}{SEPARATOR}{name}"] = value
        if isinstance(value, Component):
            settings |= settings_of(f"{at}{SEPARATOR}{name}", value)
    return settings


def rebuilt(component: Component, names: list[str], value: Any) -> Component:
    """The component with one setting, perhaps of a part, replaced.

    `names` lead to it, the last is its own. Raises ParamError for one that there is not.
    """
    name, *inner = names
    if name not in params_of(type(component)):
        known = ", ".join(params_of(type(component)))
        raise ParamError(f"Invalid parameter {name!r} of {component.title()}; it has {known}.")
    if inner:
        value = rebuilt(getattr(component, name), inner, value)
    return replace(component, **{name: value})
