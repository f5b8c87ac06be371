"""Parameters of functions, from the descriptions of operations."""

from ._errors import name_of

LABEL_KINDS = {"labels", "seeds", "colored labels", "background", "labels of slides"}
# Inputs that an array can be, beside images.
ARRAY_KINDS = LABEL_KINDS | {"warpable", "stored volume", "grid"}
GEOMETRY = ("channel_axis", "spacing", "unit")


class Parameter:
    """A parameter of a function: an input, an option, an output that is a file, or one of all calls."""

    def __init__(self, role, name, default=None, required=False, described=None, positional=False):
        self.role, self.name, self.keyword = role, name, name_of(name)
        self.default, self.required = default, required
        self.described, self.positional = described, positional


def takes_array(given):
    return given["is_image"] or given["kind"] in ARRAY_KINDS


def takes_names(description):
    """Whether labels are made, or read with the names that tables show."""
    return (any(given["names_labels"] for given in description["inputs"])
            or any(output["kind"] == "labels" for output in description["outputs"]))


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
    if takes_names(description):
        common.append("names")
    if any(takes_array(given) for given in description["inputs"]):
        common += GEOMETRY
    elif any(given["kind"] == "slide" for given in description["inputs"]):
        common += GEOMETRY[1:]
    made += [Parameter("common", name, defaults.get(name)) for name in common if name not in taken]
    made.sort(key=lambda one: (not one.positional, one.positional and not one.required))
    return made


def class_name(operation):
    return "".join(word.capitalize() for word in operation.replace("-", " ").split()) + "Result"
