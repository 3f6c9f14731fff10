"""Progress of a pass: a function of (done, total, rows), or True for a bar of tqdm."""

from __future__ import annotations


class _Bar:
    """A bar that is there from the first call on, and closed with the pass."""

    def __init__(self) -> None:
        from tqdm.auto import tqdm

        self._bar = tqdm(unit=" rows", unit_scale=True)

    def __call__(self, done: int, total: int, rows: int) -> None:
        self._bar.update(rows - self._bar.n)

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        self._bar.close()


class _Silent:
    """What the caller gave: a function, or None."""

    def __init__(self, function) -> None:
        self._function = function

    def __enter__(self):
        return self._function

    def __exit__(self, *_) -> None:
        pass


def watching(progress):
    """A context with what the engine calls. progress=True needs tqdm, and is silent without it."""
    if progress is True:
        try:
            return _Bar()
        except ImportError:
            return _Silent(None)
    if progress not in (None, False) and not callable(progress):
        raise TypeError("progress is a function of (done, total, rows), or True")
    return _Silent(progress or None)
