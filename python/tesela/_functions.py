"""Functions made from the descriptions of operations, and the same as text for stubs."""

import os
import signal
import threading

from . import _tesela
from ._errors import InvalidArgument, as_keywords, name_of
from ._images import Image, as_image, image_of, is_array, micrometers, value_of, warn
from ._results import Result, Value, output_of

_LABEL_KINDS = {"labels", "seeds", "colored labels", "background", "labels of slides"}
# Inputs that an array can be, beside images.
_ARRAY_KINDS = _LABEL_KINDS | {"warpable", "stored volume", "grid"}
_GEOMETRY = ("channel_axis", "spacing", "unit")
# What sentences about an Image begin with.
_OWN_NAMES = tuple(name + ":" for name in (*_GEOMETRY, "origin", "direction", "time_step", "names"))

_HELP = {
    "outputs": ("sequence of str, optional", "Names of the outputs to make; by default all of them."),
    "device": ("str", "Where to compute: \"auto\", \"cpu\", \"cuda\", \"cuda:1\", \"opencl:0\"."),
    "threads": ("int, optional", "Threads of the CPU; by default all."),
    "progress": ("bool or callable, optional",
                 "True shows a bar (tqdm's, if installed); a function is called with the fraction and the "
                 "name of the stage. An exception in it stops the work."),
    "channel_axis": ("int, optional", "The axis of the channels of the arrays; none by default."),
    "spacing": ("float or sequence of float, optional",
                "Distance of pixels along the spatial axes, in the order of the array."),
    "unit": ("{\"mm\", \"um\"}, optional", "Of `spacing`, which needs it."),
}
_TYPES = {"flag": "bool", "integer": "int", "number": "float", "length": "float or str", "text": "str"}


class Parameter:
    """A parameter of a function: an input, an option, an output that is a file, or one of all calls."""

    def __init__(self, role, name, default=None, required=False, described=None, positional=False):
        self.role, self.name, self.keyword = role, name, name_of(name)
        self.default, self.required = default, required
        self.described, self.positional = described, positional


def takes_array(given):
    return given["is_image"] or given["kind"] in _ARRAY_KINDS


def parameters_of(description):
    """In the order of the signature."""
    alone = description["instead_of_input"]
    made = []
    for given in description["inputs"]:
        required = given["required"] and not (alone and not given["named"])
        made.append(Parameter("input", given["name"], given["automatic"] or None, required, given,
                              not given["named"]))
    for option in description["options"]:
        made.append(Parameter("option", option["name"], option["default"], False, option))
    for output in description["outputs"]:
        if output["form"] == "file":
            made.append(Parameter("file", output["name"], None, output["required"], output))
    taken = {one.keyword for one in made}
    common = ["outputs"] if any(o["form"] != "file" for o in description["outputs"]) else []
    defaults = {"device": "auto"}
    common += ([] if description["on_host"] else ["device"]) + ["threads", "progress"]
    if any(takes_array(given) for given in description["inputs"]):
        common += _GEOMETRY
    elif any(given["kind"] == "slide" for given in description["inputs"]):
        common += _GEOMETRY[1:]
    made += [Parameter("common", name, defaults.get(name)) for name in common if name not in taken]
    made.sort(key=lambda one: (not one.positional, one.positional and not one.required))
    return made


def _image_value(given, value, geometry, as_labels):
    kind = given["kind"]
    if kind == "mask":
        role = "mask"
    elif kind in _LABEL_KINDS or (kind == "warpable" and as_labels):
        role = "labels"
    else:
        role = "image"
    any_channels = role != "image" or given["any_channels"]
    image = image_of(value, **geometry)
    if role != "image" or kind == "field":
        image = _on_grid(image, kind)
    return value_of(image, role, given["axes"], any_channels), image


def _on_grid(image, kind):
    """Labels and masks have no channels, where the image beside them has; fields have two."""
    spatial = image.array.ndim
    if kind == "field" and "c" not in image.axes and image.array.shape[-1] == 2:
        return image.with_array(image.array, "tzyx"[-(spatial - 1):] + "c")
    return image


def input_value(given, value, geometry, as_labels):
    """The extension's value of an argument, and the Image that it is made of or None."""
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
        if kind in _LABEL_KINDS or kind in ("mask", "field"):
            geometry = {**geometry, "channel_axis": None}
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


def _is_interruptible():
    return (threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler)


