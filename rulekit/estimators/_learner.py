"""What every classifier that learns its rule shares: many settings are fitted from one table."""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self

from sklearn.base import clone

from rulekit._validation import check_parameters
from rulekit.estimators._base import RuleClassifier
from rulekit.estimators._training import TrainingTable, read_training_table
from rulekit.exceptions import StoppedError

SEEN_IN_FIT = ("n_features_in_", "feature_names_in_")  # what reading a table sets


class RuleLearner(RuleClassifier):
    """A classifier that learns its rule from a table; see `RuleClassifier` for what it then has.

    A subclass says in `_fit_table` how, and in `_shared_work` what its settings have in common.
    """

    _multi_class: ClassVar[bool] = False

    def fit_many(
        self,
        X: Any,
        y: Any,
        settings: Sequence[Mapping[str, Any]],
        sample_weight: Any = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> Iterator[Self]:
        """Learn a rule for each of many settings; what they have in common is done once.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        settings : sequence of mapping
            Parameters to set, by name.
        should_stop : callable, optional
            Asked before each setting, by power-law trees more often; true ends the work, and what
            is not finished is not given.

        Yields
        ------
        RuleLearner
            In the order of `settings`, the very model that
            ``clone(self).set_params(**setting).fit(X, y, sample_weight)`` is; without
            `random_state` chance is drawn once for all of them. Empty rules are not warned about.

        Raises
        ------
        DataError, ValueError, SolverError
            As `fit` does.
        """
        reader, shared = clone(self), self._shared_work(should_stop)
        table = read_training_table(reader, X, y, sample_weight, multi_class=self._multi_class)
        for setting in settings:
            if should_stop is not None and should_stop():
                return
            model = self._known(setting, shared)
            if model is None:
                model = clone(self).set_params(**setting)
                model._check()
                for name in SEEN_IN_FIT:
                    if hasattr(reader, name):
                        setattr(model, name, getattr(reader, name))
                try:
                    model._fit_table(table, shared)
                except StoppedError:
                    return
                self._remember(setting, model, table, shared)
            yield model

    def _check(self) -> None:
        """Refuse parameters that are not allowed."""
        check_parameters(self)

    @abstractmethod
    def _shared_work(self, should_stop: Callable[[], bool] | None = None) -> Any:
        """Make what settings of one table can share; it is handed to `_fit_table`."""

    @abstractmethod
    def _fit_table(self, table: TrainingTable, shared: Any) -> None:
        """Do the work of `fit` on a table that was checked; `StoppedError` if it was stopped."""

    def _known(self, setting: Mapping[str, Any], shared: Any) -> Self | None:
        """Make the model of a setting from one fitted before, where that is possible."""
        return None

    def _remember(
        self, setting: Mapping[str, Any], model: Self, table: TrainingTable, shared: Any
    ) -> None:
        """Note what a fitted model lets `_known` answer."""
