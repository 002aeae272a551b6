"""L2 logistic regressions, one for each class, on sparse rows."""

from __future__ import annotations

import warnings

import numpy as np
import scipy.sparse as sp

from ..base.ragged import Array, SparseMatrix, index_dtype

_TOLERANCE = 1e-2  # of the solver; scores do not change below it


def fit_one_vs_rest(x: SparseMatrix, table: Array, strength: float) -> tuple[Array, Array]:
    """Weights (F, C) and biases (C,) of one logistic regression for each column of ``table``.

    Coordinate descent on the dual problem (Yu et al. 2011, as in LIBLINEAR), which visits only
    entries of the rows.

    Args:
        x: Features, CSR (n, F).
        table: Which subgraph has which class; bool (n, C).
        strength: C of the regression: the weight of the losses against the L2 penalty.
    """
    from sklearn.exceptions import ConvergenceWarning

    x = x.sorted_indices()  # the solver sorts in place, and would leave the caller's data behind
    dtype = index_dtype(x.nnz, *x.shape)  # the solver reads 32-bit indices only
    parts = (x.data, x.indices.astype(dtype), x.indptr.astype(dtype))
    x = sp.csr_array(parts, shape=x.shape)
    weights, biases = np.zeros((x.shape[1], table.shape[1])), np.zeros(table.shape[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # it is judged by its scores
        for column in range(table.shape[1]):  # one by one: the solver has one random state for all
            weights[:, column], biases[column] = _fit_binary(x, table[:, column], strength)
    return weights, biases


def lone_logit(count: int) -> float:
    """Logit of a class that all of so many training subgraphs have; of one that none has, minus it.

    The logarithm of the odds with half a subgraph more on either side: a class that was not seen is
    rare, not impossible, and one subgraph of it must not decide about the log loss of a model.
    """
    return float(np.log(2 * count + 1))


def _fit_binary(x: SparseMatrix, truth: Array, strength: float) -> tuple[Array, float]:
    from sklearn.linear_model import LogisticRegression

    if truth.all() or not truth.any():
        lone = lone_logit(len(truth))
        return np.zeros(x.shape[1]), lone if len(truth) and truth.all() else -lone
    model = LogisticRegression(
        C=strength, solver="liblinear", dual=True, tol=_TOLERANCE, random_state=0
    )
    model.fit(x, truth)
    return model.coef_[0], float(model.intercept_[0])