class Call:
    """Turns the arguments of a function into a call of the extension, and its results into a Result."""

    def __init__(self, description):
        self.name = description["name"]
        self.description = description
        self.parameters = {one.keyword: one for one in parameters_of(description)}
        self.outputs = [o for o in description["outputs"] if o["form"] != "file"]
        self.output_names = {name_of(o["name"]): o["name"] for o in self.outputs}
        self.result_class = type(
            class_name(self.name), (Result,),
            {"_outputs": tuple(self.output_names), "__module__": "tesela",
             "_array_kinds": {o["name"]: o["kind"] for o in self.outputs if o["form"] == "array"},
             "__doc__": "Outputs: " + ", ".join(self.output_names) + ".\n" + (Result.__doc__ or "")})

    def wanted(self, outputs):
        if outputs is None:
            return list(self.output_names.values())
        chosen = [outputs] if isinstance(outputs, str) else list(outputs)
        for name in chosen:
            if name not in self.output_names:
                raise InvalidArgument(
                    f"outputs: {name!r} is not one of {', '.join(self.output_names)}")
        return [self.output_names[name] for name in chosen]

    def __call__(self, given):
        common = {"device": "auto", "threads": None, "progress": None, "outputs": None}
        inputs, options, files, geometry, arrays = {}, {}, {}, {}, []
        for keyword, value in given.items():
            parameter = self.parameters[keyword]
            if parameter.role == "common":
                (geometry if keyword in _GEOMETRY else common)[keyword] = value
            elif parameter.role == "option":
                if value is not parameter.default:
                    options[parameter.name] = _plain(value, parameter.described["kind"])
            elif value is not None:
                if parameter.role == "file":
                    files[parameter.name] = os.fspath(value)
                else:
                    arrays.append((parameter.described, value))
        like, as_images = None, not any(is_array(value) for _, value in arrays)
        as_labels = bool(options.get("labels"))
        for described, value in arrays:
            try:
                several = described["several"] and isinstance(value, (list, tuple))
                made = [input_value(described, one, geometry, as_labels)
                        for one in (value if several else [value])]
            except InvalidArgument as error:
                raise _named(error, described) from None
            if like is None and made[0][1] is not None:
                like = made[0][1]
            as_images = as_images or isinstance(value, Image)
            inputs[described["name"]] = [v for v, _ in made] if described["several"] else made[0][0]
        reporter = _reporter(common["progress"])
        made = _tesela.call(
            self.name, inputs, options, self.wanted(common["outputs"]), files, common["device"],
            common["threads"] or 0, reporter, _is_interruptible())
        warn(made["warnings"] + _tesela.warnings(), 3)
        outputs = {
            name_of(o["name"]): output_of(made["outputs"][o["name"]], o, like, as_images)
            for o in self.outputs if o["name"] in made["outputs"]}
        return self.result_class(made, outputs)


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


def class_name(operation):
    return "".join(word.capitalize() for word in operation.replace("-", " ").split()) + "Result"


def signature_of(parameters, defaults="plain", types=None):
    """The text between the parentheses of a function."""
    parts, has_star = [], False
    for one in parameters:
        if not one.positional and not has_star:
            parts.append("*")
            has_star = True
        default = "" if one.required else repr(one.default) if defaults == "plain" else "..."
        if types:
            parts.append(f"{one.keyword}: {types(one)}" + (f" = {default}" if default else ""))
        else:
            parts.append(one.keyword + (f"={default}" if default else ""))
    return ", ".join(parts)


def _option_text(option):
    kind = "{" + ", ".join(f'"{c}"' for c in option["choices"]) + "}" if option["choices"] else _TYPES[
        option["kind"]]
    kind += ", optional" if option["default"] is None else f", default {option['default']!r}"
    span = option["range"]
    text = option["help"][:1].upper() + option["help"][1:]
    details = []
    if span["text"]:
        details.append(span["text"])
    if span["unit"]:
        details.append("in " + span["unit"])
    if option["default"] is None and span["automatic"]:
        details.append("by default " + span["automatic"])
    text += f" ({', '.join(details)})." if details else "."
    for choice, words in zip(option["choices"], option["choice_help"]):
        text += f"\n``{choice}``: {words}."
    if option["kind"] == "length":
        text += "\nA number is pixels; a text such as \"2mm\" or \"12um\" is a length."
    return kind, text


def _input_text(given):
    if given["is_image"] or given["kind"] in _LABEL_KINDS or given["kind"] in _ARRAY_KINDS:
        kind = "array, Image or path"
        if given["kind"] == "seeds":
            kind = "array of labels, str or path"
    else:
        kind = "path or Value"
    kind = kind + (" or list of them" if given["several"] else "")
    text = given["help"][:1].upper() + given["help"][1:] + "."
    return kind + ("" if given["required"] else ", optional"), text


def _parameter_text(one):
    if one.role == "option":
        return _option_text(one.described)
    if one.role == "input":
        return _input_text(one.described)
    if one.role == "file":
        return "path" + ("" if one.required else ", optional"), "File to write: " + one.described["help"] + "."
    return _HELP[one.name]


def docstring_of(description, parameters):
    """In the style of numpydoc."""
    lines = [description["sentence"], "", "Parameters", "----------"]
    for one in parameters:
        kind, text = _parameter_text(one)
        lines += [f"{one.keyword} : {kind}"] + ["    " + line for line in text.split("\n")]
    lines += ["", "Returns", "-------", class_name(description["name"])]
    for output in description["outputs"]:
        if output["form"] != "file":
            kind = {"array": "array", "table": "Table", "value": "Value"}[output["form"]]
            lines.append(f"    ``{name_of(output['name'])}`` ({kind}): {output['help']}.")
    lines += ["", "Raises", "------", "InvalidArgument", "    An option or input that cannot be.",
              "DeviceUnavailable, OutOfMemory", "    The device is not there, or its memory runs out."]
    return as_keywords("\n".join(lines)) + "\n"


def make_function(name, module="tesela"):
    """The function of an operation."""
    description = _tesela.describe(name)
    call = Call(description)
    parameters = list(call.parameters.values())
    words = name.split()
    own = name_of(words[-1])
    arguments = ", ".join(f"{one.keyword!r}: {one.keyword}" for one in parameters)
    scope = {"_call": call}
    exec(f"def {own}({signature_of(parameters)}):\n    return _call({{{arguments}}})\n", scope)  # noqa: S102
    function = scope[own]
    defaults = {**(function.__kwdefaults__ or {}), **dict(zip(
        reversed([one.keyword for one in parameters if one.positional]), reversed(function.__defaults__ or ())))}
    for one in parameters:  # what is not this very object was given
        one.default = defaults.get(one.keyword)
    function.__doc__ = docstring_of(description, parameters)
    function.__module__ = module
    function.__qualname__ = ".".join(name_of(word) for word in words)
    function.result = call.result_class
    return function
