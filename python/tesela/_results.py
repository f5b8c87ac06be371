"""What operations give."""

from . import _tesela
from ._errors import as_keywords, name_of
from ._images import array_of, as_image, write


class Value:
    """A result that is no array: a transform, a model, outlines and the like. An input of other operations."""

    def __init__(self, value):
        self._value = value

    @property
    def kind(self):
        """What it is, such as "transform"."""
        return self._value.kind

    def save(self, path):
        """Write it into a file; the suffix decides the format."""
        write(path, self)

    def __repr__(self):
        return f"<tesela {self.kind}>"


class Table(dict):
    """A table by its columns: arrays of numbers, lists of texts."""

    def __init__(self, value):
        import numpy

        super().__init__()
        self._value = value
        types = {"q": numpy.int64, "d": numpy.float64}
        for name, (code, cells) in _tesela.columns(value).items():
            self[name] = numpy.frombuffer(cells, types[code]) if code in types else cells

    def to_pandas(self):
        """The table as a pandas.DataFrame."""
        import pandas

        return pandas.DataFrame(dict(self))

    def save(self, path):
        """Write it as .csv or .json, and lists of shapes as .geojson too."""
        write(path, self)

    def __len__(self):
        """Columns, as of every dict."""
        return super().__len__()


_WORK = ("launches", "uploads", "downloads", "bytes_uploaded", "bytes_downloaded", "allocations", "bytes_copied")


class Result:
    """Outputs of an operation by their names, with figures beside them.

    Attributes
    ----------
    figures : dict
        What the operation found, such as the number of regions.
    details : dict
        Further figures, such as a list of rounds.
    summary : str
        A line for people.
    text : str
        The same in several lines, of some operations.
    data : str
        The result itself, of operations whose result is a text.
    used : dict
        Options whose value the image decided, as they were used.
    work : dict
        Launches and transfers of the device, and bytes of inputs that had to be copied.
    """

    _outputs = ()
    _array_kinds: dict = {}  # by the operation's own names

    def __init__(self, made, outputs):
        (self._values, self.figures, self.details, self._summary, self._text, self.data, used, self._work, _) = made
        self.used = {name_of(name): value for name, value in used.items()}
        self.__dict__.update(outputs)

    @property
    def summary(self):
        return as_keywords(self._summary)

    @property
    def text(self):
        return as_keywords(self._text)

    @property
    def work(self):
        return dict(zip(_WORK, self._work))

    def __getattr__(self, name):
        if name in self._outputs:
            raise AttributeError(f"'{name}' was not made: ask for it by outputs=[{name!r}], or the options "
                                 "of this call do not give it")
        raise AttributeError(f"{type(self).__name__} has no {name!r}; it has {', '.join(self._outputs)}")

    def __iter__(self):
        """The outputs in their order, those that were not asked for left out."""
        return (self.__dict__[name] for name in self._outputs if name in self.__dict__)

    def __repr__(self):
        made = [name for name in self._outputs if name in self.__dict__]
        return f"<{type(self).__name__}: {', '.join(made) or 'no outputs'}; {self.summary or self.figures}>"

    def _repr_html_(self):
        rows = "".join(
            f"<tr><td>{_escaped(name)}</td><td>{_escaped(value)}</td></tr>"
            for name, value in self.figures.items() if not isinstance(value, (dict, list)))
        return f"<p>{_escaped(self.summary)}</p>{self._thumbnail()}<table>{rows}</table>"

    def _thumbnail(self):
        """Of the first array, labels in their colors."""
        from ._show import thumbnail

        for name, kind in self._array_kinds.items():
            if name in self._values:
                return thumbnail(as_image(self._values[name]), kind in ("labels", "classes"))
        return ""


def _escaped(value):
    import html

    return html.escape(str(value))


def output_of(value, output, like, as_images):
    """An output as the caller gets it."""
    if output["form"] == "table":
        return Table(value)
    keeps_channel = output["kind"] in ("image", "difference")
    if output["form"] == "array" or (output["kind"] == "warpable" and _tesela.facts(value)):
        if as_images or output["kind"] == "classes":
            image = as_image(value, like, keeps_channel, output["own_grid"])
            if output["kind"] == "classes":
                image._keep(value)  # with the colors of the classes
            return image
        array, axes = array_of(value, like, keeps_channel, output["own_grid"])
        family = like._family if like is not None else None
        return family.result_of(array, axes, output["own_grid"]) if family else array
    return Value(value)
