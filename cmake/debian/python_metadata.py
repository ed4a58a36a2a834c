"""The metadata of the Python package, by pyproject.toml: python_metadata.py FOLDER, in the folder of the sources."""

import sys
import warnings

# setuptools calls its own support of pyproject.toml a beta version.
warnings.simplefilter("ignore")
from setuptools import build_meta

build_meta.prepare_metadata_for_build_wheel(sys.argv[1])
