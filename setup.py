"""Builds libdpfermi.so by CMake and puts it into the package; docs/python.md.

DPFERMI_LIBRARY names a library that is built already; CMAKE_ARGS holds further arguments of CMake.
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

root = pathlib.Path(__file__).resolve().parent
version = re.search(r"project\(dpfermi VERSION ([\d.]+)", (root / "CMakeLists.txt").read_text()).group(1)


def library():
    if given := os.environ.get("DPFERMI_LIBRARY"):
        return pathlib.Path(given)
    folder = root / "build" / "wheel"
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    arguments = [*generator, "-DCMAKE_BUILD_TYPE=Release", *shlex.split(os.environ.get("CMAKE_ARGS", ""))]
    subprocess.run(["cmake", "-S", root, "-B", folder, *arguments], check=True)
    subprocess.run(["cmake", "--build", folder, "--target", "dpfermi_c", "--parallel"], check=True)
    return folder / "src" / "libdpfermi.so"


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        target = pathlib.Path(self.build_lib) / "dpfermi" / "libdpfermi.so"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(library(), target)


class WithLibrary(Distribution):
    """Belongs to one platform, although nothing in it is an extension of Python."""

    def has_ext_modules(self):
        return True


class AnyPython(bdist_wheel):
    """The library is called through ctypes: one wheel serves every Python 3 of a platform."""

    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])


setup(version=version, distclass=WithLibrary, cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": AnyPython})
