# Written by tools/python_stubs.py from the registry.
from typing import Any, Literal, Optional, Sequence, Tuple, Union

from sotto._batch import BatchModel
from sotto._online import OnlineModel, Schema
from sotto._pop import PopModel

__all__: list[str]

class Tide(OnlineModel):
    epsilon: float
    delta: float
    relation: Literal['replace', 'add-remove']
    rounds_per_user: int
    calibration: Literal['practical', 'paper']
    horizon: Optional[int]
    label_delay: int
    label_rate: float
    noise: Optional[float]
    anyway: bool
    pairs: Literal['auto', 'on', 'off']
    max_nonzeros: int
    clip: Optional[float]
    start_rows: Optional[int]
    batch: Optional[int]
    learning_rate: Optional[float]
    memory: Optional[int]
    public: bool
    compare: bool
    ticket_rounds: int
    label: Optional[str]
    labels: Optional[Union[str, Tuple[str, str]]]
    hash_bits: Optional[int]
    clamp: bool
    skip_bad: bool
    seed: Optional[int]
    schema: Optional[Schema]
    columns: Optional[list[str]]
    classes: Optional[Union[str, Sequence[Any]]]
    def __init__(self, *, epsilon: float, delta: float = ..., relation: Literal['replace', 'add-remove'] = ...,
                 rounds_per_user: int = ..., calibration: Literal['practical', 'paper'] = ...,
                 horizon: Optional[int] = ..., label_delay: int = ..., label_rate: float = ...,
                 noise: Optional[float] = ..., anyway: bool = ..., pairs: Literal['auto', 'on', 'off'] = ...,
                 max_nonzeros: int = ..., clip: Optional[float] = ..., start_rows: Optional[int] = ...,
                 batch: Optional[int] = ..., learning_rate: Optional[float] = ..., memory: Optional[int] = ...,
                 public: bool = ..., compare: bool = ..., ticket_rounds: int = ..., label: Optional[str] = ...,
                 labels: Optional[Union[str, Tuple[str, str]]] = ..., hash_bits: Optional[int] = ...,
                 clamp: bool = ..., skip_bad: bool = ..., seed: Optional[int] = ..., schema: Optional[Schema] = ...,
                 columns: Optional[list[str]] = ..., classes: Optional[Union[str, Sequence[Any]]] = ...) -> None: ...

class Leader(OnlineModel):
    epsilon: float
    delta: float
    relation: Literal['replace', 'add-remove']
    rounds_per_user: int
    calibration: Literal['practical', 'paper']
    horizon: Optional[int]
    label_delay: int
    label_rate: float
    noise: Optional[float]
    anyway: bool
    learner: Literal['threshold', 'interval', 'stump', 'tree', 'list', 'finite', 'auto']
    drift: Literal['none', 'auto']
    features: Optional[int]
    first_epoch: Optional[int]
    growth: Optional[float]
    range: str
    column: Optional[str]
    depth: Literal['auto', '1', '2', '3', '4']
    rules: int
    literals: int
    reward: str
    bonus: Optional[float]
    cap: Optional[int]
    shares: float
    cuts: int
    buckets: int
    class_: str
    public: bool
    compare: bool
    ticket_rounds: int
    label: Optional[str]
    labels: Optional[Union[str, Tuple[str, str]]]
    hash_bits: Optional[int]
    clamp: bool
    skip_bad: bool
    seed: Optional[int]
    schema: Optional[Schema]
    columns: Optional[list[str]]
    classes: Optional[Union[str, Sequence[Any]]]
    def __init__(self, *, epsilon: float, delta: float = ..., relation: Literal['replace', 'add-remove'] = ...,
                 rounds_per_user: int = ..., calibration: Literal['practical', 'paper'] = ...,
                 horizon: Optional[int] = ..., label_delay: int = ..., label_rate: float = ...,
                 noise: Optional[float] = ..., anyway: bool = ...,
                 learner: Literal['threshold', 'interval', 'stump', 'tree', 'list', 'finite', 'auto'] = ...,
                 drift: Literal['none', 'auto'] = ..., features: Optional[int] = ..., first_epoch: Optional[int] = ...,
                 growth: Optional[float] = ..., range: str = ..., column: Optional[str] = ...,
                 depth: Literal['auto', '1', '2', '3', '4'] = ..., rules: int = ..., literals: int = ...,
                 reward: str = ..., bonus: Optional[float] = ..., cap: Optional[int] = ..., shares: float = ...,
                 cuts: int = ..., buckets: int = ..., class_: str = ..., public: bool = ..., compare: bool = ...,
                 ticket_rounds: int = ..., label: Optional[str] = ...,
                 labels: Optional[Union[str, Tuple[str, str]]] = ..., hash_bits: Optional[int] = ...,
                 clamp: bool = ..., skip_bad: bool = ..., seed: Optional[int] = ..., schema: Optional[Schema] = ...,
                 columns: Optional[list[str]] = ..., classes: Optional[Union[str, Sequence[Any]]] = ...) -> None: ...

