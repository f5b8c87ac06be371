"""The bar of progress=True."""

import sys


def bar():
    """A function of fraction and stage that shows a bar: tqdm's, if it is installed."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _own_bar
    shown = tqdm(total=100, unit="%", leave=False)

    def report(fraction, stage):
        shown.set_description(stage)
        shown.update(round(100 * fraction, 1) - shown.n)
        if fraction >= 1:
            shown.close()

    return report


def _own_bar(fraction, stage):
    width = 30
    done = round(width * fraction)
    end = "\n" if fraction >= 1 else ""
    sys.stderr.write(f"\r{stage:<12}[{'#' * done}{' ' * (width - done)}] {100 * fraction:3.0f} %{end}")
    sys.stderr.flush()
