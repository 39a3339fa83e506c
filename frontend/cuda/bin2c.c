/* bin2c: prints the bytes of a file as a C array, as the CUDA toolkit's tool does.  Build systems use it to compile PTX
 * or a fat binary into a program, which loads it with cuModuleLoadData. */
#include "tool.h"

#include <stdint.h>

const char tool_name[] = "bin2c (simtx)";

static const char help[] =
    "bin2c (simtx): prints a file as a C array\n"
    "usage: bin2c [options] FILE >ARRAY.h\n"
    "  -c, --const         a constant array\n"
    "  -st, --static       a static array\n"
    "  -n, --name NAME     the name of the array (default imageBytes)\n"
    "  -t, --type TYPE     char (default), short, int or longlong: the elements of the array\n"
    "  -p, --padd LIST     bytes to append, with commas between them: 0 ends a text\n";

enum { LINE = 16 };

struct element {
    const char *option, *name;
    unsigned bytes;
};

static const struct element elements[] = {
    {"char", "unsigned char", 1},
    {"short", "unsigned short", 2},
    {"int", "unsigned int", 4},
    {"longlong", "unsigned long long", 8},
};

struct request {
    const char *file, *name, *padding;
    const struct element *element;
    bool constant, internal;
};

static const struct element *find_element(const char *name)
{
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (!strcmp(elements[i].option, name))
            return &elements[i];
    tool_fail("--type takes char, short, int or longlong, not '%s'", name);
}

static bool one_of(const char *arg, const char *brief, const char *full)
{
    return !strcmp(arg, brief) || !strcmp(arg, full);
}

static void read_arguments(struct request *r, int argc, char **argv)
{
    const char *type;
    for (int i = 1; i < argc; i++) {
        tool_information(argv[i], help);
        if (one_of(argv[i], "-c", "--const"))
            r->constant = true;
        else if (one_of(argv[i], "-st", "--static"))
            r->internal = true;
        else if (tool_option(argv, argc, &i, "-n", &r->name) || tool_option(argv, argc, &i, "--name", &r->name) ||
                 tool_option(argv, argc, &i, "-p", &r->padding) ||
                 tool_option(argv, argc, &i, "--padd", &r->padding))
            continue;
        else if (tool_option(argv, argc, &i, "-t", &type) || tool_option(argv, argc, &i, "--type", &type))
            r->element = find_element(type);
        else if (argv[i][0] == '-')
            tool_fail("unknown option '%s'; --help lists the options", argv[i]);
        else if (r->file)
            tool_fail("two files, '%s' and '%s'; bin2c takes one", r->file, argv[i]);
        else
            r->file = argv[i];
    }
    if (!r->file)
        tool_fail("no file; --help shows the usage");
}

/* Prints bytes as elements; the host is little-endian, so is the array. */
struct writer {
    unsigned bytes, filled;
    uint64_t value;
    size_t count;
};

static void put_element(struct writer *w)
{
    printf("%s0x%0*llx", !w->count ? "" : w->count % LINE ? "," : ",\n", (int)(2 * w->bytes),
           (unsigned long long)w->value);
    w->count++;
    w->value = w->filled = 0;
}

static void put_byte(struct writer *w, unsigned byte)
{
    w->value |= (uint64_t)(byte & 0xff) << (8 * w->filled++);
    if (w->filled == w->bytes)
        put_element(w);
}

static void put_padding(struct writer *w, const char *list)
{
    while (*list) {
        char *end;
        unsigned long byte = strtoul(list, &end, 16);
        if (end == list || byte > 0xff || (*end && *end != ','))
            tool_fail("--padd takes bytes such as 0 or 0x0a,0, not '%s'", list);
        put_byte(w, (unsigned)byte);
        list = end + (*end == ',');
    }
}

int main(int argc, char **argv)
{
    struct request r = {.name = "imageBytes", .padding = "", .element = &elements[0]};
    read_arguments(&r, argc, argv);
    size_t size;
    char *text = tool_read(r.file, &size);
    struct writer w = {.bytes = r.element->bytes};
    printf("#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    printf("%s%s%s %s[] = {\n", r.internal ? "static " : "", r.constant ? "const " : "", r.element->name, r.name);
    for (size_t i = 0; i < size; i++)
        put_byte(&w, (unsigned char)text[i]);
    put_padding(&w, r.padding);
    while (w.filled)
        put_byte(&w, 0);
    printf("\n};\n\n#ifdef __cplusplus\n}\n#endif\n");
    free(text);
    if (fflush(stdout))
        tool_fail("cannot write the array: %s", strerror(errno));
    return 0;
}
