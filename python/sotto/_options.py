"""Keywords of the classes, from the option tables of the registry."""
import inspect
import keyword
import os
import re

from sotto._core import InvalidArgument

# Options of the command line that are about files and terminals.
NOT_KEYWORDS = {"data", "format", "schema", "no-header", "columns", "user", "save", "save-every", "load", "replace",
                "live", "predictions", "probabilities", "report", "table-every", "json", "quiet", "progress",
                "train", "out"}


# Keywords with another name than their option. The name of the option is an alias.
RENAMED = {"anyway": "force", "class": "hypothesis_class", "hand-over": "handover", "learner": "base_learner",
           "noise": "label_noise", "optimise": "objective", "range": "value_range"}


def plain_keyword(name):
    """rounds-per-user is rounds_per_user, class is class_."""
    word = name.replace("-", "_")
    return word + "_" if keyword.iskeyword(word) else word


def keyword_of(name):
    """The same, by the name that explains itself: anyway is force."""
    return RENAMED.get(name) or plain_keyword(name)


def aliases_of(keywords):
    """{alias: keyword}: older names, and scikit-learn's name for the seed."""
    names = {word.name for word in keywords}
    aliases = {plain_keyword(old): new for old, new in RENAMED.items() if new in names}
    if "seed" in names:
        aliases["random_state"] = "seed"
    return {alias: name for alias, name in aliases.items() if alias not in names}


def as_keywords(text):
    """Help with keywords instead of flags: --hash-bits B is hash_bits."""
    text = text.replace("with --live: ", "of open and close: ")
    return re.sub(r"--([a-z]+(?:-[a-z]+)*)", lambda flag: keyword_of(flag.group(1)), text)


def shown(number):
    """A limit: 8,388,608, 1e+18, 0.5."""
    return f"{number:,.0f}" if number == int(number) and abs(number) < 1e12 else f"{number:g}"


def checked(text, what):
    """Raises unless the text can be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidArgument(f"{what}: a text that is no text: half of a surrogate pair") from None
    return text


def path_of(path):
    """The bytes of a file's name, whatever they are."""
    try:
        name = os.fsencode(path)
    except UnicodeEncodeError:
        name = b"\0"
    if b"\0" in name:
        raise InvalidArgument("path: expected the name of a file")
    return name


class Keyword:
    """One keyword of a class: its name, its range, its text for the registry."""

    def __init__(self, option):
        self.option = option
        self.name = keyword_of(option["name"])
        self.required = option["required"]
        self.default = inspect.Parameter.empty if self.required else self._fallback()

    def _fallback(self):
        text = self.option["fallback"]
        if self.option["type"] == "flag":
            return text == "on"
        if not text:
            return None
        if self.option["type"] == "whole":
            return int(text)
        if self.option["type"] == "real":
            return float(text) if "/" not in text else text
        return text

    @property
    def annotation(self):
        """Type in a stub."""
        kind = {"flag": "bool", "whole": "int", "real": "float", "text": "str"}[self.option["type"]]
        if self.option["type"] == "text" and self.option["words"]:
            kind = "Literal[" + ", ".join(repr(word) for word in self.option["words"]) + "]"
        if self.name == "labels":
            kind = "Union[str, Tuple[str, str]]"
        return kind if self.required or self.default is not None else f"Optional[{kind}]"

    @property
    def limits(self):
        if self.option["type"] not in ("whole", "real"):
            return ""
        low, high = self.option["low"], self.option["high"]
        words = [("above " if self.option["above"] else "at least ") + shown(low)]
        if high < 1.7e308:
            words.append("at most " + shown(high))
        return ", ".join(words)

    def explain(self):
        """Help of the option, with keywords for flags, and its limits."""
        text = as_keywords(self.option["help"])
        return f"{text} ({self.limits})" if self.limits else text

    def text_of(self, value):
        """Text of the flag, or None without one."""
        if value is None:
            return None
        if type(value).__module__ == "numpy" and getattr(value, "ndim", 1) == 0:
            value = value.item()
        if self.option["type"] == "flag":
            if not isinstance(value, (bool, int)):
                return str(value)
            return "true" if value else None
        if isinstance(value, (tuple, list)):
            return ",".join(str(part) for part in value)
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, float) and value.is_integer() and self.option["type"] == "whole":
            return str(int(value)) if abs(value) < 2**63 else repr(value)
        return repr(float(value)) if isinstance(value, float) else str(value)


def keywords_of(options):
    return [Keyword(option) for option in options if option["name"] not in NOT_KEYWORDS]


def to_settings(keywords, params):
    """(option, text) of all keywords that differ from their defaults."""
    pairs = []
    for word in keywords:
        value = params.get(word.name, word.default)
        text = word.text_of(value)
        if text is not None and (word.required or value is not word.default):
            pairs.append((word.option["name"], checked(text, word.name)))
    return pairs


def signature_of(keywords, more):
    """Of __init__, with self."""
    kind = inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    parameters += [inspect.Parameter(word.name, kind, default=word.default) for word in keywords]
    parameters += [inspect.Parameter(name, kind, default=None) for name in more]
    parameters.sort(key=lambda p: p.name != "self" and p.default is not inspect.Parameter.empty)
    return inspect.Signature(parameters)


def init_of(signature):
    """An __init__ that editors, River and scikit-learn can inspect."""
    def __init__(self, *args, **given):
        self._start(args, given)

    __init__.__signature__ = signature
    return __init__
