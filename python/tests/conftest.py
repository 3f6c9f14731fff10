import os
import pathlib

import pytest

SOURCE = pathlib.Path(os.environ.get("CREDENCE_SOURCE", pathlib.Path(__file__).parents[2]))


@pytest.fixture
def data():
    return SOURCE / "examples" / "data"


@pytest.fixture
def command():
    path = os.environ.get("CREDENCE_BIN")
    if not path or not os.path.exists(path):
        pytest.skip("CREDENCE_BIN does not name the command")
    return path
