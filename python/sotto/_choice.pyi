from os import PathLike
from typing import Any, Dict, List, Optional, Sequence, Union

from sotto._online import OnlineModel, Schema
from sotto._words import Plan

def plan(schema: Optional[Schema] = ..., *, epsilon: float, **facts: Any) -> Plan: ...
def load(path: Union[str, bytes, "PathLike[str]"], *, schema: Optional[Schema] = ...,
         columns: Union[List[str], int, str, None] = ..., classes: Optional[Sequence[Any]] = ...,
         base_learner: Any = ..., learner: Any = ...) -> OnlineModel: ...
def show(published: Union[str, Dict[str, Any], None]) -> str: ...
