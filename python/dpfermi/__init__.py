"""Classifiers that are accurate, fair and differentially private at once.

Every fit that reads protected data charges a ledger on disk before it reads them, so that the guarantee survives
``clone``, cross-validation, grid search and parallel workers.
"""

from ._errors import BudgetExceeded, Error, FairnessWarning, NotFittedError
from ._estimators import FairClassifier, FairSketch, methods
from ._evaluation import evaluate_exact, evaluate_private, plot_trade_off
from ._files import load_model
from ._ledger import Bound, Ledger, account, calibrate
from ._library import version
from ._repair import RepairClassifier

__version__ = version()
__all__ = [
    "Bound",
    "BudgetExceeded",
    "Error",
    "FairClassifier",
    "FairSketch",
    "FairnessWarning",
    "Ledger",
    "NotFittedError",
    "RepairClassifier",
    "account",
    "calibrate",
    "evaluate_exact",
    "evaluate_private",
    "load_model",
    "methods",
    "plot_trade_off",
]
