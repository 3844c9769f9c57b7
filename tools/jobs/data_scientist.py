"""A data scientist with a frame: fits, scores, publishes and loads a private model by the usual calls."""
import json
import pickle
import warnings

import numpy as np
import pandas as pd

import sotto

rng = np.random.default_rng(3)
size = 6000
frame = pd.DataFrame({"age": rng.integers(18, 90, size).astype(float), "hours": rng.uniform(0, 60, size),
                      "job": rng.choice(["clerk", "nurse", "cook"], size)})
bought = np.where(rng.uniform(size=size) < 0.05 + 0.9 * (frame["hours"] > 30), "yes", "no")
frame.loc[::50, "age"] = np.nan    # blanks, as tables have them
learn, test = slice(0, 5000), slice(5000, size)

# What is public: names, types, ranges, and here the three jobs. No row is read.
frame["job"] = frame["job"].astype(pd.CategoricalDtype(["clerk", "nurse", "cook"]))
schema = sotto.schema(frame, ranges={"age": (18, 90), "hours": (0, 60)}, classes=["no", "yes"], public=True,
                      missing=True)
print(sotto.plan(epsilon=1, delta=1e-6, horizon=5000, schema=schema))

# Every row is a round: predicted first, then learned from.
model = sotto.TideClassifier(epsilon=1, delta=1e-6, horizon=5000, schema=schema, compare=True)
model.fit(frame[learn], bought[learn])
assert list(model.classes_) == ["no", "yes"]
assert model.score(frame[test], bought[test]) > 0.85
assert model.predict_proba(frame[test]).shape == (1000, 2)
report = model.report()
assert report["non_private_mistakes"] < report["mistakes"] < report["baselines"]["majority"]
print(model.guarantee)

# The published model goes anywhere and costs nothing more.
with open("model.json", "w") as file:
    json.dump(model.hypothesis, file)
published = sotto.load_published("model.json")
assert (published.predict(frame[test]) == model.predict(frame[test])).all()
assert (pickle.loads(pickle.dumps(published)).predict(frame[test]) == published.predict(frame[test])).all()

# A rule that people can read, from the finished table.
tree = sotto.PrivateDecisionTree(epsilon=1, schema=schema).fit(frame[learn], bought[learn])
assert tree.score(frame[test], bought[test]) > 0.8
print(tree.text_)

# A misspelt column is refused, not learned from.
try:
    model.predict(frame[test].rename(columns={"hours": "hour"}))
    raise AssertionError("a misspelt column was accepted")
except sotto.errors.InvalidArgument as error:
    assert "hours" in str(error), error
