from typing import Any, Dict, Iterable, Sequence, Tuple, Union

Row = Union[Sequence[float], Dict[Any, float]]

def check_learner(learner: Any, examples: Iterable[Tuple[Row, Any]], copies: int = ..., reuse: bool = ...) -> None: ...
