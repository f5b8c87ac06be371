# The extension; nobody but the package calls it.
from typing import Any

def __getattr__(name: str) -> Any: ...
