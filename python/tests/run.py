"""Run the tests of the package with pytest; exit status 77, skipped, where it or NumPy is missing."""

import importlib.util
import pathlib
import sys

for module in ("numpy", "pytest"):
    if importlib.util.find_spec(module) is None:
        print(f"skipped: there is no {module} for {sys.executable} (scripts/deps.sh python)")
        sys.exit(77)

import pytest  # noqa: E402

folder = pathlib.Path(__file__).parent
package = pathlib.Path(importlib.util.find_spec("credence").origin).parent
sys.exit(
    pytest.main(
        ["-q", "-p", "no:cacheprovider", "--doctest-modules", f"--ignore={__file__}", str(folder),
         str(package)] + sys.argv[1:]
    )
)
