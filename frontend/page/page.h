/*
 * The writer of HTML pages and SVG pictures, for `simtx paper` and `simtx report`. A page is one file that refers to no
 * other: its style, its tables, its pictures as inline SVG; no script. It is well-formed XML. Colours are variables
 * with a light and a dark set (prefers-color-scheme). A picture in a file of its own has the light set, from its
 * attributes.
 *
 * Wide tables and pictures scroll inside the page; a table of class "cards" becomes a list on narrow screens, with the
 * cells named by their data-label.
 */
#ifndef FRONTEND_PAGE_H
#define FRONTEND_PAGE_H

#include <stdbool.h>
#include <stdio.h>

/* ---- page.c: HTML ---- */

void page_begin(FILE *f, const char *title);         /* with the title as heading */
void page_end(FILE *f);
void page_text(FILE *f, const char *text);           /* &, <, > and quotes escaped; '?' for what is not UTF-8 */
void page_heading(FILE *f, int level, const char *id, const char *text);     /* id: NULL = none */
/* A paragraph of this class (NULL = none). */
void page_paragraph(FILE *f, const char *class, const char *format, ...) __attribute__((format(printf, 3, 4)));

void page_table_begin(FILE *f, const char *class);   /* class: NULL = none */
void page_table_end(FILE *f);
void page_head(FILE *f, const char *text);           /* a <th> */
void page_words(FILE *f, const char *text);          /* a <td> for words, aligned to the left */
/* The beginning of a <td> whose name on narrow screens is label; the caller closes it. */
void page_cell(FILE *f, const char *class, const char *label);
/* Digits in groups of three with narrow spaces; 4 digits, or one decimal, when it is no integer; a dash for NaN. */
void page_number(FILE *f, double v);
void page_number_text(double v, char *text, size_t size);    /* the same; v is a number */

/* ---- picture.c: SVG ---- */

/* Attributes of elements; their classes have the colours of the page. */
#define PICTURE_GRID "class=\"grid\" stroke=\"#dddddd\""
#define PICTURE_FRAME "class=\"frame\" stroke=\"#333333\""
#define PICTURE_OUTLINE "class=\"outline\" fill=\"none\" stroke=\"#111111\" stroke-dasharray=\"3 2\""
#define PICTURE_SMALL "font-size=\"11\""
#define PICTURE_RIGHT "text-anchor=\"end\""
#define PICTURE_MIDDLE "text-anchor=\"middle\""

void picture_begin(FILE *f, double width, double height, const char *title);
void picture_end(FILE *f);
void picture_text(FILE *f, double x, double y, const char *style, const char *text);
void picture_line(FILE *f, double x0, double y0, double x1, double y1, const char *style);
/* title: shown when the pointer is on it; NULL = none. */
void picture_rect(FILE *f, double x, double y, double width, double height, const char *style, const char *title);
void picture_circle(FILE *f, double x, double y, double radius, const char *style, const char *title);
const char *picture_colour(int i);                   /* "#3b6ea8", the same again after the last */
void picture_fill(char style[40], int i);            /* fill="#3b6ea8" */

/* An axis from `low` at the coordinate `from` to `high` at `to`. */
struct picture_axis { double low, high, from, to; bool logarithmic; };

/* Coordinate of a value; values beyond the ends are at the ends. */
double picture_at(const struct picture_axis *a, double v);
/* Extends a linear axis to a multiple of its step and a logarithmic one to its next label. */
void picture_axis_round(struct picture_axis *a);
/* Grid lines and labels of a vertical axis, at the left of the plot [left, right]. */
void picture_axis_vertical(FILE *f, const struct picture_axis *a, double left, double right, const char *unit);
/* The same of a horizontal one, below the plot [top, bottom]. */
void picture_axis_horizontal(FILE *f, const struct picture_axis *a, double top, double bottom, const char *unit);

/* Names of coloured series in rows between left and right. Returns the number of rows, also when draw is false.
 * outline: name of what is drawn as an outline, NULL = nothing. grey: the last name is of the rest, in grey. */
struct picture_legend { double left, right, top; const char *const *name; int n; const char *outline; bool grey; };
int picture_legend(FILE *f, const struct picture_legend *l, bool draw);
enum { PICTURE_LEGEND_ROW = 18 };

#endif
