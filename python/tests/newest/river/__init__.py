"""Stand-in for River: base classes, pipelines, a scaler, metrics and progressive validation."""
from river import base, compose, evaluate, metrics, preprocessing  # noqa: F401
