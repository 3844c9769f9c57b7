from os import PathLike
from typing import Any, List, Optional, Sequence, Type, TypeVar, Union

from sotto._online import OnlineModel, Schema

Self = TypeVar("Self", bound="PopModel")

class PopModel(OnlineModel):
    @classmethod
    def load(cls: Type[Self], path: Union[str, bytes, "PathLike[str]"], *, schema: Optional[Schema] = ...,
             columns: Optional[List[str]] = ..., classes: Optional[Sequence[Any]] = ...,
             learner: Any = ...) -> Self: ...
