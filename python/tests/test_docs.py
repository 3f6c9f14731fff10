"""What docs/python.md shows is what happens."""

import doctest
import json
import os
import shutil

from conftest import SOURCE


def test_the_tour(tmp_path, monkeypatch):
    shutil.copytree(SOURCE / "examples" / "data", tmp_path / "data")
    monkeypatch.chdir(tmp_path / "data")
    page = os.path.join(SOURCE, "docs", "python.md")
    result = doctest.testfile(page, module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted > 15 and result.failed == 0


def test_the_notebook(tmp_path, monkeypatch):
    """Its cells run one after another, and what they end with can be shown."""
    shutil.copytree(SOURCE / "examples" / "data", tmp_path / "data")
    monkeypatch.chdir(tmp_path / "data")
    book = json.loads((SOURCE / "examples" / "tour.ipynb").read_text())
    names, shown = {}, 0
    for cell in book["cells"]:
        if cell["cell_type"] != "code":
            continue
        *before, last = "".join(cell["source"]).splitlines()
        exec("\n".join(before), names)
        try:
            value = eval(last, names)
        except SyntaxError:
            exec(last, names)
            continue
        if hasattr(value, "_repr_html_"):
            assert value._repr_html_().startswith("<")
            shown += 1
    assert shown > 8
