"""Metadata routing of scikit-learn 1.3 and later. Without it, and on older versions, nothing here is called."""

from __future__ import annotations

from typing import Any


class Routing:
    """What the methods ask for. ``sensitive_features`` and ``person_ids`` of ``fit`` are asked for from the start:
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
