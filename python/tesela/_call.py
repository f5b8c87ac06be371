"""Calls of the extension with the arguments of a function, and their results."""

import _signal  # as `signal`, whose own getsignal makes an enumeration's member of each answer
import os
import threading

from . import _tesela
from ._errors import InvalidArgument, name_of
from ._images import Image, as_image, image_of, is_array, is_numpy, micrometers, value_of, warn
from ._parameters import GEOMETRY, LABEL_KINDS, class_name, parameters_of, takes_array
from ._results import Result, output_of

# What sentences about an Image begin with.
_OWN_NAMES = tuple(name + ":" for name in (*GEOMETRY, "origin", "direction", "time_step", "names", "colors"))


def _image_value(given, value, geometry, as_labels):
    kind = given["kind"]
    if kind == "mask":
        role = "mask"
    elif kind in LABEL_KINDS or (kind == "warpable" and as_labels):
        role = "labels"
    else:
        role = "image"
    if kind in LABEL_KINDS or kind in ("mask", "field"):
        geometry = {**geometry, "channel_axis": None}
    image = image_of(value, **geometry)
    if kind == "field":
        image = _with_components(image)
    return value_of(image, role, given["axes"]), image


def _with_components(image):
    """The last axis of a field has its components, where nothing says so."""
    if "c" in image.axes or image.array.shape[-1] != 2:
        return image
    return image.with_array(image.array, "tzyx"[-(image.array.ndim - 1):] + "c")


def input_value(given, value, geometry, as_labels):
    """The extension's value of an argument, and the Image that it is made of or None."""
    if is_numpy(value) and takes_array(given):
        return _image_value(given, value, geometry, as_labels)
    kind = given["kind"]
    if isinstance(value, _tesela.Value):
        return value, None
    if hasattr(value, "_value"):
        return value._value, None
    if isinstance(value, (str, os.PathLike)):
        if isinstance(value, str):
            found = _tesela.by_text(kind, value)
            if found is not None:
                return found, None
        length = micrometers(**geometry) if kind == "slide" else 0
        loaded = _tesela.load(kind, os.fspath(value), length, as_labels)
        is_image = (given["is_image"] or kind == "warpable") and _tesela.facts(loaded)
        return loaded, as_image(loaded) if is_image else None
    if takes_array(given) and (is_array(value) or hasattr(value, "__len__") or _has_buffer(value)):
        return _image_value(given, value, geometry, as_labels)
    expected = "an array or the name of a file" if takes_array(given) else "the name of a file, or a result"
    raise TypeError(f"{name_of(given['name'])}: {expected} is expected, not {type(value).__name__}")


def _has_buffer(value):
    try:
        memoryview(value)
    except TypeError:
        return False
    return True


def _reporter(progress):
    if progress is None or progress is False:
        return None
    if progress is not True:
        if not callable(progress):
            raise TypeError("progress: True or a function of fraction and stage is expected")
        return progress
    from ._progress import bar

    return bar()


def _given_names(names):
    """A dict, or the name of a file."""
    if not names or isinstance(names, dict):
        return names or None
    if isinstance(names, (str, os.PathLike)):
        return os.fspath(names)
    if hasattr(names, "items"):
        return dict(names)
    raise TypeError(f"names: a dict or the name of a file is expected, not {type(names).__name__}")


def _is_interruptible():
    return (threading.get_ident() == threading.main_thread().ident
            and _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler)


def _named(error, described):
    keyword = name_of(described["name"])
    text = str(error)
    return error if text.startswith((keyword, *_OWN_NAMES)) else type(error)(
        f"{keyword}: {text}")


def _plain(value, kind):
    """Numbers and lists of them are texts of the command line where an option is a text: (0, 100) is "0,100"."""
    if kind != "text" or value is None or isinstance(value, str):
        return value
    return ",".join(str(one) for one in value) if isinstance(value, (list, tuple)) else str(value)