class Pop(PopModel):
    epsilon: float
    delta: float
    relation: Literal['replace', 'add-remove']
    rounds_per_user: int
    calibration: Literal['practical', 'paper']
    horizon: Optional[int]
    label_delay: int
    label_rate: float
    noise: Optional[float]
    anyway: bool
    learner: Any
    variant: Literal['practical', 'paper']
    hand_over: Literal['standby', 'restart', 'halt']
    pin_users: bool
    agnostic: int
    threads: int
    optimise: Literal['expected', 'bound']
    drift: int
    complexity: Optional[float]
    mistake_bound: Optional[float]
    copies: Optional[int]
    noise_scale: Optional[float]
    gap: Optional[int]
    reports: Optional[int]
    stopper: Optional[float]
    active_share: Optional[float]
    public: bool
    compare: bool
    ticket_rounds: int
    label: Optional[str]
    labels: Optional[Union[str, Tuple[str, str]]]
    hash_bits: Optional[int]
    clamp: bool
    skip_bad: bool
    seed: Optional[int]
    schema: Optional[Schema]
    columns: Optional[list[str]]
    classes: Optional[Union[str, Sequence[Any]]]
    reuse: Optional[bool]
    def __init__(self, *, epsilon: float, delta: float = ..., relation: Literal['replace', 'add-remove'] = ...,
                 rounds_per_user: int = ..., calibration: Literal['practical', 'paper'] = ...,
                 horizon: Optional[int] = ..., label_delay: int = ..., label_rate: float = ...,
                 noise: Optional[float] = ..., anyway: bool = ..., learner: Any = ...,
                 variant: Literal['practical', 'paper'] = ..., hand_over: Literal['standby', 'restart', 'halt'] = ...,
                 pin_users: bool = ..., agnostic: int = ..., threads: int = ...,
                 optimise: Literal['expected', 'bound'] = ..., drift: int = ..., complexity: Optional[float] = ...,
                 mistake_bound: Optional[float] = ..., copies: Optional[int] = ..., noise_scale: Optional[float] = ...,
                 gap: Optional[int] = ..., reports: Optional[int] = ..., stopper: Optional[float] = ...,
                 active_share: Optional[float] = ..., public: bool = ..., compare: bool = ...,
                 ticket_rounds: int = ..., label: Optional[str] = ...,
                 labels: Optional[Union[str, Tuple[str, str]]] = ..., hash_bits: Optional[int] = ...,
                 clamp: bool = ..., skip_bad: bool = ..., seed: Optional[int] = ..., schema: Optional[Schema] = ...,
                 columns: Optional[list[str]] = ..., classes: Optional[Union[str, Sequence[Any]]] = ...,
                 reuse: Optional[bool] = ...) -> None: ...

