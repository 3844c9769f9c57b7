"""Stand-in for scikit-learn 1.8: tags, clone and the checks of its interface."""
__version__ = "1.8.0"