class Call:
    """Turns the arguments of a function into a call of the extension, and its results into a Result."""

    def __init__(self, description):
        self.name = description["name"]
        self.parameters = {one.keyword: one for one in parameters_of(description)}
        self.outputs = [o for o in description["outputs"] if o["form"] != "file"]
        self.output_names = {name_of(o["name"]): o["name"] for o in self.outputs}
        self.result_class = type(
            class_name(self.name), (Result,),
            {"_outputs": tuple(self.output_names), "__module__": "tesela",
             "_array_kinds": {o["name"]: o["kind"] for o in self.outputs if o["form"] == "array"},
             "__doc__": "Outputs: " + ", ".join(self.output_names) + ".\n" + (Result.__doc__ or "")})
        self._inputs, self._options, self._files = (self._of(role) for role in ("input", "option", "file"))
        common = [one.keyword for one in self._of("common")]
        self._geometry = [keyword for keyword in common if keyword in GEOMETRY]
        self._common = [keyword for keyword in common if keyword not in GEOMETRY]
        self._all_outputs = [o["name"] for o in self.outputs if not o["by_name_alone"]]
        self._outputs = [(o["name"], keyword, o) for keyword, o in zip(self.output_names, self.outputs)]
        self._tables = {o["name"] for o in self.outputs if o["form"] == "table" and not o["by_name_alone"]}
        self._goes_in_parts = description["in_parts"]

    def _of(self, role):
        return [one for one in self.parameters.values() if one.role == role]

    def _wanted(self, outputs):
        if outputs is None:
            return self._all_outputs
        chosen = [outputs] if isinstance(outputs, str) else list(outputs)
        for name in chosen:
            if name not in self.output_names:
                raise InvalidArgument(
                    f"outputs: {name!r} is not one of {', '.join(self.output_names)}")
        return [self.output_names[name] for name in chosen]

    def _values(self, given, as_labels):
        """The extension's values by their names, the first Image among them, and whether Images are to come out."""
        geometry = {keyword: given[keyword] for keyword in self._geometry}
        values, like, any_image, any_array = {}, None, False, False
        for parameter in self._inputs:
            value, described = given[parameter.keyword], parameter.described
            if value is None:
                continue
            try:
                if described["several"]:
                    made = [input_value(described, one, geometry, as_labels)
                            for one in (value if isinstance(value, (list, tuple)) else (value,))]
                    values[parameter.name], image = [v for v, _ in made], made[0][1]
                else:
                    values[parameter.name], image = input_value(described, value, geometry, as_labels)
            except InvalidArgument as error:
                raise _named(error, described) from None
            like = image if like is None else like
            any_image = any_image or isinstance(value, Image)
            any_array = any_array or is_array(value)
        return values, like, any_image or not any_array

    def _parts(self, given, wanted):
        """The extension's values of files that are read part by part, as large ones have to be. None where an input
        is none, where more than tables is wanted, or where what is in the files is to be taken otherwise."""
        if (not self._goes_in_parts or not wanted or not self._tables.issuperset(wanted) or given.get("names")
                or any(given[keyword] is not None for keyword in self._geometry)):
            return None
        values = {}
        for parameter in self._inputs:
            value, several = given[parameter.keyword], parameter.described["several"]
            if value is None:
                continue
            files = value if several and isinstance(value, (list, tuple)) else [value]
            if not all(isinstance(one, (str, os.PathLike)) for one in files):
                return None
            opened = [_tesela.open_in_parts(os.fspath(one), parameter.described["any_channels"]) for one in files]
            if None in opened:
                return None
            values[parameter.name] = opened if several else opened[0]
        return values

    def __call__(self, given):
        common = {"device": "auto", "threads": None, "progress": None, "outputs": None, "names": None}
        for keyword in self._common:
            common[keyword] = given[keyword]
        options = {one.name: _plain(given[one.keyword], one.described["kind"]) for one in self._options
                   if given[one.keyword] is not one.default}
        files = {one.name: os.fspath(given[one.keyword]) for one in self._files
                 if given[one.keyword] is not None}
        wanted = self._wanted(common["outputs"])
        inputs, like, as_images = self._parts(given, wanted), None, True
        if inputs is None:
            inputs, like, as_images = self._values(given, bool(options.get("labels")))
        made = _tesela.call(
            self.name, inputs, options, wanted, files, common["device"],
            common["threads"] or 0, _reporter(common["progress"]), _is_interruptible(), _given_names(common["names"]))
        values, warnings = made[0], made[-1]
        warn(warnings + _tesela.warnings(), 3)
        return self.result_class(made, {
            keyword: output_of(values[name], described, like, as_images)
            for name, keyword, described in self._outputs if name in values})
