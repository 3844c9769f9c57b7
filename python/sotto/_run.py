"""Results of a bulk run."""
import json

from sotto._data import doubles
from sotto._words import framed, marked


class Run:
    """Predictions of a run, one for every round, and its report.

    Each of `predictions` is for its own user, and most of the report is operator only;
    `report(public=True)` is public.
    """

    def __init__(self, model, answers):
        self._name, self._was_seeded = type(model).__name__, model._seeded()
        self._answers = answers  # with their stream: a later fit does not change it
        self.interrupted = False

    def __len__(self):
        return len(self._answers)

    @property
    def predictions(self):
        """A list with the prediction of each round, None for a round without one."""
        return self._answers.labels()

    @property
    def probabilities(self):
        """Probability of the positive label of two, or of the predicted class; NaN if there is
        none. A NumPy array if NumPy can be imported."""
        return doubles(self._answers.probabilities())

    @property
    def told(self):
        """The predictions as numbers (the place of a class among its names), NaN for an empty
        round: for NumPy."""
        return doubles(self._answers.predictions())

    def report(self, public=False):
        """The report of `sotto run --json`, a dict. With public=True, only the public part."""
        return marked(json.loads(self._answers.report_json(bool(public), self.interrupted)))

    def text(self, public=False):
        return self._answers.report_text(bool(public), self.interrupted)

    def html(self, public=False):
        """The page of `sotto run --report`, in one file, with plots."""
        return self._answers.report_html(bool(public), self.interrupted)

    def __repr__(self):
        words = f"<Run of {self._name}: {len(self)} rounds"
        words += ", interrupted" if self.interrupted else ""
        seeded = self._answers.seeded()
        return words + (", NOT PRIVATE: seeded>" if (self._was_seeded if seeded is None else seeded) else ">")

    def _repr_html_(self):
        return framed(self.html(), 40) if len(self) else repr(self)


class Progress:
    """A progress bar of tqdm, if wanted and installed."""

    def __init__(self, wanted, total):
        self._bar = None
        if not wanted:
            return
        try:
            from tqdm.auto import tqdm
        except ImportError:
            return
        self._bar = tqdm(total=total, unit="round")

    @property
    def between(self):
        return None if self._bar is None else self._bar.update

    def close(self):
        if self._bar is not None:
            self._bar.close()
