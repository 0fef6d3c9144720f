"""Write the table of hospital stays to a file: python -m leastnoise.datasets stays.csv."""

import sys

from .hospital import hospital_stays

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m leastnoise.datasets FILE.csv")
    print(hospital_stays(sys.argv[1]))
