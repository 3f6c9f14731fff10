"""Build the extension with CMake, which builds the engine it stands on.

    pip install --no-build-isolation ./python

needs a C compiler, CMake and the libraries that scripts/deps.sh build installs.
"""

import pathlib
import re
import subprocess

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

PYTHON = pathlib.Path(__file__).resolve().parent
SOURCE = PYTHON.parent
VERSION = re.search(r"VERSION (\d+\.\d+\.\d+) LANGUAGES", (SOURCE / "CMakeLists.txt").read_text())[1]


class BuildWithCMake(build_ext):
    """One target of the project's own build, and its file where setuptools wants it."""

    def build_extension(self, ext):
        build = pathlib.Path(self.build_temp).resolve() / "engine"
        subprocess.run(
            ["cmake", "-S", str(SOURCE), "-B", str(build), "-DBUILD_TESTING=OFF",
             "-DCREDENCE_MANUAL=OFF", "-DCREDENCE_FRONTENDS=python"], check=True)
        subprocess.run(["cmake", "--build", str(build), "--target", "credence_python", "-j"],
                       check=True)
        target = pathlib.Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((build / "python" / "credence" / "_credence.abi3.so").read_bytes())


setup(
    version=VERSION,
    ext_modules=[Extension("credence._credence", [], py_limited_api=True)],
    cmdclass={"build_ext": BuildWithCMake},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
