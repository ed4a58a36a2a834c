# %% [markdown]
# # A grid search that is paid for once
# Every fit on sensitive features costs. A search over eight weights of the fairness term would cost eight times, and five
# folds forty times. A `FairSketch` reads the sensitive features once; the models of the grid follow from it.

# %%
import dpfermi
import numpy as np
from people import people
from sklearn.model_selection import GridSearchCV

X, y, sex = people()
train, test = np.arange(4500), np.arange(4500, len(X))
ledger = dpfermi.Ledger("grid.db")
ledger.set_budget("people", epsilon=0.5, delta=1e-5)
sketch = dpfermi.FairSketch(epsilon=0.5, positive="high", sensitive_values=["f", "m"], ledger=ledger, budget="people")
sketch.fit(X.iloc[train], y.iloc[train], sensitive_features=sex.iloc[train])

# %% [markdown]
# The sketch stands for the sensitive features. It is of the training side of the one split, so that is the split of the
# grid. Workers get X, y and the sketch, never the sensitive features.

# %%
weights = [0, 0.5, 1, 2, 4, 8, 16, 32]
grid = GridSearchCV(dpfermi.FairClassifier(positive="high"), {"lambda_": weights}, cv=[(train, test)], refit=False, n_jobs=2,
                    error_score="raise")
grid.fit(X, y, sensitive_features=sketch)
for weight, accuracy in zip(weights, grid.cv_results_["mean_test_score"]):
    print(f"lambda {weight:4}: error {1 - accuracy:.3f}")

# %% [markdown]
# Accuracy alone would choose no fairness at all. The sketch bounds the violation of each model, at no cost:

# %%
models = [sketch.classifier(lambda_=weight) for weight in weights]
allowed = [(1 - model.score(X.iloc[test], y.iloc[test]), weight) for weight, model in zip(weights, models)
           if model.violation_interval_["high"] <= 0.15]
print("of the models that differ by 0.15 at most, the best has lambda", min(allowed)[1])
print("spent:", ledger.spent("people"))

# %%
axes = dpfermi.plot_trade_off(models, X.iloc[test], y.iloc[test], label="from one sketch")
axes.figure.savefig("grid.png")
