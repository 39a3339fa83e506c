/*
 * Opens an inclusion of ops.def: rows that the including file has no use for vanish. The includer defines the row
 * macros it wants and includes ops.def; ops_end.h then forgets all of them. The rows are described in ops.def.
 */
#ifndef OP
#define OP(id, text, groups, sig, unit, lat, doc)
#endif
#ifndef FORM
#define FORM(id, t1, t2, t3, groups, need, rnd)
#endif
#ifndef SIG
#define SIG(id, group, word, sig)
#endif
