from typing import Any, Dict, Mapping, Optional, Sequence, Tuple, Union

Range = Tuple[float, float]

def schema(table: Any, *, ranges: Optional[Union[Range, Mapping[str, Range]]] = ..., label: Optional[str] = ...,
           classes: Optional[Sequence[Any]] = ..., label_range: Optional[Range] = ...,
           public: bool = ..., missing: Union[bool, Sequence[str]] = ...,
           other: Union[bool, Sequence[str]] = ...) -> Dict[str, Any]: ...