class Winnow(OnlineModel):
    epsilon: float
    delta: float
    relation: Literal['replace', 'add-remove']
    rounds_per_user: int
    calibration: Literal['practical', 'paper']
    horizon: Optional[int]
    label_delay: int
    label_rate: float
    noise: Optional[float]
    anyway: bool
    margin: Optional[float]
    features: Optional[int]
    nonnegative: bool
    bias: bool
    max_norm: Optional[float]
    max_nonzeros: Optional[int]
    clip: bool
    aim: Literal['practical', 'proven']
    failure: float
    confidence: Optional[float]
    batch: Optional[int]
    learning_rate: Optional[float]
    published: Optional[int]
    public: bool
    compare: bool
    ticket_rounds: int
    label: Optional[str]
    labels: Optional[Union[str, Tuple[str, str]]]
    hash_bits: Optional[int]
    clamp: bool
    skip_bad: bool
    seed: Optional[int]
    schema: Optional[Schema]
    columns: Optional[list[str]]
    classes: Optional[Union[str, Sequence[Any]]]
    def __init__(self, *, epsilon: float, delta: float = ..., relation: Literal['replace', 'add-remove'] = ...,
                 rounds_per_user: int = ..., calibration: Literal['practical', 'paper'] = ...,
                 horizon: Optional[int] = ..., label_delay: int = ..., label_rate: float = ...,
                 noise: Optional[float] = ..., anyway: bool = ..., margin: Optional[float] = ...,
                 features: Optional[int] = ..., nonnegative: bool = ..., bias: bool = ...,
                 max_norm: Optional[float] = ..., max_nonzeros: Optional[int] = ..., clip: bool = ...,
                 aim: Literal['practical', 'proven'] = ..., failure: float = ..., confidence: Optional[float] = ...,
                 batch: Optional[int] = ..., learning_rate: Optional[float] = ..., published: Optional[int] = ...,
                 public: bool = ..., compare: bool = ..., ticket_rounds: int = ..., label: Optional[str] = ...,
                 labels: Optional[Union[str, Tuple[str, str]]] = ..., hash_bits: Optional[int] = ...,
                 clamp: bool = ..., skip_bad: bool = ..., seed: Optional[int] = ..., schema: Optional[Schema] = ...,
                 columns: Optional[list[str]] = ..., classes: Optional[Union[str, Sequence[Any]]] = ...) -> None: ...

class Points(OnlineModel):
    epsilon: float
    delta: float
    relation: Literal['replace', 'add-remove']
    rounds_per_user: int
    calibration: Literal['practical', 'paper']
    horizon: Optional[int]
    label_delay: int
    label_rate: float
    noise: Optional[float]
    anyway: bool
    patience: Optional[int]
    features: Optional[int]
    points: int
    share: float
    public: bool
    compare: bool
    ticket_rounds: int
    label: Optional[str]
    labels: Optional[Union[str, Tuple[str, str]]]
    hash_bits: Optional[int]
    clamp: bool
    skip_bad: bool
    seed: Optional[int]
    schema: Optional[Schema]
    columns: Optional[list[str]]
    classes: Optional[Union[str, Sequence[Any]]]
    def __init__(self, *, epsilon: float, delta: float = ..., relation: Literal['replace', 'add-remove'] = ...,
                 rounds_per_user: int = ..., calibration: Literal['practical', 'paper'] = ...,
                 horizon: Optional[int] = ..., label_delay: int = ..., label_rate: float = ...,
                 noise: Optional[float] = ..., anyway: bool = ..., patience: Optional[int] = ...,
                 features: Optional[int] = ..., points: int = ..., share: float = ..., public: bool = ...,
                 compare: bool = ..., ticket_rounds: int = ..., label: Optional[str] = ...,
                 labels: Optional[Union[str, Tuple[str, str]]] = ..., hash_bits: Optional[int] = ...,
                 clamp: bool = ..., skip_bad: bool = ..., seed: Optional[int] = ..., schema: Optional[Schema] = ...,
                 columns: Optional[list[str]] = ..., classes: Optional[Union[str, Sequence[Any]]] = ...) -> None: ...

class Rectangles(OnlineModel):
    epsilon: float
    delta: float
    relation: Literal['replace', 'add-remove']
    rounds_per_user: int
    calibration: Literal['practical', 'paper']
    horizon: Optional[int]
    label_delay: int
    label_rate: float
    noise: Optional[float]
    anyway: bool
    features: Optional[int]
    error: float
    honest_fraction: float
    training_rows: Optional[int]
    public: bool
    compare: bool
    ticket_rounds: int
    label: Optional[str]
    labels: Optional[Union[str, Tuple[str, str]]]
    hash_bits: Optional[int]
    clamp: bool
    skip_bad: bool
    seed: Optional[int]
    schema: Optional[Schema]
    columns: Optional[list[str]]
    classes: Optional[Union[str, Sequence[Any]]]
    def __init__(self, *, epsilon: float, delta: float = ..., relation: Literal['replace', 'add-remove'] = ...,
                 rounds_per_user: int = ..., calibration: Literal['practical', 'paper'] = ...,
                 horizon: Optional[int] = ..., label_delay: int = ..., label_rate: float = ...,
                 noise: Optional[float] = ..., anyway: bool = ..., features: Optional[int] = ..., error: float = ...,
                 honest_fraction: float = ..., training_rows: Optional[int] = ..., public: bool = ...,
                 compare: bool = ..., ticket_rounds: int = ..., label: Optional[str] = ...,
                 labels: Optional[Union[str, Tuple[str, str]]] = ..., hash_bits: Optional[int] = ...,
                 clamp: bool = ..., skip_bad: bool = ..., seed: Optional[int] = ..., schema: Optional[Schema] = ...,
                 columns: Optional[list[str]] = ..., classes: Optional[Union[str, Sequence[Any]]] = ...) -> None: ...

