#!/usr/bin/env Rscript
# reference/make_reference.R - posteriors of e1071's naiveBayes, for the reference cases.
#
#   Rscript make_reference.R DATA
#
# DATA is the folder of data sets. One CSV file per case is written beside this script. e1071
# replaces every factor that is not above eps = 0, also one that underflows, by 0.001. No other
# program does, so rows where that happens (or where a density comes near the underflow and has
# lost digits) are left out, and a case that has such rows stores no sums.
suppressPackageStartupMessages(library(e1071))

here <- dirname(normalizePath(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))))
data <- commandArgs(trailingOnly = TRUE)[1]
shown <- 100

uci <- function(name, columns)
    read.csv(file.path(data, "table", "uci", name), header = FALSE, col.names = columns,
             na.strings = "?", stringsAsFactors = TRUE, check.names = FALSE)

prepared <- function(recipe, name) {
    out <- tempfile("reference")
    dir.create(out)
    stopifnot(system2(file.path(here, "prepare.sh"), shQuote(c(recipe, data, out))) == 0)
    read.csv(file.path(out, name), na.strings = "?", stringsAsFactors = TRUE, check.names = FALSE)
}

# The smallest factor that any class and feature gives to each row.
smallest_factor <- function(model, new) {
    smallest <- rep(Inf, nrow(new))
    for (name in names(model$tables)) {
        table <- model$tables[[name]]
        for (class in seq_along(model$levels)) {
            factor <- if (is.numeric(new[[name]]))
                dnorm(new[[name]], table[class, 1], table[class, 2])
            else
                table[class, match(as.character(new[[name]]), colnames(table))]
            smallest <- pmin(smallest, factor, na.rm = TRUE)
        }
    }
    smallest
}

digits <- function(x) paste(sprintf("%.17g", x), collapse = ",")

fit <- function(case, train, target, laplace, new = train) {
    features <- setdiff(names(train), target)
    model <- naiveBayes(train[features], train[[target]], laplace = laplace)
    posterior <- predict(model, new[features], type = "raw")
    sound <- which(smallest_factor(model, new) > 1e-290)
    rows <- sound[seq(1, length(sound), by = max(1, length(sound) %/% shown))]
    out <- file(file.path(here, paste0(case, ".csv")), "w")
    on.exit(close(out))
    cat("# e1071 ", format(packageVersion("e1071")), " (R ", as.character(getRversion()),
        ") naiveBayes laplace=", laplace, " threshold=0.001 eps=0; ",
        length(sound), " rows without a replaced factor\n", sep = "", file = out)
    cat("# rows ", nrow(new), "\n", sep = "", file = out)
    cat("row", paste0("p(", model$levels, ")"), sep = ",", file = out)
    cat("\n", file = out)
    for (row in rows)
        cat(row, ",", digits(posterior[row, ]), "\n", sep = "", file = out)
    if (length(sound) == nrow(new))
        cat("sum,", digits(colSums(posterior)), "\n", sep = "", file = out)
}

iris <- uci("iris.data", c("sl", "sw", "pl", "pw", "class"))
fit("iris-e1071", iris, "class", 0)

wine <- uci("wine.data", c("class", paste0("x", 1:13)))
wine$class <- factor(wine$class)
fit("wine-e1071", wine, "class", 0)

wdbc <- uci("wdbc.data", c("id", "diagnosis", paste0("x", 1:30)))
wdbc$id <- NULL
fit("wdbc-e1071", wdbc, "diagnosis", 0)

votes <- uci("house-votes-84.data", c("party", paste0("v", 1:16)))
fit("votes-e1071", votes, "party", 0)
fit("votes-e1071-laplace", votes, "party", 1)

mushroom <- uci("agaricus-lepiota.data", c("class", paste0("f", 1:22)))
fit("mushroom-e1071", mushroom, "class", 0)
fit("mushroom-e1071-laplace", mushroom, "class", 1)

adult <- prepared("adult", "adult.csv")
adult_test <- prepared("adult", "adult-test.csv")
fit("adult-e1071", adult, "income", 0, adult_test)
fit("adult-e1071-laplace", adult, "income", 1, adult_test)
