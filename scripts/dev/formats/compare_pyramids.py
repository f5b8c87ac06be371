"""Writes a slide by Tesela as both kinds of pyramid and compares all levels, as tifffile and OpenSlide read them.

usage: compare_pyramids.py TESELA FOLDER
"""

import subprocess
import sys
from pathlib import Path

import numpy
import openslide
import tifffile

WIDTH, HEIGHT, TILE, MPP = 2000, 1500, 256, 0.5


def main():
    tesela, folder = sys.argv[1], Path(sys.argv[2])

    def run(*words):
        subprocess.run([tesela, *map(str, words), "--quiet"], check=True)

    source, ome, generic = folder / "slide.ome.tif", folder / "ome.ome.tif", folder / "generic.tif"
    run("synthesize", "slide", "--width", WIDTH, "--height", HEIGHT, "--mpp", MPP, "-o", source)
    lossless = ["--compression", "deflate", "--tile", TILE]
    run("slide", "convert", source, "-o", ome, *lossless)
    run("slide", "convert", source, "-o", generic, "--pyramid", "generic", *lossless)

    with tifffile.TiffFile(ome) as tiff:
        assert tiff.is_ome and len(tiff.pages) == 1
        levels = [level.asarray() for level in tiff.series[0].levels]
    sizes = [(1500, 2000), (750, 1000), (375, 500), (188, 250)]
    assert [level.shape[:2] for level in levels] == sizes, levels
    kept = levels[:3]  # the last is narrower than a tile
    with tifffile.TiffFile(generic) as tiff:
        assert not tiff.is_ome and not any(page.subifds for page in tiff.pages)
        pages = [page.asarray() for page in tiff.pages]
    assert len(pages) == len(kept) and all(map(numpy.array_equal, pages, kept))

    with openslide.OpenSlide(ome) as slide:
        assert slide.level_count == 1  # of SubIFDs it knows nothing
    with openslide.OpenSlide(generic) as slide:
        assert slide.level_dimensions == tuple(level.shape[1::-1] for level in kept), slide.level_dimensions
        for index, level in enumerate(kept):
            region = slide.read_region((0, 0), index, slide.level_dimensions[index])
            assert numpy.array_equal(numpy.asarray(region)[..., :3], level), f"level {index} differs"
        for axis in "xy":
            assert abs(float(slide.properties[f"openslide.mpp-{axis}"]) - MPP) < 1e-6
    print(f"both kinds of pyramid are the same in tifffile {tifffile.__version__} and "
          f"OpenSlide {openslide.__library_version__}")


main()
