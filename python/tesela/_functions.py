"""Functions made from the descriptions of operations, and the same as text for stubs."""

from . import _tesela
from ._call import Call
from ._errors import as_keywords, name_of
from ._parameters import class_name, takes_array

_HELP = {
    "outputs": ("sequence of str, optional", "Names of the outputs to make; by default all that every image gives."),
    "device": ("str", "Where to compute: \"auto\", \"cpu\", \"cuda\", \"cuda:1\", \"opencl:0\"."),
    "threads": ("int, optional", "Threads of the CPU; by default all."),
    "progress": ("bool or callable, optional",
                 "True shows a bar (tqdm's, if installed); a function is called with the fraction and the "
                 "name of the stage. An exception in it stops the work."),
    "names": ("dict or path, optional",
              "What labels stand for: a text for each number, or a file of names. It wins over what the label map says."),
    "channel_axis": ("int, optional", "The axis of the channels of the arrays; none by default."),
    "spacing": ("float or sequence of float, optional",
                "Distance of pixels along the spatial axes, in the order of the array."),
    "unit": ("{\"mm\", \"um\"}, optional", "Of `spacing`, which needs it."),
}
_TYPES = {"flag": "bool", "integer": "int", "number": "float", "length": "float or str", "text": "str"}


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
    if takes_array(given):
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
