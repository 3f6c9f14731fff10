# peers/e1071.R - read a CSV file with data.table's fread and fit e1071's naiveBayes; the last
# column is the class. Prints the class counts, so that the work can be checked.
suppressPackageStartupMessages({ library(data.table); library(e1071) })
table <- fread(commandArgs(trailingOnly = TRUE)[1], stringsAsFactors = TRUE)
setDF(table)
target <- ncol(table)
model <- naiveBayes(table[-target], table[[target]], laplace = 1)
print(model$apriori)
