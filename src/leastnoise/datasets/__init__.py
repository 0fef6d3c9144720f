"""The paper's fifteen datasets, cleaned as its tables need them, and a synthetic one.

Files come from the folder named by the environment variable LEASTNOISE_DATA, or from the public
UCI and LIBSVM pages by `load(name, download=True)`, which keeps them in a cache. What was parsed
is compared with a hash of its content, so that a changed file is noticed whatever its format.
Nothing of them is part of this package. `synthetic` and `hospital_stays` are made by code.
"""

from .cleaning import NAMES, TASKS, load
from .dataset import Dataset
from .hospital import hospital_stays
from .synthetic import synthetic

__all__ = ["NAMES", "TASKS", "Dataset", "hospital_stays", "load", "synthetic"]
