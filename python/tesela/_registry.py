"""The operations and their families, and functions for them."""

from . import _tesela
from ._errors import name_of
from ._functions import make_function
from ._parameters import class_name


def _dotted(one):
    return ".".join(name_of(word) for word in one["name"].split())


_listed = _tesela.operations()
#: A line on each.
operations = {_dotted(one): one["purpose"] for one in _listed["operations"]}
#: What the command line calls them.
names = {_dotted(one): one["name"] for one in _listed["operations"]}
#: Other names, in the family of the operation: "local" of "threshold.adaptive".
aliases = {_dotted(one): name_of(one["alias"]) for one in _listed["operations"] if one["alias"]}
families = {_dotted(one): one for one in _listed["families"]}


class Family:
    """Operations of one purpose. Those with a default can be called themselves."""

    def __init__(self, name, sentence):
        self.__name__ = self.__qualname__ = name
        self.__doc__ = sentence

    def __repr__(self):
        members = [name for name in vars(self) if not name.startswith("_")]
        return f"<tesela.{self.__name__}: {', '.join(members)}>"

    def __call__(self, *arguments, **keywords):
        members = [name for name in vars(self) if not name.startswith("_")]
        raise TypeError(f"tesela.{self.__name__} is a family of operations: call one of {', '.join(members)}")


def members_of(dotted):
    """Names within a family."""
    before = dotted + "."
    return [name[len(before):] for name in {**names, **families}
            if name.startswith(before) and "." not in name[len(before):]]


def made(dotted):
    """The function of an operation, or the family with all of its functions."""
    if dotted in names:
        return make_function(names[dotted])
    family = families[dotted]
    default = family["default"]
    whole = make_function(default) if default else Family(dotted, family["sentence"])
    for name in members_of(dotted):
        setattr(whole, name, made(f"{dotted}.{name}"))
        if alias := aliases.get(f"{dotted}.{name}"):
            setattr(whole, alias, getattr(whole, name))
    return whole


def operation_of(result):
    """Whose results have a class of that name; None for another name."""
    return next((dotted for dotted, name in names.items() if class_name(name) == result), None)
