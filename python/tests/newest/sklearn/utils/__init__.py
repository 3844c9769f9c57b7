"""Tags: attributes of a fixed type, and nothing else."""
from dataclasses import dataclass, field
from typing import Optional


@dataclass
class InputTags:
    one_d_array: bool = False
    two_d_array: bool = True
    three_d_array: bool = False
    sparse: bool = False
    categorical: bool = False
    string: bool = False
    dict: bool = False
    positive_only: bool = False
    allow_nan: bool = False
    pairwise: bool = False


@dataclass
class TargetTags:
    required: bool
    one_d_labels: bool = False
    two_d_labels: bool = False
    positive_only: bool = False
    multi_output: bool = False
    single_output: bool = True


@dataclass
class TransformerTags:
    preserves_dtype: list = field(default_factory=lambda: ["float64"])


@dataclass
class ClassifierTags:
    poor_score: bool = False
    multi_class: bool = True
    multi_label: bool = False


@dataclass
class RegressorTags:
    poor_score: bool = False


@dataclass
class Tags:
    estimator_type: Optional[str]
    target_tags: TargetTags
    transformer_tags: Optional[TransformerTags] = None
    classifier_tags: Optional[ClassifierTags] = None
    regressor_tags: Optional[RegressorTags] = None
    array_api_support: bool = False
    no_validation: bool = False
    non_deterministic: bool = False
    requires_fit: bool = True
    _skip_test: bool = False
    input_tags: InputTags = field(default_factory=InputTags)


def get_tags(estimator):
    """Raises for a class, and for an estimator without the method, as from 1.7 on."""
    if isinstance(estimator, type):
        raise TypeError("expected an estimator instance")
    return estimator.__sklearn_tags__()
