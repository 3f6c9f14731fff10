# reference/make_logistic_reference.R - weights and standard errors of R's glm.
#
#   Rscript make_logistic_reference.R DATA
#
# DATA is the folder of data sets. Writes logistic-glm.csv beside this script: maximum likelihood, no
# prior, errors from the inverse of the observed information.
args <- commandArgs()
here <- dirname(sub("^--file=", "", grep("^--file=", args, value = TRUE)))
data <- commandArgs(trailingOnly = TRUE)[1]
out <- NULL

add <- function(case, formula, table) {
    fit <- glm(formula, binomial, table, control = list(epsilon = 1e-15, maxit = 100))
    found <- summary(fit)$coefficients
    out <<- rbind(out, data.frame(case = case, feature = rownames(found),
                                  weight = sprintf("%.15g", found[, 1]),
                                  error = sprintf("%.15g", found[, 2])))
}

pima <- read.csv(file.path(data, "table/uci/pima-indians-diabetes.data"), header = FALSE)
names(pima) <- c("pregnant", "glucose", "pressure", "skin", "insulin", "bmi", "pedigree", "age",
                 "class")
add("pima", class ~ ., pima)
iris2 <- read.csv(file.path(data, "table/uci/iris.data"), header = FALSE)
names(iris2) <- c("sepal_length", "sepal_width", "petal_length", "petal_width", "class")
iris2 <- iris2[iris2$class != "Iris-setosa", ]
add("iris", class == "Iris-virginica" ~ ., iris2)
adult <- read.csv(file.path(data, "table/adult/adult.data"), header = FALSE, strip.white = TRUE)
adult <- data.frame(age = adult$V1, hours = adult$V13, education = adult$V5, sex = adult$V10,
                    race = adult$V9, class = adult$V15)
add("adult", class == ">50K" ~ ., adult)
write.csv(out, file.path(here, "logistic-glm.csv"), row.names = FALSE, quote = FALSE)