class Stumps(OnlineModel):
    epsilon: float
    delta: float
    relation: Literal['replace', 'add-remove']
    rounds_per_user: int
    calibration: Literal['practical', 'paper']
    horizon: Optional[int]
    label_delay: int
    label_rate: float
    noise: Optional[float]
    anyway: bool
    features: Optional[int]
    error: float
    honest_fraction: float
    training_rows: Optional[int]
    public: bool
    compare: bool
    ticket_rounds: int
    label: Optional[str]
    labels: Optional[Union[str, Tuple[str, str]]]
    hash_bits: Optional[int]
    clamp: bool
    skip_bad: bool
    seed: Optional[int]
    schema: Optional[Schema]
    columns: Optional[list[str]]
    classes: Optional[Union[str, Sequence[Any]]]
    def __init__(self, *, epsilon: float, delta: float = ..., relation: Literal['replace', 'add-remove'] = ...,
                 rounds_per_user: int = ..., calibration: Literal['practical', 'paper'] = ...,
                 horizon: Optional[int] = ..., label_delay: int = ..., label_rate: float = ...,
                 noise: Optional[float] = ..., anyway: bool = ..., features: Optional[int] = ..., error: float = ...,
                 honest_fraction: float = ..., training_rows: Optional[int] = ..., public: bool = ...,
                 compare: bool = ..., ticket_rounds: int = ..., label: Optional[str] = ...,
                 labels: Optional[Union[str, Tuple[str, str]]] = ..., hash_bits: Optional[int] = ...,
                 clamp: bool = ..., skip_bad: bool = ..., seed: Optional[int] = ..., schema: Optional[Schema] = ...,
                 columns: Optional[list[str]] = ..., classes: Optional[Union[str, Sequence[Any]]] = ...) -> None: ...

class Everlasting(OnlineModel):
    epsilon: float
    delta: float
    relation: Literal['replace', 'add-remove']
    rounds_per_user: int
    calibration: Literal['practical', 'paper']
    horizon: Optional[int]
    label_delay: int
    label_rate: float
    noise: Optional[float]
    anyway: bool
    learner: str
    honest_fraction: float
    delta_schedule: Literal['everlasting', 'constant']
    threads: int
    training_rows: Optional[int]
    error: float
    complexity: Optional[float]
    teachers: Optional[int]
    band: Optional[float]
    reports: Optional[int]
    phase_rounds: Optional[int]
    growth: float
    stopper: Optional[float]
    public: bool
    compare: bool
    ticket_rounds: int
    label: Optional[str]
    labels: Optional[Union[str, Tuple[str, str]]]
    hash_bits: Optional[int]
    clamp: bool
    skip_bad: bool
    seed: Optional[int]
    schema: Optional[Schema]
    columns: Optional[list[str]]
    classes: Optional[Union[str, Sequence[Any]]]
    def __init__(self, *, epsilon: float, delta: float = ..., relation: Literal['replace', 'add-remove'] = ...,
                 rounds_per_user: int = ..., calibration: Literal['practical', 'paper'] = ...,
                 horizon: Optional[int] = ..., label_delay: int = ..., label_rate: float = ...,
                 noise: Optional[float] = ..., anyway: bool = ..., learner: str = ..., honest_fraction: float = ...,
                 delta_schedule: Literal['everlasting', 'constant'] = ..., threads: int = ...,
                 training_rows: Optional[int] = ..., error: float = ..., complexity: Optional[float] = ...,
                 teachers: Optional[int] = ..., band: Optional[float] = ..., reports: Optional[int] = ...,
                 phase_rounds: Optional[int] = ..., growth: float = ..., stopper: Optional[float] = ...,
                 public: bool = ..., compare: bool = ..., ticket_rounds: int = ..., label: Optional[str] = ...,
                 labels: Optional[Union[str, Tuple[str, str]]] = ..., hash_bits: Optional[int] = ...,
                 clamp: bool = ..., skip_bad: bool = ..., seed: Optional[int] = ..., schema: Optional[Schema] = ...,
                 columns: Optional[list[str]] = ..., classes: Optional[Union[str, Sequence[Any]]] = ...) -> None: ...

