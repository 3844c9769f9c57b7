"""Every keyword of every class reaches the model: what it saves names each value that was given.

The registry's own test says that each of these values changes the plan, the noise or the
answers (models/registry/hand_over_test.cc); here none is lost on the way from Python.
"""
import json
import pathlib
import sys
import tempfile
import unittest
import warnings

import sotto
from same_answers_test import NEEDS, class_of
from sotto._options import NOT_KEYWORDS, keyword_of

TRAINED = {entry["name"] for entry in sotto._core.online_models() if entry["trains"]}
SHARED = {"epsilon": 3, "delta": 1e-6, "horizon": 60, "seed": 5, "force": True}
# Not settings of a saved model, and where they are shown.
ELSEWHERE = {"seed": "same_answers_test.py", "threshold": "published_test.py", "skip-bad": "for old scripts",
             "clamp": "for old scripts", "label": "the column of a table: streams_test.py",
             "features": "from the rows", "threads": "work, not results", "labels": "streams_test.py"}
# Texts that no rule can guess.
TEXTS = {"range": "0,7", "column": "c2", "reward": "1/4", "class": "thresholds:8", "thresholds": "8"}


def off_default(option, given):
    """A value that is neither the default nor what the example has, or None."""
    kind, low, high = option["type"], option["low"], option["high"]
    taken = {str(given), option["fallback"]}
    if kind == "flag":
        return not given
    if kind == "text":
        choices = option["words"] or [TEXTS.get(option["name"], "")]
        return next((word for word in choices if word not in taken and word), None)
    start = float(given or option["fallback"] or low or 0) if "/" not in option["fallback"] else low
    tries = (start + 1, start - 1, low + 1) if kind == "whole" else (start / 2, low + 0.25, high)
    fits = [v for v in tries if low <= v <= high and str(v) not in taken and (v > low or not option["above"])]
    return (int(fits[0]) if kind == "whole" else fits[0]) if fits else None


class EveryKeyword(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "state"

    def saved(self, model, options):
        """The settings in a state of this model after one row."""
        made = class_of(model)(**{keyword_of(name): value for name, value in options.items()})
        if model in TRAINED:
            made.fit([[0.0, 1.0, 0.5], [1.0, 0.0, 0.5]] * 30, [0, 1] * 30)
        else:
            made.run([[1, 1, 1]], [1])
        made.save(self.path)
        text = self.path.read_bytes().decode("latin-1")
        return json.JSONDecoder().raw_decode(text[text.index('{"epsilon"'):])[0]

    def test_every_keyword_is_in_the_state(self):
        lost, seen = [], set()
        for entry in sotto._core.online_models():
            model, base = entry["name"], {**SHARED, **NEEDS[entry["name"]]}
            for option in entry["options"]:
                name = option["name"]
                # Options of several models go the same way: the first model shows them.
                if name in NOT_KEYWORDS or name in ELSEWHERE or name in seen:
                    continue
                value = off_default(option, base.get(name))
                if value is None:
                    continue
                try:
                    kept = self.saved(model, {**base, name: value})
                except sotto.SottoError as error:
                    # Refused beside the other options: it came as far as the model.
                    self.assertNotRegex(str(error), "unexpected|unknown option", (model, name))
                    continue
                seen.add(name)
                if kept.get(name) != value:
                    lost.append((model, name, value, kept.get(name)))
        self.assertEqual(lost, [])
        self.assertGreater(len(seen), 60)

    def test_the_statement_names_what_was_asked(self):
        for entry in sotto._core.online_models():
            for relation in ("replace", "add-remove"):
                options = {**SHARED, **NEEDS[entry["name"]], "relation": relation, "rounds-per-user": 2, "epsilon": 6}
                if options.get("learner") == "perceptron":
                    options["learner"] = "perceptron:features=3"
                if any(option["name"] == "features" for option in entry["options"]):
                    options["features"] = 3
                made = class_of(entry["name"])(**{keyword_of(n): v for n, v in options.items()})
                said = str(made.plan())
                self.assertRegex(said, r"\(6(\.0+)?,|\(5\.\d+,", entry["name"])
                self.assertIn("at most 2 rounds", said)
                self.assertRegex(said, "other data" if relation == "replace" else "left empty|zero|present")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])  # the program is not needed
