"""Metadata: what scikit-learn passes to methods beside X and y, which its versions do differently."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np


def unseen_scores(estimator: Any, X: Any, y: Any, *, cv: Any, groups: Any, passed: dict[str, Any],
                  n_jobs: int | None) -> np.ndarray:
    """cross_val_predict() of probabilities. ``passed`` goes to fit(), ``groups`` to the splitter."""
    import sklearn
    from sklearn.model_selection import cross_val_predict

    metadata: dict[str, Any] = {"groups": groups, "params": passed or None}
    if "params" not in inspect.signature(cross_val_predict).parameters:
        metadata = {"groups": groups, "fit_params": passed or None}
    elif sklearn.get_config().get("enable_metadata_routing"):
        metadata = {"params": {**passed, **({} if groups is None else {"groups": groups})}}
    return cross_val_predict(estimator, X, y, cv=cv, method="predict_proba", n_jobs=n_jobs, **metadata)


class Routing:
    """What the methods ask for, from scikit-learn 1.3 on. ``sensitive_features`` and ``person_ids`` of ``fit`` are asked for from the start:
    with ``enable_metadata_routing=True`` a search or a pipeline passes them on without further ado."""

    _ASKED: dict[str, dict[str, bool | str | None]] = {
        "fit": {"sensitive_features": True, "person_ids": True, "sample_weight": None},
        "score": {"sample_weight": None},
    }

    def set_fit_request(self, **requests: bool | str | None) -> Any:
        """Which of ``sensitive_features``, ``person_ids`` and ``sample_weight`` scikit-learn is to pass to fit().

        Parameters
        ----------
        **requests
            True: pass it; False: do not; None: refuse it; a text: pass what has that name.

        Returns
        -------
        object
            The estimator.
        """
        return self._set_request("fit", requests)

    def set_score_request(self, **requests: bool | str | None) -> Any:
        """The same of ``sample_weight`` for score()."""
        return self._set_request("score", requests)

    def _set_request(self, method: str, requests: dict[str, bool | str | None]) -> Any:
        unknown = sorted(set(requests) - set(self._ASKED[method]))
        if unknown:
            raise TypeError(f"Unexpected args: {unknown} in {method}. Accepted arguments are: "
                            f"{sorted(self._ASKED[method])}")
        request = self.get_metadata_routing()
        for name, asked in requests.items():
            getattr(request, method).add_request(param=name, alias=asked)
        self._metadata_request = request
        return self

    def get_metadata_routing(self) -> Any:
        """The requests, for scikit-learn's own use. clone() copies them."""
        if hasattr(self, "_metadata_request"):
            return self._metadata_request
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=type(self).__name__)
        for method, arguments in self._ASKED.items():
            for name, asked in arguments.items():
                getattr(request, method).add_request(param=name, alias=asked)
        return request
