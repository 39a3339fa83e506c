/* An SVG file: a point for each case and run, the diagonal, the band within 15 %. */
#include "regress/correlation/scatter.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 520, LEFT = 70, TOP = 30, WIDTH = LEFT + SIZE + 30, HEIGHT = TOP + SIZE + 60 };
static const double LOW = 2000, HIGH = 64000;

static const struct { const char *name, *colour; } runs[RUNS] = {
    [COLD] = { "cold L2", "#3b6ea8" }, [WARM] = { "copies fill L2", "#e08a3c" }
};

static double place(double cycles)
{
    return SIZE * log(cycles / LOW) / log(HIGH / LOW);
}

static double across(double cycles)
{
    return LEFT + place(cycles);
}

static double down(double cycles)
{
    return TOP + SIZE - place(cycles);
}

static void axes(FILE *f)
{
    for (double v = LOW; v <= HIGH; v *= 2) {
        fprintf(f, "<path d=\"M%.1f %d V%d M%d %.1f H%d\" stroke=\"#dddddd\"/>\n", across(v), TOP, TOP + SIZE, LEFT,
                down(v), LEFT + SIZE);
        fprintf(f, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.0f</text>\n", across(v), TOP + SIZE + 18, v);
        fprintf(f, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.0f</text>\n", LEFT - 6, down(v) + 4, v);
    }
    fprintf(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">cycles, GPGPU-Sim 4.2</text>\n", LEFT + SIZE / 2,
            TOP + SIZE + 42);
    fprintf(f, "<text transform=\"translate(16 %d) rotate(-90)\" text-anchor=\"middle\">cycles, simtx</text>\n",
            TOP + SIZE / 2);
}

/* Points above the diagonal: simtx takes more cycles. */
static void band(FILE *f)
{
    double shift = SIZE * log(1.15) / log(HIGH / LOW);
    fprintf(f, "<path d=\"M%d %.1f L%.1f %d H%d V%.1f L%.1f %d H%d Z\" fill=\"#eef3f8\"/>\n", LEFT, TOP + SIZE - shift,
            LEFT + SIZE - shift, TOP, LEFT + SIZE, TOP + shift, LEFT + shift, TOP + SIZE, LEFT);
    fprintf(f, "<path d=\"M%d %d L%d %d\" stroke=\"#999999\"/>\n", LEFT, TOP + SIZE, LEFT + SIZE, TOP);
}

static void points(FILE *f, const struct comparison *x, int run)
{
    for (uint32_t i = 0; i < x->cases; i++) {
        const struct point *p = &x->point[run][i];
        fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\" fill-opacity=\"0.8\">"
                   "<title>%s, %s: %llu, GPGPU-Sim %llu</title></circle>\n",
                across((double)p->incumbent), down((double)p->cycles), runs[run].colour, x->list[i].name,
                runs[run].name, p->cycles, p->incumbent);
    }
}

void draw_scatter(const struct comparison *x, const char *path)
{
    FILE *f = fopen(path, "w");
    if (!f) {
        fprintf(stderr, "correlation: %s cannot be written\n", path);
        exit(1);
    }
    fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
               "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n", WIDTH, HEIGHT);
    band(f);
    axes(f);
    for (int run = COLD; run < RUNS; run++) {
        points(f, x, run);
        fprintf(f, "<circle cx=\"%d\" cy=\"%d\" r=\"4\" fill=\"%s\"/><text x=\"%d\" y=\"%d\">%s</text>\n", LEFT + 16,
                TOP + 18 + run * 18, runs[run].colour, LEFT + 26, TOP + 22 + run * 18, runs[run].name);
    }
    fputs("</svg>\n", f);
    if (fclose(f)) {
        fprintf(stderr, "correlation: %s cannot be written\n", path);
        exit(1);
    }
}
