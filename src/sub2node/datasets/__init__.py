"""Named benchmarks, generators of synthetic ones, and random tasks of a published shape."""

from .elliptic_like import EllipticShape as EllipticShape
from .elliptic_like import make_elliptic_like as make_elliptic_like
from .load import load_task as load_task
from .registry import BENCHMARKS as BENCHMARKS
from .registry import Benchmark as Benchmark
from .registry import cache_folder as cache_folder
from .registry import data_folders as data_folders
from .registry import others as others
from .registry import overview as overview
from .shapes import SHAPES as SHAPES
from .shapes import like as like
from .synthetic import SYNTHETIC as SYNTHETIC
from .synthetic import generate as generate
