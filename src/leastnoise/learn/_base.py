"""What both classifiers share: parameters, reading tables, releasing, telling what it cost."""

from __future__ import annotations

import copy
import inspect
import math
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..errors import ArgumentError, MissingExtraError
from ..exact import rational
from ..numeric import Floats
from ..sampling import Entropy, InsecureSeededEntropy, system_entropy
from ..tables.unit import check_neighbors
from .accountant import charge, check_accountant
from .calibrate import NOISES, plan
from .cells import (
    cells_of,
    check_kinds,
    column_numbers,
    is_frame,
    labels_of,
    named_kind,
    numbers,
    table_of,
)
from .kinds import ClassifierPlan, StatisticKind
from .privacy import Privacy, StatisticRelease
from .public import Schema, bounds_of, classes_of, column_index, levels_of
from .surroundings import reject_weights, warn_of_surroundings

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils import assert_all_finite, check_array, check_random_state
    from sklearn.utils._indexing import _safe_indexing
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError:
    raise MissingExtraError("scikit-learn", "estimators") from None


class PrivateClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose `fit` is one differentially private computation."""

    _schema: Schema

    def __new__(cls, *positional: Any, **named: Any) -> Self:
        """An instance; a weight of classes is rejected with its reason."""
        reject_weights(f"{cls.__name__}()", {n: v for n, v in named.items() if n == "class_weight"})
        return super().__new__(cls)  # type: ignore[no-any-return]

    def __init_subclass__(cls, **named: Any) -> None:
        """A subclass is shown with the arguments of its `__init__`."""
        super().__init_subclass__(**named)
        arguments = list(inspect.signature(cls.__init__).parameters.values())[1:]
        cls.__signature__ = inspect.Signature(arguments)

    def _begin(self, other: dict[str, Any]) -> None:
        """Reject arguments that `fit` has not, and warn of what its budget does not cover."""
        reject_weights("fit()", other)
        warn_of_surroundings()

    # -- parameters ---------------------------------------------------------------------------

    def _check_parameters(self) -> None:
        self._epsilon = rational(self.epsilon, "epsilon")
        self._delta = rational(self.delta, "delta")
        if self._epsilon < 0:
            raise ArgumentError("epsilon", self.epsilon, "at least 0")
        if not 0 <= self._delta < 1:
            raise ArgumentError("delta", self.delta, "at least 0 and below 1")
        if self.noise is not None and self.noise not in NOISES:
            raise ArgumentError("noise", self.noise, f"one of {', '.join(NOISES)}, or None")
        check_neighbors(self.neighbors)
        loud = self.take_public_knowledge_from_data_not_private
        if not isinstance(loud, (bool, np.bool_)):
            raise ArgumentError(
                "take_public_knowledge_from_data_not_private", loud, "True or False"
            )
        if not isinstance(self.verbose, (bool, int, np.bool_)):
            raise ArgumentError("verbose", self.verbose, "True, False, or an integer")
        check_accountant(self.accountant)

    def __sklearn_clone__(self) -> Self:
        """A clone, as searches make them, charges the same accountant and no copy of it."""
        bare = copy.copy(self)
        bare.accountant = None
        made = super(PrivateClassifier, bare).__sklearn_clone__()
        made.accountant = self.accountant
        return made  # type: ignore[no-any-return]

    def _charge(self) -> None:
        """Spend the budget of one fit, before any noise is drawn."""
        budget = None if self.noise is None else (self._epsilon, self._delta)
        charge(self.accountant, budget, f"{type(self).__name__}.fit", self.neighbors)

    def _not_negative(self, name: str) -> None:
        value = rational(getattr(self, name), name)
        if value < 0:
            raise ArgumentError(name, getattr(self, name), "at least 0")

    def _entropy(self) -> Entropy:
        if self.random_state is None:
            return system_entropy()
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        return InsecureSeededEntropy(int(seed))

    def __sklearn_tags__(self) -> Any:
        """Missing values are allowed: a refusal would tell of them."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    # -- reading ------------------------------------------------------------------------------

    def _read(
        self, X: Any, y: Any, classes: Any = None, again: bool = False
    ) -> tuple[Floats, list[Any], NDArray[np.int64]]:
        """(numeric columns, categorical columns, class codes); sets classes_ and the schema.

        No value is refused: what is no number counts as the middle of its bounds, and a row whose
        label is none of the classes, or could be none, is left out: what a row adds does not depend
        on the others. `again`: more rows for the schema and the classes there are.
        """
        X, declared_kind = table_of(X), named_kind(y)
        places = self._schema.categorical if again else self._categorical_places(X)
        validate_data(self, X, y, skip_check_array=True, reset=not again)
        numeric, categorical = self._columns(X, places, self.neighbors == "replace")
        loud = bool(self.take_public_knowledge_from_data_not_private)
        read_classes = classes is None and loud  # whose labels, and their type, are all of them
        y = labels_of(np.asarray(y) if read_classes else y)
        if len(numeric) != len(y):
            raise ValueError("X and y have inconsistent numbers of samples")  # (may be private)
        width = self.n_features_in_
        names = getattr(self, "feature_names_in_", None)
        numeric_places = tuple(j for j in range(width) if j not in places)
        if read_classes:
            assert_all_finite(y, input_name="y")
            check_classification_targets(y)
        if again:
            labels = self._known_labels(y, declared_kind)
        else:
            low, high = bounds_of(self.bounds, numeric_places, names, width, numeric, loud)
            known = getattr(self, "categories", None)
            levels = levels_of(known, places, names, width, categorical, loud)
            self._schema = Schema(numeric_places, places, low, high, levels)
            self._classes_read = classes is None
            self.classes_, labels = classes_of(classes, y, loud, declared_kind)
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least 2 classes, the data has one class"
            )
        kept = labels >= 0
        if not kept.all():
            categorical = [
                [value for value, chosen in zip(column, kept, strict=True) if chosen]
                for column in categorical
            ]
        return numeric[kept], categorical, labels[kept]

    def _known_labels(self, y: Any, declared_kind: str | None) -> NDArray[np.int64]:
        """Codes of more labels; where the classes were read off the data, no new one may come."""
        _, labels = classes_of(self.classes_, y, False, declared_kind)
        if self._classes_read and (labels < 0).any():
            raise ValueError(
                "y has a label that was not in the first call (not shown: it is data); list all "
                "labels that there may be in `classes`, and rows with others are left out"
            )
        return labels

    def _read_again(self, X: Any) -> tuple[Floats, list[Any]]:
        check_is_fitted(self, "classes_")
        X = table_of(X)
        if self._schema.categorical:
            validate_data(self, X, skip_check_array=True, reset=False)
        columns = self._columns(X, self._schema.categorical)
        validate_data(self, X, skip_check_array=True, reset=False)
        return columns

    def _categorical_places(self, X: Any) -> tuple[int, ...]:
        """Columns that hold categories."""
        asked = getattr(self, "categorical", None)
        names = [str(name) for name in X.columns] if hasattr(X, "columns") else None
        if asked is None:
            return ()
        if isinstance(asked, str) and asked == "auto":
            return tuple(_wordy(X)) if names is not None else ()
        if isinstance(asked, str) or not hasattr(asked, "__iter__"):
            raise ArgumentError("categorical", asked, "'auto', None, or a list of columns")
        places = {column_index(name, names, int(X.shape[1]), "categorical") for name in asked}
        return tuple(sorted(places))

    def _columns(
        self, X: Any, categorical: tuple[int, ...], rows: bool = True
    ) -> tuple[Floats, list[Any]]:
        """(numeric columns, categorical columns); `rows`: whether there must be any row.

        No cell is refused (see `cells`); shapes and types of columns are.
        """
        least = {"ensure_min_samples": int(rows), "ensure_min_features": int(not categorical)}
        if not rows and not categorical and X.shape[1] == 0:  # (theirs tells the number of rows)
            raise ValueError("Found array with 0 feature(s) while a minimum of 1 is required.")
        if not is_frame(X):
            # Sparse tables and other shapes: scikit-learn has the words, and shows no cell.
            table = X
            if categorical and not hasattr(X, "toarray"):
                table = np.asarray(table, dtype=object)
            elif not hasattr(X, "toarray"):
                table = numbers(table)
            kind = None if categorical else np.float64
            table = check_array(table, dtype=kind, ensure_all_finite=False, estimator=self, **least)
            kept = [j for j in range(table.shape[1]) if j not in categorical]
            if not categorical:
                return np.asarray(table, dtype=np.float64), []
            return numbers(table[:, kept]), [list(table[:, j]) for j in categorical]
        kept = [j for j in range(X.shape[1]) if j not in categorical]
        check_kinds(X, tuple(kept))
        columns = [column_numbers(_safe_indexing(X, j, axis=1)) for j in kept]
        table = np.stack(columns, axis=1) if columns else np.zeros((len(X), 0))
        check_array(table, ensure_all_finite=False, estimator=self, **least)
        return table, [cells_of(_safe_indexing(X, j, axis=1)) for j in categorical]

    # -- releasing ----------------------------------------------------------------------------

    def _release(
        self, kinds: tuple[StatisticKind, ...], values: list[list[Fraction]]
    ) -> tuple[list[Floats], ClassifierPlan | None]:
        """Noisy statistics as floats, kind by kind, in units; and the plan behind them."""
        if self.noise is None:
            self._charge()
            return [np.array([float(v) for v in numbers]) for numbers in values], None
        planned = plan(kinds, self._epsilon, self._delta, self.noise, at_once=True)
        self._charge()
        entropy = self._entropy()
        if planned.at_once is not None:
            noisy = planned.at_once.release(values, entropy)
        else:
            noisy = [
                choice.noise.release(numbers, choice.cells, entropy)
                for choice, numbers in zip(planned.chosen, values, strict=True)
            ]
        return [np.array([float(v) for v in numbers]) for numbers in noisy], planned

    def _privacy(self, planned: ClassifierPlan | None) -> Privacy:
        read = [
            name
            for name, of_use in (
                ("bounds", self._schema.numeric),
                ("categories", self._schema.categorical),
            )
            if of_use and getattr(self, name, None) is None
        ] + ["classes"] * self._classes_read
        caveats = []
        caveats.append("Scalers, imputers or selections fitted to the data before are not covered.")
        if self.neighbors == "replace":
            caveats.append("The number of rows is treated as public.")
        if read:
            caveats.insert(0, f"NOT PRIVATE: {' and '.join(read)} were taken from the data.")
        if self.random_state is not None:
            caveats.insert(0, "NOT PRIVATE: random_state was given; the noise can be removed.")
        if planned is None:
            return Privacy(math.inf, 0.0, self.neighbors, "no noise", (), tuple(caveats))
        releases = tuple(
            StatisticRelease(
                choice.kind.name,
                choice.kind.numbers,
                choice.label,
                choice.std,
                float(choice.kind.reach * choice.kind.unit),
                max(choice.kind.times(way) for way in range(len(choice.kind.changes))),
            )
            for choice in planned.chosen
        )
        return Privacy(
            planned.epsilon, planned.delta, self.neighbors, planned.picked, releases, tuple(caveats)
        )


def _wordy(X: Any) -> list[int]:
    """Columns of a data frame that hold no numbers."""
    places = []
    for j, kind in enumerate(X.dtypes):
        numeric = (
            kind.is_numeric()
            if hasattr(kind, "is_numeric")
            else (getattr(kind, "kind", "O") in "iufb")
        )
        if not numeric:
            places.append(j)
    return places