class Littlestone(OnlineModel):
    epsilon: float
    class_: str
    delta: float
    relation: Literal['replace', 'add-remove']
    rounds_per_user: int
    calibration: Literal['practical', 'paper']
    horizon: Optional[int]
    label_delay: int
    label_rate: float
    noise: Optional[float]
    anyway: bool
    adversary: Literal['adaptive', 'oblivious']
    votes: Optional[int]
    changes: Optional[int]
    limit: Optional[int]
    period: Optional[int]
    stopper: Optional[float]
    teachers: Optional[int]
    p: Optional[int]
    stages: Optional[int]
    lists: Literal['auto', 'exact', 'greedy']
    public: bool
    compare: bool
    ticket_rounds: int
    label: Optional[str]
    labels: Optional[Union[str, Tuple[str, str]]]
    hash_bits: Optional[int]
    clamp: bool
    skip_bad: bool
    seed: Optional[int]
    schema: Optional[Schema]
    columns: Optional[list[str]]
    classes: Optional[Union[str, Sequence[Any]]]
    def __init__(self, *, epsilon: float, class_: str, delta: float = ...,
                 relation: Literal['replace', 'add-remove'] = ..., rounds_per_user: int = ...,
                 calibration: Literal['practical', 'paper'] = ..., horizon: Optional[int] = ...,
                 label_delay: int = ..., label_rate: float = ..., noise: Optional[float] = ..., anyway: bool = ...,
                 adversary: Literal['adaptive', 'oblivious'] = ..., votes: Optional[int] = ...,
                 changes: Optional[int] = ..., limit: Optional[int] = ..., period: Optional[int] = ...,
                 stopper: Optional[float] = ..., teachers: Optional[int] = ..., p: Optional[int] = ...,
                 stages: Optional[int] = ..., lists: Literal['auto', 'exact', 'greedy'] = ..., public: bool = ...,
                 compare: bool = ..., ticket_rounds: int = ..., label: Optional[str] = ...,
                 labels: Optional[Union[str, Tuple[str, str]]] = ..., hash_bits: Optional[int] = ...,
                 clamp: bool = ..., skip_bad: bool = ..., seed: Optional[int] = ..., schema: Optional[Schema] = ...,
                 columns: Optional[list[str]] = ..., classes: Optional[Union[str, Sequence[Any]]] = ...) -> None: ...

class GreedyCover(BatchModel):
    epsilon: float
    delta: float
    relation: Literal['replace', 'add-remove']
    rounds_per_user: int
    calibration: Literal['practical', 'paper']
    rules: int
    literals: int
    reward: str
    bonus: Optional[float]
    cap: Optional[int]
    shares: float
    cuts: int
    buckets: int
    rows: Optional[int]
    error: float
    label: Optional[str]
    labels: Optional[Union[str, Tuple[str, str]]]
    skip_bad: bool
    seed: Optional[int]
    schema: Optional[Schema]
    classes: Optional[Union[str, Sequence[Any]]]
    def __init__(self, *, epsilon: float, delta: float = ..., relation: Literal['replace', 'add-remove'] = ...,
                 rounds_per_user: int = ..., calibration: Literal['practical', 'paper'] = ..., rules: int = ...,
                 literals: int = ..., reward: str = ..., bonus: Optional[float] = ..., cap: Optional[int] = ...,
                 shares: float = ..., cuts: int = ..., buckets: int = ..., rows: Optional[int] = ...,
                 error: float = ..., label: Optional[str] = ..., labels: Optional[Union[str, Tuple[str, str]]] = ...,
                 skip_bad: bool = ..., seed: Optional[int] = ..., schema: Optional[Schema] = ...,
                 classes: Optional[Union[str, Sequence[Any]]] = ...) -> None: ...

