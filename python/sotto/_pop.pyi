from os import PathLike
from typing import Any, List, Optional, Sequence, Tuple, Type, TypeVar, Union

from sotto._online import OnlineModel, Schema

Self = TypeVar("Self", bound="PopModel")

class PopModel(OnlineModel):
    @classmethod
    def load(cls: Type[Self], path: Union[str, bytes, "PathLike[str]"], *, schema: Optional[Schema] = ...,
             columns: Union[List[str], int, str, None] = ..., classes: Optional[Sequence[Any]] = ...,
             base_learner: Any = ..., learner: Any = ...) -> Self: ...
    def learner_faults(self) -> Tuple[int, str]: ...
