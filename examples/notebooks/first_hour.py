# %% [markdown]
# # The first hour
# A table of people, an income to predict, and a sex that must neither decide nor leak. Everything below is paid from
# one ledger on disk; the last cell shows what was spent.

# %%
import dpfermi
from people import people
from sklearn.model_selection import train_test_split

X, y, sex = people()
X_train, X_test, y_train, y_test, sex_train, sex_test = train_test_split(X, y, sex, test_size=0.25, random_state=0)
ledger = dpfermi.Ledger("first_hour.db")
ledger.set_budget("people", epsilon=2, delta=1e-5)

# %% [markdown]
# ## Without fairness
# No sensitive features: nothing is charged, and a warning says that fairness was not applied.

# %%
import warnings

plain = dpfermi.FairClassifier(positive="high")
with warnings.catch_warnings():
    warnings.simplefilter("ignore", dpfermi.FairnessWarning)
    plain.fit(X_train, y_train)
print("error without fairness:", round(1 - plain.score(X_test, y_test), 3))

# %% [markdown]
# ## With fairness
# The groups are declared: the list of groups gives a model its shape, and one person could add to it. Categories and
# missing values need no encoder.

# %%
fair = dpfermi.FairClassifier(epsilon=1, max_violation=0.05, positive="high", sensitive_values=["f", "m"], ledger=ledger,
                              budget="people")
fair.fit(X_train, y_train, sensitive_features=sex_train)
print("error with fairness:", round(1 - fair.score(X_test, y_test), 3))
print("violation, released:", fair.violation_interval_)
fair                                    # a notebook shows the card

# %% [markdown]
# ## Figures for others
# `evaluate_private` measures with noise and charges the budget; `evaluate_exact` is for the holder of the data alone.

# %%
figures = dpfermi.evaluate_private(fair, X_test, y_test, sensitive_features=sex_test, epsilon=0.5, delta=1e-6,
                                   ledger=ledger, budget="people")
figures["metrics"]["violation"]["demographic_parity"]

# %% [markdown]
# ## A budget that holds
# Another 1 does not fit into what is left: the fit is refused, and nothing is charged.

# %%
try:
    fair.fit(X_train, y_train, sensitive_features=sex_train)
except dpfermi.BudgetExceeded as refused:
    print(refused)
print(ledger.spent("people"))

# %% [markdown]
# ## A picture
# What fairness costs: one sketch pays for all models of the curve. The cross is the best constant; a model above it is of no
# use, and the noise of a small budget can make one.

# %%
sketch = dpfermi.FairSketch(epsilon=0.4, positive="high", sensitive_values=["f", "m"], ledger=ledger, budget="people")
sketch.fit(X_train, y_train, sensitive_features=sex_train)
models = [sketch.classifier(max_violation=target) for target in (0.02, 0.05, 0.1, 0.2, 0.4)]
axes = dpfermi.plot_trade_off(models, X_test, y_test)
axes.figure.savefig("first_hour.png")
print(ledger.spent("people"))
