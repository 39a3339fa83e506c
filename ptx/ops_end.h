/* Closes an inclusion of ops.def: no row macro outlives it. */
#undef OP
#undef FORM
#undef SIG
