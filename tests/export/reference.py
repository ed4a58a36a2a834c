"""What an exported model says, computed in plain numpy from `dpfermi export --format json` and its rules."""

import json

import numpy as np


def softmax(v):
    e = np.exp(v - v.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


class Reference:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.model = json.load(file)
        self.numbers = [i["column"] for i in self.model["inputs"] if i["type"] == "number"]
        self.categories = [i["column"] for i in self.model["inputs"] if i["type"] == "category"]
        self.score_columns = [name for name in self.model.get("scores", []) if name]

    def missing_numbers(self):
        """Markers of absence that are numbers count as such, however they are written."""
        return {float(m) for m in self.model["missing"] if m.lstrip("-").replace(".", "").isdigit()}

    def codes(self, spec, values):
        """The position of every text among the values of a category, -1 for one without weight."""
        read_as = {entry["text"]: entry["value"] for entry in spec.get("read_as", [])}
        position = {value: i for i, value in enumerate(spec["values"])}
        meant = [read_as.get(x, x) if x is not None else spec["missing_is"] for x in values]
        return np.array([position.get(m, -1) for m in meant])

    def encode(self, columns):
        """{(column, None), (column, "missing") or (column, value): input}"""
        encoded = {}
        markers = self.missing_numbers()
        for spec in self.model["inputs"]:
            name, values = spec["column"], columns[spec["column"]]
            if spec["type"] == "number":
                v = np.array([np.nan if x is None or x in markers else x for x in values], dtype=float)
                if "bounds" in spec:
                    v = np.clip(v, *spec["bounds"])
                z = ((v - spec["centre"]) / spec["scale"]).astype(np.float32).astype(float)
                encoded[name, "missing", True] = np.isnan(v).astype(float)
                encoded[name, None, None] = np.where(np.isnan(v), 0, z)
                continue
            codes = self.codes(spec, values)
            for i, value in enumerate(spec["values"]):
                encoded[name, "value", value] = (codes == i).astype(float)
        return encoded

    def absences(self, columns):
        """How many values are missing, and how many more belong to categories that training did not see."""
        missing = unknown = 0
        for spec in self.model["inputs"]:
            values = columns[spec["column"]]
            markers = self.missing_numbers() if spec["type"] == "number" else self.model["missing"]
            absent = np.array([x is None or x in markers for x in values])
            missing += absent.sum()
            if spec["type"] == "category":
                unknown += ((self.codes(spec, values) < 0) & ~absent).sum()
        return missing, unknown

    @staticmethod
    def inputs_of(layer, encoded):
        keys = []
        for entry in layer["coefficients"]:
            kind = "value" if "value" in entry else "missing" if "missing" in entry else None
            keys.append((entry["column"], kind, entry.get(kind) if kind else None))
        return np.stack([encoded[key] for key in keys], axis=1)

    def tree_outputs(self, encoded):
        trees = self.model["trees"]
        x = self.inputs_of({"coefficients": trees["inputs"]}, encoded).astype(np.float32)
        nodes = trees["nodes"]
        column = np.array([node.get("input", -1) for node in nodes])
        value = np.array([node.get("below", node.get("leaf")) for node in nodes], dtype=np.float32)
        then, otherwise = (np.array([node.get(key, 0) for node in nodes]) for key in ("then", "else"))
        l = len(self.model["classes"])
        outputs = np.zeros((len(x), l))
        for tree, root in enumerate(trees["roots"]):
            at = np.full(len(x), root)
            while (column[at] >= 0).any():
                below = x[np.arange(len(x)), column[at]] < value[at]
                at = np.where(column[at] < 0, at, np.where(below, then[at], otherwise[at]))
            outputs[:, 1 if l == 2 else tree % l] += value[at]
        return outputs

    def linear(self, layer, encoded):
        weights = np.array([entry["weights"] for entry in layer["coefficients"]])
        return self.inputs_of(layer, encoded) @ weights

    def scores(self, columns, encoded):
        if "trees" in self.model:
            return softmax(self.tree_outputs(encoded))
        if not self.model["members"]:
            given = {name: np.array(columns[name], dtype=float) for name in self.score_columns}
            rest = np.maximum(0, 1 - sum(given.values()))
            return np.stack([given[name] if name else rest for name in self.model["scores"]], axis=1)
        layers = self.model["members"][0]
        v = self.linear(layers[0], encoded) + np.array(layers[0]["constant"])
        for layer in layers[1:]:
            v = np.tanh(v) @ np.array(layer["weights"]) + np.array(layer["constant"])
        return softmax(v)

    def decide(self, columns):
        """Probabilities, decisions and how far the decision is from another one, for every row."""
        encoded = self.encode(columns)
        scores = self.scores(columns, encoded)
        if "repair" not in self.model:
            merits = scores
        else:
            merits = -self.expected_costs(encoded, scores)
        best = np.argmax(merits, axis=1)
        ordered = np.sort(merits, axis=1)
        margin = ordered[:, -1] - ordered[:, -2]
        probabilities = np.eye(scores.shape[1])[best] if "repair" in self.model else scores
        return probabilities, best, margin

    def expected_costs(self, encoded, scores):
        repair = self.model["repair"]
        l, k = scores.shape[1], len(repair["groups"])
        costs = np.array(repair["costs"]).reshape(l, k, l)
        total = np.zeros_like(scores)
        for y, proxy in enumerate(repair["proxy_by_label"]):
            guess = np.full((len(scores), k), 1 / k)
            if proxy is not None:
                layer = repair["proxies"][proxy]
                norm = np.sqrt((self.inputs_of(layer, encoded) ** 2).sum(axis=1, keepdims=True))
                factor = np.minimum(1, repair["clip_norm"] / np.maximum(norm, 1e-300))
                guess = softmax(factor * self.linear(layer, encoded) + np.array(layer["constant"]))
            total += scores[:, y:y + 1] * (guess @ costs[y])
        return total
