"""What is promised and planned, as objects that read well."""
import html
import json


class Guarantee(dict):
    """What a model promises before any data: a dict of its words, whose text is a sentence.

    The members are those of reports: notion, relation, unit, epsilon, delta, adversary,
    rounds_per_user, protects, text.
    """

    def __init__(self, text):
        super().__init__(json.loads(text))

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


STYLE = "font-family:monospace;white-space:pre-wrap;line-height:1.35"


class Plan(dict):
    """What a model would do, before any data is touched: all of it is public.

    A dict with the members of the command line's JSON; as text, what `sotto plan` prints.
    """

    def __init__(self, document, text):
        super().__init__(json.loads(document))
        self._document = document
        self.text = text

    def __str__(self):
        return self.text

    def __repr__(self):
        return self.text

    def __reduce__(self):
        return Plan, (self._document, self.text)

    def _repr_html_(self):
        head, _, rest = self.text.partition("\n")
        return (f"<div style='border-left:4px solid #4477aa;padding-left:1em'><b>{html.escape(head)}</b>"
                f"<div style='{STYLE}'>{html.escape(rest)}</div></div>")
