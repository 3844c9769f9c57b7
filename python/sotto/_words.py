"""Guarantees and plans as objects."""
import html
import json

SEEDED = "NOT PRIVATE: a seed makes the noise known to anyone; it is for experiments only. Without the seed: "


def framed(page, height):
    """A page for a notebook, in a frame, because it has its own style sheet."""
    page = html.escape(page, quote=True)
    return f'<iframe srcdoc="{page}" style="width:100%;height:{height}em;border:0"></iframe>'


def card(title, facts):
    """A model for a notebook: its repr, and facts about it, as (name, text)."""
    lines = "".join(f"<tr><th style='text-align:left;padding-right:1em'>{html.escape(name)}</th>"
                    f"<td style='text-align:left'>{html.escape(str(text))}</td></tr>" for name, text in facts)
    return (f"<div style='border-left:4px solid #4477aa;padding-left:1em;max-width:60em'>"
            f"<code>{html.escape(title)}</code><table>{lines}</table></div>")


def marked(report):
    """The report of a run. With a seed its guarantee says that it is not private."""
    promise = report.get("guarantee")
    if report.get("private") is False and promise and not promise["text"].startswith(SEEDED):
        promise["text"] = SEEDED + promise["text"]
    return report


class Guarantee(dict):
    """The guarantee of a model, known before any data: a dict, whose str is a sentence.

    The members are those of reports: notion, relation, unit, epsilon, delta, adversary,
    rounds_per_user, protects, text.
    """

    def __init__(self, text, seeded=False):
        super().__init__(json.loads(text))
        if seeded and not self["text"].startswith(SEEDED):
            self["text"] = SEEDED + self["text"]

    @property
    def epsilon(self):
        return self["epsilon"]

    @property
    def delta(self):
        return self["delta"]

    def __str__(self):
        return self["text"]

    def __repr__(self):
        return f"<Guarantee: {self['text']}>"

    def __reduce__(self):
        return Guarantee, (json.dumps(dict(self)),)

    def _repr_html_(self):
        line = "#aa3333" if self["text"].startswith("NOT PRIVATE") else "#4477aa"
        return (f"<div style='border-left:4px solid {line};padding-left:1em;max-width:60em'>"
                f"{html.escape(self['text'])}</div>")


class Plan(dict):
    """The plan of a model, made before any data: all of it is public.

    A dict with the members of the command line's JSON; as text, what `sotto plan` prints;
    `html()` is a page with a plot, which notebooks show.
    """

    def __init__(self, document, text, page):
        super().__init__(json.loads(document))
        self._document, self._page = document, page
        self.text = text

    def html(self):
        return self._page

    def __str__(self):
        return self.text

    def __repr__(self):
        return self.text

    def __reduce__(self):
        return Plan, (self._document, self.text, self._page)

    def _repr_html_(self):
        return framed(self._page, 36)
