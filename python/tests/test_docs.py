"""What docs/python.md shows is what happens."""

import doctest
import os
import shutil

from conftest import SOURCE


def test_the_tour(tmp_path, monkeypatch):
    shutil.copytree(SOURCE / "examples" / "data", tmp_path / "data")
    monkeypatch.chdir(tmp_path / "data")
    page = os.path.join(SOURCE, "docs", "python.md")
    result = doctest.testfile(page, module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted > 15 and result.failed == 0
