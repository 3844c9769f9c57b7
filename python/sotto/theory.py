"""Models for finite classes of functions: theory made to run, on small examples.

`PrivateLittlestone` learns online, `PrivateFiniteClass` and `PrivateLittlestoneErm` from a table.
"""
from sotto.models import PrivateFiniteClass, PrivateLittlestone, PrivateLittlestoneErm

__all__ = ["PrivateFiniteClass", "PrivateLittlestone", "PrivateLittlestoneErm"]
