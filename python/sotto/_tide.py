"""Tide, for labels or for numbers."""
import json

from sotto._core import InvalidArgument
from sotto._estimator import schema_text
from sotto._online import OnlineModel


def predicts_numbers(schema):
    """True if the label of a schema has a range. False for an invalid schema, which is refused where it is used."""
    try:
        label = json.loads(schema_text(schema) or "{}").get("label")
    except (ValueError, AttributeError):
        return False
    return isinstance(label, dict) and "range" in label


class TideModel(OnlineModel):
    """Makes a classifier, or a regressor if the schema says that labels are numbers."""

    _kind = None  # "classifier" or "regressor"
    _kinds = {}  # the class of each

    def __new__(cls, *args, **given):
        if cls._kind is None and cls._kinds:
            cls = cls._kinds["regressor" if predicts_numbers(given.get("schema")) else "classifier"]
        return super().__new__(cls, *args, **given)

    @property
    def _estimator_type(self):
        return self._kind or super()._estimator_type

    def _making(self):
        numbers = predicts_numbers(self.schema)
        if self._kind == "regressor" and not numbers:
            raise InvalidArgument(f"{type(self).__name__} predicts numbers, and needs a schema with their public range: "
                                  "sotto.schema(..., label_range=(low, high))")
        if self._kind == "classifier" and numbers:
            raise InvalidArgument(f"{type(self).__name__} predicts labels, and the schema says that they are numbers: "
                                  "use sotto.TideRegressor")
        return super()._making()
