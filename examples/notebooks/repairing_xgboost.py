# %% [markdown]
# # Repairing boosted trees
# The model that predicts best is often there already. `RepairClassifier` keeps it and decides fairly by its scores: the
# trees are trained without the sensitive features, which are read once, with noise, for the rule.

# %%
import dpfermi
from people import people
from sklearn.compose import make_column_transformer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from xgboost import XGBClassifier

X, y, sex = people()
y = (y == "high").astype(int)           # XGBoost takes classes from 0 on
X_train, X_test, y_train, y_test, sex_train, _ = train_test_split(X, y, sex, test_size=0.25, random_state=0)
encoded = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["job", "town"]), remainder="passthrough")
trees = make_pipeline(encoded, XGBClassifier(n_estimators=30, max_depth=4, learning_rate=0.1, n_jobs=1))
print("error of the trees:", round(1 - trees.fit(X_train, y_train).score(X_test, y_test), 3))

# %% [markdown]
# Scores must be of rows that the trees have not seen, so they are trained once more in five folds. Prediction needs no
# sensitive features.

# %%
ledger = dpfermi.Ledger("repair.db")
repaired = dpfermi.RepairClassifier(trees, epsilon=0.5, max_violation=0.05, sensitive_values=["f", "m"], ledger=ledger)
repaired.fit(X_train, y_train, sensitive_features=sex_train)
print("error of the repaired trees:", round(1 - repaired.score(X_test, y_test), 3))
print("violation, released:", repaired.violation_interval_)
repaired                                # a notebook shows the card

# %% [markdown]
# ## A curve from one sketch
# The same sketch serves linear models and repaired trees.

# %%
sketch = dpfermi.FairSketch(epsilon=0.5, sensitive_values=["f", "m"], ledger=ledger)
sketch.fit(X_train, y_train, sensitive_features=sex_train)
targets = [0.02, 0.05, 0.1, 0.2]
linear = [sketch.classifier(max_violation=target) for target in targets]
boosted = [dpfermi.RepairClassifier(trees, max_violation=target, cv=3).fit(X_train, y_train, sensitive_features=sketch)
           for target in targets]
axes = dpfermi.plot_trade_off(linear, X_test, y_test, label="softmax regression")
dpfermi.plot_trade_off(boosted, X_test, y_test, ax=axes, label="repaired trees")
axes.figure.savefig("repair.png")
print("spent:", ledger.spent())
