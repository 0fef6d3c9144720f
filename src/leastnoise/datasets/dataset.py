"""A table for classification: numeric columns, categorical columns, labels."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..numeric import Floats

Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows with numeric and categorical features and a label.

    Categorical features and labels are codes; `levels[j][code]` and `classes[code]` are the words.
    """

    name: str
    numeric: Floats  # rows x numeric features
    categorical: Codes  # rows x categorical features
    levels: tuple[tuple[str, ...], ...]
    labels: Codes
    classes: tuple[str, ...]
    numeric_names: tuple[str, ...]
    categorical_names: tuple[str, ...]
    intercept: bool = True  # whether `design_matrix` starts with a column of ones

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        return (
            f"Dataset({self.name}: {len(self)} rows, {self.numeric.shape[1]} numeric and "
            f"{self.categorical.shape[1]} categorical features, {len(self.classes)} classes)"
        )

    @property
    def content_hash(self) -> str:
        """SHA-256 of what was parsed: the words and numbers, not the file they came in."""
        digest = hashlib.sha256()
        digest.update(
            repr(
                (
                    self.name,
                    self.levels,
                    self.classes,
                    self.numeric_names,
                    self.categorical_names,
                    self.intercept,
                )
            ).encode()
        )
        # Twelve digits: a mirror may write 377.550 for 377.55, and sums may differ in the last bit.
        digest.update("\n".join(f"{x:.12g}" for x in self.numeric.ravel().tolist()).encode())
        for codes in (self.categorical, self.labels):
            digest.update(np.ascontiguousarray(codes, dtype="<i8").tobytes())
        return digest.hexdigest()

    def columns(self) -> dict[str, Any]:
        """Column name to values, words for categories: what a data frame is made of."""
        columns: dict[str, Any] = {
            name: self.numeric[:, j] for j, name in enumerate(self.numeric_names)
        }
        for j, name in enumerate(self.categorical_names):
            columns[name] = np.array(self.levels[j], dtype=object)[self.categorical[:, j]]
        return columns

    def one_hot(self) -> Floats:
        """Numeric columns, then a 0/1 column for every level but the first of each category."""
        parts = [self.numeric]
        for j, words in enumerate(self.levels):
            codes = np.arange(1, len(words))
            parts.append((self.categorical[:, j, None] == codes).astype(np.float64))
        return np.concatenate(parts, axis=1) if parts else np.zeros((len(self), 0))

    def design_matrix(self) -> tuple[Floats, Floats]:
        """(X, y) of logistic regression as the paper has it, y = +-1; two classes only.

        Every column is centred and divided by its largest absolute value, over all rows; then the
        intercept is put first. Both use the data, so this is for studies, not for private models.
        """
        features = self.one_hot()
        features = features - features.mean(axis=0)
        largest = np.abs(features).max(axis=0)
        features = features / np.where(largest > 0, largest, 1.0)
        if self.intercept:
            features = np.concatenate([np.ones((len(self), 1)), features], axis=1)
        return features, np.asarray(2.0 * self.labels - 1.0, dtype=np.float64)


def encode(words: Sequence[str]) -> tuple[Codes, tuple[str, ...]]:
    """Codes and the words in order."""
    levels, codes = np.unique(np.array(words, dtype=str), return_inverse=True)
    return codes.astype(np.int64), tuple(str(word) for word in levels)


def make_dataset(
    name: str,
    numeric: Mapping[str, Sequence[float]],
    categorical: Mapping[str, Sequence[str]],
    labels: Sequence[str],
    intercept: bool = True,
) -> Dataset:
    """A dataset from named columns."""
    codes = [encode(words) for words in categorical.values()]
    label_codes, classes = encode(labels)
    rows = len(labels)
    return Dataset(
        name,
        np.array(list(numeric.values()), dtype=np.float64).reshape(len(numeric), rows).T.copy(),
        np.array([c for c, _ in codes], dtype=np.int64).reshape(len(codes), rows).T.copy(),
        tuple(words for _, words in codes),
        label_codes,
        classes,
        tuple(numeric),
        tuple(categorical),
        intercept,
    )
