#!/usr/bin/env python3
"""Weights of scikit-learn's ridge regressions on the diabetes data, for tests/model/test_linear.c.

    make_linear_reference.py DATA

DATA is the folder of data sets, of which table/regression/diabetes_data_raw.csv.gz and
diabetes_target.csv.gz are read. Prints the intercept and the weights of LinearRegression and of
Ridge(alpha=1) on the columns as they are, what BayesianRidge finds on standardised columns
(lambda_ / alpha_ is Credence's lambda), and the RMSE of LinearRegression with one row left out.
"""
import sys

import numpy as np
from sklearn.linear_model import BayesianRidge, LinearRegression, Ridge
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.preprocessing import StandardScaler


def tell(name, numbers):
    print(name)
    for number in np.ravel(numbers):
        print(f"  {number:.16g}")


def main():
    folder = f"{sys.argv[1]}/table/regression"
    x = np.loadtxt(f"{folder}/diabetes_data_raw.csv.gz")
    y = np.loadtxt(f"{folder}/diabetes_target.csv.gz")
    for model in (LinearRegression(), Ridge(alpha=1, solver="cholesky")):
        model.fit(x, y)
        tell(str(model), [model.intercept_, *model.coef_])
    model = BayesianRidge(alpha_1=0, alpha_2=0, lambda_1=0, lambda_2=0, tol=1e-12, n_iter=10000)
    model.fit(StandardScaler().fit_transform(x), y)
    tell("BayesianRidge: lambda, noise", [model.lambda_ / model.alpha_, model.alpha_ ** -0.5])
    left_out = cross_val_predict(LinearRegression(), x, y, cv=LeaveOneOut())
    tell("RMSE with one left out", np.sqrt(np.mean((left_out - y) ** 2)))


if __name__ == "__main__":
    main()
