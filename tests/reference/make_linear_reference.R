#!/usr/bin/env Rscript
# make_linear_reference.R - what lm() says of the data of the linear regression tests.
#
#     make_linear_reference.R DATA HOUSES
#
# DATA is the folder of data sets, of which table/regression/diabetes_data_raw.csv.gz and
# diabetes_target.csv.gz are read; HOUSES is examples/data/houses.csv. Prints the weights and
# standard errors, noise, R² and an interval that tests/model/test_linear.c expects, and AIC and the
# RMSE with one row left out, by residuals / (1 - leverage), of tests/cli/linear.sh.
args <- commandArgs(trailingOnly = TRUE)
digits <- function(x) cat(sprintf("  %.16g", x), sep = "\n")

tell <- function(name, m) {
  s <- summary(m)
  cat(name, "\nweights\n")
  digits(coef(m))
  cat("standard errors\n")
  digits(s$coefficients[, 2])
  cat("noise, R², AIC, RMSE with one left out\n")
  digits(c(s$sigma, s$r.squared, AIC(m),
           sqrt(mean((residuals(m) / (1 - hatvalues(m)))^2))))
}

folder <- file.path(args[1], "table", "regression")
diabetes <- read.table(gzfile(file.path(folder, "diabetes_data_raw.csv.gz")))
names(diabetes) <- c("age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6")
diabetes$y <- read.table(gzfile(file.path(folder, "diabetes_target.csv.gz")))$V1
tell("diabetes", lm(y ~ ., diabetes))

houses <- read.csv(args[2], stringsAsFactors = TRUE)
m <- lm(price ~ size + age + colour, houses)
tell("houses", m)
cat("size 4.5, age 5, green: 90 % interval\n")
digits(predict(m, data.frame(size = 4.5, age = 5, colour = "green"), interval = "prediction",
               level = 0.9))
cat("weights with colour against the mean of all\n")
digits(coef(lm(price ~ size + age + colour, houses, contrasts = list(colour = "contr.sum"))))
