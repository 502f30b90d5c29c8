# Any: pyright would read the sources of a peer (docs/decisions/0547).
from typing import Any

def __getattr__(name: str) -> Any: ...
