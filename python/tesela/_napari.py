"""Widgets for napari: a function for each operation on images, whose annotations magicgui makes fields of.

`napari.yaml`, which `_napari_manifest` writes beside this file, lists them. Layers go in with their scale and units, and
layers come out. Tables and other results are saved where a field names a file; a summary is shown as a message.
"""

import inspect
import pathlib
from typing import Annotated, Optional

import tesela

from . import _registry, _tesela
from ._call import Call
from ._errors import name_of
from ._functions import make_function
from ._napari_layers import image_of_layer, layers_of
from ._parameters import LABEL_KINDS, takes_array

_LAYERS_OF_SEVERAL = 3  # that an input of any number of images has fields for
# Inputs that are no layers, and that a text may stand for.
_TEXT_KINDS = {"camera", "stains", "transfer function"}


def operations():
    """Names of operations that have a widget, by those of their functions here."""
    return {dotted.replace(".", "_"): name for dotted, name in _registry.names.items() if _is_on_layers(name)}


def _is_on_layers(name):
    """It needs or makes an image. Fields of vectors are no layer that goes in."""
    description = _tesela.describe(name)
    needed = [given for given in description["inputs"] if given["required"]]
    return all(given["kind"] != "field" for given in needed) and (
        any(map(takes_array, needed)) or any(output["form"] == "array" for output in description["outputs"]))


def __getattr__(name):
    if name in operations():
        return _function(operations()[name])
    raise AttributeError(f"module 'tesela._napari' has no attribute {name!r}")


def _function(operation):
    from napari.types import LayerDataTuple

    widget = Widget(operation)

    def run(**given):
        return widget(given)

    run.__name__ = run.__qualname__ = name_of(operation)
    run.__doc__ = widget.function.__doc__
    run.__signature__ = inspect.Signature(
        [field.parameter() for field in widget.fields], return_annotation=list[LayerDataTuple])
    return run


class Field:
    """A field of a widget: what it gives, its type, its default, and what else magicgui is told of it."""

    def __init__(self, name, role, kind, default=inspect.Parameter.empty, **settings):
        self.name, self.role, self.kind, self.default, self.settings = name, role, kind, default, settings

    def parameter(self):
        return inspect.Parameter(self.name, inspect.Parameter.KEYWORD_ONLY, default=self.default,
                                 annotation=Annotated[self.kind, self.settings])

    def is_left_alone(self, value):
        return value is None or value in ("", pathlib.Path()) or value == self.default


def _file_field(name, role, **settings):
    return Field(name, role, Optional[pathlib.Path], None, nullable=True, **settings)


def _input_fields(one):
    from napari.layers import Labels, Layer

    given = one.described
    if not takes_array(given):
        yield Field(one.keyword, "text", str, "") if given["kind"] in _TEXT_KINDS else _file_field(one.keyword, "path")
        return
    layer = Labels if given["kind"] in LABEL_KINDS | {"mask"} else Layer
    names = [one.keyword]
    if given["several"]:
        names += [f"{one.keyword}_{number}" for number in range(2, _LAYERS_OF_SEVERAL + 1)]
    for name in names:
        if one.required and name == one.keyword:
            yield Field(name, "layer", layer, tooltip=given["help"])
        else:
            yield Field(name, "layer", Optional[layer], None, tooltip=given["help"])


def _option_field(one):
    option, default = one.described, one.default
    if option["choices"]:
        unchosen = [("automatic", None)] if default is None else []
        return Field(one.keyword, "option", Optional[str] if unchosen else str, default,
                     choices=unchosen + [(choice, choice) for choice in option["choices"]])
    if default is not None and option["kind"] == "flag":
        return Field(one.keyword, "option", bool, default)
    if default is not None and option["kind"] == "integer":
        span = option["range"]
        return Field(one.keyword, "option", int, default, min=int(max(span["lowest"], -2**31)),
                     max=int(min(span["highest"], 2**31 - 1)))
    # A text holds any number exactly, a length with its unit, and nothing where the image decides.
    return Field(one.keyword, "text", str, "" if default is None else str(default))


class Widget:
    """Calls an operation with what the fields of its widget hold."""

    def __init__(self, operation):
        self.call = Call(_tesela.describe(operation))
        self.function = make_function(operation)
        self.fields = list(self._make_fields())

    def _make_fields(self):
        for one in self.call.parameters.values():
            if one.role == "input":
                yield from _input_fields(one)
            elif one.role == "option":
                yield _option_field(one)
            elif one.role == "file":
                yield _file_field(one.keyword, "path", mode="w")
            elif one.name == "outputs":
                yield Field("outputs", "outputs", list[str], self._usual_outputs(), widget_type="Select",
                            choices=list(self.call.output_names))
            elif one.name == "device":
                usable = [device["id"] for device in tesela.devices() if not device["problem"]]
                yield Field("device", "option", str, "auto", choices=["auto", *usable])
        for keyword, output in zip(self.call.output_names, self.call.outputs):
            if output["form"] != "array":
                yield _file_field("save_" + keyword, "save", mode="w", tooltip="file to write: " + output["help"])

    def _usual_outputs(self):
        """The arrays that are the operation's main result, and all that is no array and that every image gives."""
        outputs = dict(zip(self.call.output_names, self.call.outputs))
        main = [name for name, output in outputs.items() if output["always"]] or list(outputs)[:1]
        return main + [name for name, output in outputs.items()
                       if output["form"] != "array" and not output["by_name_alone"] and name not in main]

    def __call__(self, given):
        layers, keywords, files = {}, {}, {}
        for field in self.fields:
            value = given[field.name]
            if field.role == "outputs":
                keywords["outputs"] = list(value)
            elif field.is_left_alone(value):
                continue
            elif field.role == "layer":
                layers[field.name] = value
            elif field.role == "save":
                files[field.name.removeprefix("save_")] = value
            else:
                keywords[field.name] = _number_of(value) if field.role == "text" else value
        keywords.update(self._images(layers))
        if files:
            keywords["outputs"] = list({*keywords["outputs"], *files})
        with _Progress(self.call.name) as progress:
            result = self.function(**keywords, progress=progress)
        for keyword, path in files.items():
            getattr(result, keyword).save(path)
        _show(result.text or result.summary)
        return layers_of(result, self.call, next(iter(layers.values()), None))

    def _images(self, layers):
        """The arguments that the layers are."""
        images = {}
        for one in self.call.parameters.values():
            if one.role != "input":
                continue
            chosen = [image_of_layer(name, layer) for name, layer in layers.items()
                      if name == one.keyword or one.described["several"] and name.startswith(one.keyword + "_")]
            if chosen:
                images[one.keyword] = chosen if one.described["several"] else chosen[0]
        return images


def _number_of(text):
    """Numbers as such, all else, such as "2mm", as it is."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def _show(sentence):
    from napari.utils.notifications import show_info

    if sentence:
        show_info(sentence)


class _Progress:
    """napari's bar, as a function of fraction and stage."""

    def __init__(self, name):
        self._name = name

    def __enter__(self):
        from napari.utils import progress

        self._bar = progress(total=100, desc=self._name)
        return self._report

    def __exit__(self, *_):
        self._bar.close()

    def _report(self, fraction, stage):
        self._bar.set_description(stage)
        self._bar.update(round(100 * fraction) - self._bar.n)
