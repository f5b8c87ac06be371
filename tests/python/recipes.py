"""For each operation a small call, as arguments of Python and of the command line."""

import os

import numpy as np

import tesela
from tesela._errors import name_of


def function_of(name):
    """The function of an operation by the name that the command line has."""
    found = tesela
    for word in name.split():
        found = getattr(found, name_of(word))
    return found


def picture(size=(61, 97), seed=3, channels=None):
    """Soft patches with noise, of 8 bits."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[: size[0], : size[1]]
    base = 110 + 70 * np.sin(x / 9.0) * np.cos(y / 7.0)
    image = np.clip(base + rng.normal(0, 6, size), 0, 255).astype(np.uint8)
    if channels is None:
        return image
    return np.stack([np.roll(image, 11 * c, axis=1) // (c + 1) + 20 for c in range(channels)], axis=-1)


def volume():
    """16 bits, 1 mm."""
    rng = np.random.default_rng(5)
    z, y, x = np.mgrid[:17, :21, :19]
    inside = (z - 8) ** 2 + (y - 10) ** 2 + (x - 9) ** 2 < 36
    return (300 * inside + rng.normal(0, 10, inside.shape)).astype(np.int16)


class Files:
    """Inputs in a folder, written once."""

    def __init__(self, folder):
        self.folder = folder
        write = tesela.write
        write(self / "gray.png", picture())
        write(self / "second.png", np.roll(picture(), (1, 2), (0, 1)))
        write(self / "color.png", picture(channels=3), channel_axis=-1)
        write(self / "slide.tif", picture((256, 256), channels=3), channel_axis=-1, spacing=0.5, unit="um")
        write(self / "template.png", picture()[20:31, 30:47])
        write(self / "mask.png", np.where(picture() > 120, 255, 0).astype(np.uint8))
        write(self / "labels.png", picture() // 52, labels=True)
        write(self / "others.png", np.roll(picture() // 52, 3, 1), labels=True)
        write(self / "volume.nii.gz", volume(), spacing=(1, 1, 1), unit="mm")
        write(self / "organs.nii.gz", (volume() > 100).astype(np.uint8), spacing=(1, 1, 2), unit="mm", labels=True)
        circles = tesela.synthesize.circles(width=120, height=100, count=6, min_radius=6, max_radius=12)
        write(self / "circles.png", circles.output)
        circles.truth.save(self / "truth.csv")
        self.write_motion()
        self.write_texts()
        tesela.compress(picture(), output=self / "gray.tvol")
        tesela.wavelet.forward(picture()).coefficients.save(self / "coefficients.tif")
        self.write_tissue()
        self.write_series()
        self.write_mosaic()

    def __truediv__(self, name):
        return os.path.join(self.folder, name)

    def write_motion(self):
        flow = tesela.flow.horn_schunck(picture(), np.roll(picture(), 1, 1), outputs="flow").flow
        tesela.write(self / "a.flo", flow, channel_axis=-1)
        tesela.write(self / "b.flo", flow * np.float32(1.25), channel_axis=-1)

    def write_texts(self):
        texts = {
            "fixed.csv": "X,Y\n10,20\n40,25\n30,50\n60,44\n",
            "moving.csv": "X,Y\n11,21\n41,27\n32,51\n61,43\n",
            "equations.txt": "0 4 1 6\n1 4 1 12\n1 4 1 18\n1 4 0 19\n",
        }
        for name, text in texts.items():
            with open(self / name, "w", encoding="ascii") as out:
                out.write(text)
        tesela.register(picture((80, 96)), picture((80, 96)), accept_poor=True,
                        outputs="transform").transform.save(self / "transform.json")

    def write_tissue(self):
        for name, seed in (("one", 1), ("two", 2)):
            os.makedirs(self / f"tiles/{name}")
            for i in range(6):
                tile = picture((64, 64), 10 * seed + i, 3)
                tile = tile if name == "one" else tile // 3 + 90
                tesela.write(self / f"tiles/{name}/{i}.png", tile, channel_axis=-1)
        tesela.tissue.features(tiles=self / "tiles").output.save(self / "features.csv")
        tesela.tissue.train(tiles=self / "tiles").output.save(self / "model.tissue")
        tesela.tissue.train(tiles=self / "tiles", features="thesis", classifier="knn").output.save(
            self / "thesis.tissue")


    def write_series(self):
        tesela.synthesize.sections(output=self / "series", count=3, width=224, height=224, seed=21, rotation=60)
        with open(self / "series.txt", "w", encoding="ascii") as out:
            out.writelines(f"series/section{i:02}.png\n" for i in range(3))

    def write_mosaic(self):
        os.makedirs(self / "mosaic")
        whole = np.random.default_rng(8).integers(0, 255, (100, 170), np.uint8)
        for i, x in enumerate((0, 68)):
            tesela.write(self / f"mosaic/{i}.png", whole[:, x : x + 100])


# By the name of an operation: its inputs, which are files or texts, and its options.
GRAY = {"input": "gray.png"}
COLOR = {"input": "color.png"}
MASK = {"input": "mask.png"}
COMBINED = {"input": "mask.png", "mask": "mask.png"}
PAIR = {"input": "gray.png", "second": "second.png"}
SEEDED = {**GRAY, "seeds": "20,20=1;70,40=2"}
SLIDE = {"slide": "color.png"}
SMALL = {"width": 96, "height": 64}
RECIPES = {
    "segment": (GRAY, {}),
    "threshold otsu": (GRAY, {}),
    "threshold iterative": (GRAY, {}),
    "threshold li": (GRAY, {}),
    "threshold triangle": (GRAY, {"below": True}),
    "threshold multi-otsu": (GRAY, {"classes": 4}),
    "threshold range": (GRAY, {"low": 50, "high": 180}),
    "threshold hysteresis": (GRAY, {"low": 100, "high": 160}),
    "threshold adaptive": (GRAY, {}),
    "edges canny": (GRAY, {"sigma": 1.5}),
    "edges sobel": (GRAY, {}),
    "edges prewitt": (GRAY, {}),
    "edges roberts": (GRAY, {}),
    "mean-shift": (COLOR, {"spatial": 4}),
    "thesis mean-shift": (GRAY, {"spatial": 4}),
    "watershed": (GRAY, {}),
    "components": (MASK, {}),
    "distance": (MASK, {}),
    **{f"morphology {name}": (GRAY, {"radius": 3}) for name in
       ("erode", "dilate", "open", "close", "gradient", "top-hat", "bottom-hat")},
    "morphology reconstruct": (COMBINED, {}),
    "morphology skeleton": (MASK, {}),
    **{f"mask {name}": (MASK, {}) for name in
       ("fill-holes", "largest", "remove-small", "clear-border", "split", "invert")},
    "mask keep": (MASK, {"list": "255"}),
    **{f"mask {name}": (COMBINED, {}) for name in ("and", "or", "minus", "apply")},
    "measure": ({"input": "labels.png", "on": ["gray.png", "color.png"]}, {"properties": "all"}),
    "nuclei": (GRAY, {"expand": 3}),
    "surface": ({"input": "organs.nii.gz"}, {}),
    "overlay": ({"input": "gray.png", "labels": "labels.png"}, {"numbers": True, "enlarge": 2}),
    "image crop": (GRAY, {"x": 5, "width": 40}),
    "image flip": (GRAY, {}),
    "image rotate": (GRAY, {}),
    "image convert": (GRAY, {}),
    "image resample": (COLOR, {"size": "40"}),
    "image merge": ({"input": "gray.png", "others": ["second.png", "gray.png"]}, {}),
    "image project": ({"input": "volume.nii.gz"}, {"by": "mean"}),
    "image math": ({"input": "gray.png"}, {"formula": "a > 100"}),
    "image smooth gaussian": (COLOR, {"sigma": 1.5}),
    "image smooth median": (COLOR, {"radius": 2}),
    "split-merge": (GRAY, {}),
    "grow limits": (SEEDED, {"lower": 60}),
    "grow tolerance": (SEEDED, {"tolerance": 25}),
    "grow confidence": (SEEDED, {}),
    "grow compete": (SEEDED, {}),
    "level-set ftc": (SEEDED, {}),
    "level-set aos": ({**GRAY, "seeds": "20,20=1"}, {}),
    "level-set stop-function": (GRAY, {}),
    "thesis region-grow": (COLOR, {}),
    "wavelet forward": (GRAY, {}),
    "wavelet packet": (GRAY, {}),
    "wavelet inverse": ({"input": "coefficients.tif"}, {}),
    "wavelet denoise": (GRAY, {}),
    "flow tv-l1": (PAIR, {}),
    "flow horn-schunck": (PAIR, {}),
    "flow lucas-kanade": (PAIR, {}),
    "thesis flow horn-schunck": (PAIR, {}),
    "thesis flow lucas-kanade": (PAIR, {}),
    "thesis circles": ({"input": "circles.png"}, {"radius": 10}),
    "thesis level-set": ({"input": "volume.nii.gz", "seeds": "10,10,5"}, {}),
    "thesis register": ({"input": "series/section00.png", "moving": "series/section01.png"}, {"window": 24}),
    "thesis texture": (COLOR, {}),
    "thesis tissue": ({"slide": "slide.tif", "model": "thesis.tissue"}, {}),
    "thesis tridiagonal": ({}, {"random": 300}),
    "thesis wavelet": (GRAY, {"levels": 4}),
    "thesis zernike": (GRAY, {"order": 6}),
    "texture glcm": (GRAY, {}),
    "texture lbp": (GRAY, {}),
    "stain separate": (COLOR, {}),
    "stain normalize": (COLOR, {}),
    "circles": ({"input": "circles.png"}, {"min-radius": 5, "max-radius": 14}),
    "match": ({"template": "template.png", "input": "gray.png"}, {}),
    "register pair": ({"input": "gray.png", "moving": "second.png"}, {"accept-poor": True}),
    "register stack": ({"sections": "series.txt"}, {"model": "rigid", "thickness": "4um", "mpp": 1.0}),
    "register mosaic": ({"tiles": "mosaic"}, {"grid": "2x1", "overlap": "30%"}),
    "render": ({"input": "volume.nii.gz"}, {"size": "64x48"}),
    "warp": ({"input": "gray.png", "transform": "transform.json"}, {}),
    "transform compose": ({"transforms": ["transform.json", "transform.json"]}, {}),
    "transform invert": ({"input": "transform.json"}, {}),
    "transform show": ({"input": "transform.json"}, {}),
    "transform fit": ({"fixed": "fixed.csv", "moving": "moving.csv"}, {"model": "rigid"}),
    "tridiagonal": ({"input": "equations.txt"}, {}),
    "zernike": (GRAY, {}),
    "evaluate circles": ({"found": "truth.csv", "truth": "truth.csv"}, {}),
    "evaluate flow": ({"estimate": "a.flo", "truth": "b.flo"}, {}),
    "evaluate image": ({"result": "gray.png", "truth": "second.png"}, {}),
    "evaluate labels": ({"segmentation": "labels.png", "truth": ["others.png"]}, {}),
    "evaluate landmarks": ({"fixed": "fixed.csv", "moving": "moving.csv"}, {}),
    "synthesize noise": (GRAY, {"sigma": 5}),
    "synthesize circles": ({}, {**SMALL, "count": 3, "min-radius": 5, "max-radius": 9}),
    "synthesize nuclei": ({}, {**SMALL, "count": 6, "diameter": 10}),
    "synthesize volume": ({}, {"scene": "sphere", "size": "24,24,12"}),
    "synthesize flow": ({}, {}),
    "synthesize sections": ({}, {}),
    "synthesize slide": ({}, {**SMALL, "width": 1024, "height": 1024}),
    "compress": (GRAY, {}),
    "decompress": ({"input": "gray.tvol"}, {}),
    "slide region": (SLIDE, {"width": 40, "height": 30}),
    "slide thumbnail": (SLIDE, {"size": 48}),
    "slide tiles": (SLIDE, {"tile": 32}),
    "slide convert": (SLIDE, {}),
    "tissue features": ({"tiles": "tiles"}, {}),
    "tissue train": ({"tiles": "tiles"}, {}),
    "tissue evaluate": ({"features": "features.csv"}, {}),
    "tissue classify": ({"slide": "slide.tif", "model": "model.tissue"}, {}),
}

# Those that are compared on other devices too: through a CPU's OpenCL all of them would take long.
ON_OPENCL = ("threshold otsu", "edges canny", "components", "distance", "mean-shift", "watershed", "wavelet forward")

# Outputs that the recipe of an operation does not give: windows are those of slides.
NOT_MADE = {"register pair": ["matches"]}

# What a file of an output of each kind ends in.
SUFFIXES = {
    "image": ".tif", "difference": ".tif", "mask": ".tif", "view": ".png", "labels": ".tif", "classes": ".png",
    "field": ".flo", "outlines": ".csv", "table": ".csv", "transform": ".json", "landmarks": ".csv",
    "circles": ".csv", "solutions": ".txt", "warpable": ".tif", "annotations": ".geojson", "surfaces": ".ply", "stains": ".json",
    "samples": ".csv", "tissue model": ".tissue", "coefficients": ".tif", "transfer function": ".json",
    "repeated slide": ".ome.tif", "tiled image": ".ome.tif", "volume file": ".tvol", "volume in any format": ".tvol",
    "picture in any format": ".ome.tif", "folder": "",
}