class Threshold(BatchModel):
    epsilon: float
    delta: float
    relation: Literal['replace', 'add-remove']
    rounds_per_user: int
    calibration: Literal['practical', 'paper']
    range: str
    column: Optional[str]
    features: Optional[int]
    rows: Optional[int]
    error: float
    label: Optional[str]
    labels: Optional[Union[str, Tuple[str, str]]]
    skip_bad: bool
    seed: Optional[int]
    schema: Optional[Schema]
    classes: Optional[Union[str, Sequence[Any]]]
    def __init__(self, *, epsilon: float, delta: float = ..., relation: Literal['replace', 'add-remove'] = ...,
                 rounds_per_user: int = ..., calibration: Literal['practical', 'paper'] = ..., range: str = ...,
                 column: Optional[str] = ..., features: Optional[int] = ..., rows: Optional[int] = ...,
                 error: float = ..., label: Optional[str] = ..., labels: Optional[Union[str, Tuple[str, str]]] = ...,
                 skip_bad: bool = ..., seed: Optional[int] = ..., schema: Optional[Schema] = ...,
                 classes: Optional[Union[str, Sequence[Any]]] = ...) -> None: ...

class Interval(BatchModel):
    epsilon: float
    delta: float
    relation: Literal['replace', 'add-remove']
    rounds_per_user: int
    calibration: Literal['practical', 'paper']
    range: str
    column: Optional[str]
    features: Optional[int]
    rows: Optional[int]
    error: float
    label: Optional[str]
    labels: Optional[Union[str, Tuple[str, str]]]
    skip_bad: bool
    seed: Optional[int]
    schema: Optional[Schema]
    classes: Optional[Union[str, Sequence[Any]]]
    def __init__(self, *, epsilon: float, delta: float = ..., relation: Literal['replace', 'add-remove'] = ...,
                 rounds_per_user: int = ..., calibration: Literal['practical', 'paper'] = ..., range: str = ...,
                 column: Optional[str] = ..., features: Optional[int] = ..., rows: Optional[int] = ...,
                 error: float = ..., label: Optional[str] = ..., labels: Optional[Union[str, Tuple[str, str]]] = ...,
                 skip_bad: bool = ..., seed: Optional[int] = ..., schema: Optional[Schema] = ...,
                 classes: Optional[Union[str, Sequence[Any]]] = ...) -> None: ...

class Stump(BatchModel):
    epsilon: float
    delta: float
    relation: Literal['replace', 'add-remove']
    rounds_per_user: int
    calibration: Literal['practical', 'paper']
    range: str
    features: Optional[int]
    rows: Optional[int]
    error: float
    label: Optional[str]
    labels: Optional[Union[str, Tuple[str, str]]]
    skip_bad: bool
    seed: Optional[int]
    schema: Optional[Schema]
    classes: Optional[Union[str, Sequence[Any]]]
    def __init__(self, *, epsilon: float, delta: float = ..., relation: Literal['replace', 'add-remove'] = ...,
                 rounds_per_user: int = ..., calibration: Literal['practical', 'paper'] = ..., range: str = ...,
                 features: Optional[int] = ..., rows: Optional[int] = ..., error: float = ...,
                 label: Optional[str] = ..., labels: Optional[Union[str, Tuple[str, str]]] = ..., skip_bad: bool = ...,
                 seed: Optional[int] = ..., schema: Optional[Schema] = ...,
                 classes: Optional[Union[str, Sequence[Any]]] = ...) -> None: ...

class Tree(BatchModel):
    epsilon: float
    delta: float
    relation: Literal['replace', 'add-remove']
    rounds_per_user: int
    calibration: Literal['practical', 'paper']
    range: str
    depth: Literal['auto', '1', '2', '3', '4']
    features: Optional[int]
    rows: Optional[int]
    error: float
    label: Optional[str]
    labels: Optional[Union[str, Tuple[str, str]]]
    skip_bad: bool
    seed: Optional[int]
    schema: Optional[Schema]
    classes: Optional[Union[str, Sequence[Any]]]
    def __init__(self, *, epsilon: float, delta: float = ..., relation: Literal['replace', 'add-remove'] = ...,
                 rounds_per_user: int = ..., calibration: Literal['practical', 'paper'] = ..., range: str = ...,
                 depth: Literal['auto', '1', '2', '3', '4'] = ..., features: Optional[int] = ...,
                 rows: Optional[int] = ..., error: float = ..., label: Optional[str] = ...,
                 labels: Optional[Union[str, Tuple[str, str]]] = ..., skip_bad: bool = ..., seed: Optional[int] = ...,
                 schema: Optional[Schema] = ..., classes: Optional[Union[str, Sequence[Any]]] = ...) -> None: ...

