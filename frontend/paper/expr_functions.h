/* The functions of expressions (expr.h): of values, and of the values of an expression for each member of a list. */
#ifndef FRONTEND_EXPR_FUNCTIONS_H
#define FRONTEND_EXPR_FUNCTIONS_H

enum { EXPR_ARGUMENTS_MAX = 3, EXPR_LIST_MAX = 64 };

typedef double expr_function(const double *v, int n);

/* NULL: there is no function of lists of this name, no function of n values. */
expr_function *expr_list_function(const char *name);
expr_function *expr_value_function(const char *name, int n);

#endif
