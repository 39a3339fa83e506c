/* The part of a document that a test writes: between two lines that mark it. */
#ifndef REGRESS_MACHINES_DOCUMENT_H
#define REGRESS_MACHINES_DOCUMENT_H

#include <stdbool.h>

/*
 * Does the file have `text` between the lines begin and end (each with its newline)? With `write` the part is replaced,
 * and the answer is true. Ends the program with a message if the file cannot be read or written or has no such part.
 */
bool document_has(const char *path, const char *begin, const char *end, const char *text, bool write);

#endif