class List(BatchModel):
    epsilon: float
    delta: float
    relation: Literal['replace', 'add-remove']
    rounds_per_user: int
    calibration: Literal['practical', 'paper']
    range: str
    rules: int
    literals: int
    reward: str
    bonus: Optional[float]
    cap: Optional[int]
    shares: float
    cuts: int
    buckets: int
    features: Optional[int]
    rows: Optional[int]
    error: float
    label: Optional[str]
    labels: Optional[Union[str, Tuple[str, str]]]
    skip_bad: bool
    seed: Optional[int]
    schema: Optional[Schema]
    classes: Optional[Union[str, Sequence[Any]]]
    def __init__(self, *, epsilon: float, delta: float = ..., relation: Literal['replace', 'add-remove'] = ...,
                 rounds_per_user: int = ..., calibration: Literal['practical', 'paper'] = ..., range: str = ...,
                 rules: int = ..., literals: int = ..., reward: str = ..., bonus: Optional[float] = ...,
                 cap: Optional[int] = ..., shares: float = ..., cuts: int = ..., buckets: int = ...,
                 features: Optional[int] = ..., rows: Optional[int] = ..., error: float = ...,
                 label: Optional[str] = ..., labels: Optional[Union[str, Tuple[str, str]]] = ..., skip_bad: bool = ...,
                 seed: Optional[int] = ..., schema: Optional[Schema] = ...,
                 classes: Optional[Union[str, Sequence[Any]]] = ...) -> None: ...

class Finite(BatchModel):
    epsilon: float
    delta: float
    relation: Literal['replace', 'add-remove']
    rounds_per_user: int
    calibration: Literal['practical', 'paper']
    range: str
    class_: str
    features: Optional[int]
    rows: Optional[int]
    error: float
    label: Optional[str]
    labels: Optional[Union[str, Tuple[str, str]]]
    skip_bad: bool
    seed: Optional[int]
    schema: Optional[Schema]
    classes: Optional[Union[str, Sequence[Any]]]
    def __init__(self, *, epsilon: float, delta: float = ..., relation: Literal['replace', 'add-remove'] = ...,
                 rounds_per_user: int = ..., calibration: Literal['practical', 'paper'] = ..., range: str = ...,
                 class_: str = ..., features: Optional[int] = ..., rows: Optional[int] = ..., error: float = ...,
                 label: Optional[str] = ..., labels: Optional[Union[str, Tuple[str, str]]] = ..., skip_bad: bool = ...,
                 seed: Optional[int] = ..., schema: Optional[Schema] = ...,
                 classes: Optional[Union[str, Sequence[Any]]] = ...) -> None: ...

class LittlestoneErm(BatchModel):
    epsilon: float
    class_: str
    delta: float
    relation: Literal['replace', 'add-remove']
    rounds_per_user: int
    calibration: Literal['practical', 'paper']
    error: float
    proper: bool
    teachers: Optional[int]
    p: Optional[int]
    stages: Optional[int]
    lists: Literal['auto', 'exact', 'greedy']
    tolerance: Optional[float]
    list_size: Optional[int]
    rows: Optional[int]
    label: Optional[str]
    labels: Optional[Union[str, Tuple[str, str]]]
    skip_bad: bool
    seed: Optional[int]
    schema: Optional[Schema]
    classes: Optional[Union[str, Sequence[Any]]]
    def __init__(self, *, epsilon: float, class_: str, delta: float = ...,
                 relation: Literal['replace', 'add-remove'] = ..., rounds_per_user: int = ...,
                 calibration: Literal['practical', 'paper'] = ..., error: float = ..., proper: bool = ...,
                 teachers: Optional[int] = ..., p: Optional[int] = ..., stages: Optional[int] = ...,
                 lists: Literal['auto', 'exact', 'greedy'] = ..., tolerance: Optional[float] = ...,
                 list_size: Optional[int] = ..., rows: Optional[int] = ..., label: Optional[str] = ...,
                 labels: Optional[Union[str, Tuple[str, str]]] = ..., skip_bad: bool = ..., seed: Optional[int] = ...,
                 schema: Optional[Schema] = ..., classes: Optional[Union[str, Sequence[Any]]] = ...) -> None: ...
