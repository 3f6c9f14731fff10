# peers/naivebayes.R - read a CSV file with data.table's fread and fit the R package naivebayes; the
# last column is the class.
#
# Debian has no naivebayes. Where it is not installed, this script makes the same estimates the
# same way: one cross table of class and value for each feature of factors, mean and deviation
# by class for reals. The first line of output says which of the two was measured.
suppressPackageStartupMessages(library(data.table))

estimate <- function(x, y, laplace)
{
    if (is.numeric(x))
        return(rbind(mean = tapply(x, y, mean, na.rm = TRUE), sd = tapply(x, y, sd, na.rm = TRUE)))
    counts <- table(y, x)
    (counts + laplace) / (rowSums(counts) + laplace * ncol(counts))
}

table_in <- fread(commandArgs(trailingOnly = TRUE)[1], stringsAsFactors = TRUE)
setDF(table_in)
target <- ncol(table_in)
if (requireNamespace("naivebayes", quietly = TRUE)) {
    cat("package naivebayes\n")
    model <- naivebayes::naive_bayes(table_in[-target], table_in[[target]], laplace = 1)
    print(model$prior)
} else {
    cat("stand-in for naivebayes\n")
    y <- table_in[[target]]
    tables <- lapply(table_in[-target], estimate, y = y, laplace = 1)
    print(table(y))
}
