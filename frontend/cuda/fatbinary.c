/* fatbinary, called by clang's CUDA driver: puts the PTX of each architecture into the container that the
 * runtime finds through __cudaRegisterFatBinary.  Layout: a 16-byte header, then entries of a 64-byte header
 * and NUL-ended text padded to 8 bytes.  Machine-code images are omitted: the simulator runs PTX. */
#include "tool.h"

#include <stdint.h>

const char tool_name[] = "fatbinary (simtx)";

static const char help[] =
    "fatbinary (simtx): puts PTX files into a container for the CUDA runtime; clang calls this\n"
    "usage: fatbinary --create FILE --image=profile=compute_70,file=X.s ...\n"
    "  --create FILE            the container to write\n"
    "  --image=profile=P,file=F     P is compute_NN (PTX) or sm_NN (used only when no PTX image is given)\n"
    "  --embedded-fatbin FILE   after nvlink: an empty C text\n"
    "  --image3=kind=K,sm=N,file=F  the newer spelling; K is ptx or elf\n";

enum { MAX_IMAGES = 64 };

struct image {
    unsigned arch;
    bool ptx;
    char *file;
};

#define CONTAINER_MAGIC 0xBA55ED50u
#define KIND_PTX 1
#define FLAG_64BIT 0x1u
#define FLAG_DEBUG 0x2u
#define FLAG_LINUX 0x10u

struct container_header {
    uint32_t magic;
    uint16_t version;
    uint16_t header_size;
    uint64_t size;
};

struct entry_header {
    uint16_t kind;
    uint16_t version;
    uint32_t header_size;
    uint64_t padded_size;
    uint32_t compressed_size;
    uint32_t options_offset;
    uint16_t ptx_minor;
    uint16_t ptx_major;
    uint32_t arch;
    uint32_t name_offset;
    uint32_t name_length;
    uint64_t flags;
    uint64_t reserved;
    uint64_t uncompressed_size;
};

_Static_assert(sizeof(struct container_header) == 16, "container header");
_Static_assert(sizeof(struct entry_header) == 64, "entry header");

/* "profile=compute_70,file=X" or "kind=ptx,sm=70,file=X"; the file's name may contain commas. */
static struct image parse_image(const char *spec)
{
    struct image im = {0, false, NULL};
    char *copy = strdup(spec), *p = copy;
    if (!copy)
        tool_fail("out of memory");
    while (p && *p) {
        if (!strncmp(p, "file=", 5)) {
            im.file = strdup(p + 5);
            break;
        }
        char *next = strchr(p, ',');
        if (next)
            *next++ = 0;
        if (!strncmp(p, "profile=compute_", 16))
            im.ptx = true, im.arch = (unsigned)strtoul(p + 16, NULL, 10);
        else if (!strncmp(p, "profile=sm_", 11))
            im.arch = (unsigned)strtoul(p + 11, NULL, 10);
        else if (!strncmp(p, "kind=", 5))
            im.ptx = !strcmp(p + 5, "ptx");
        else if (!strncmp(p, "sm=", 3))
            im.arch = (unsigned)strtoul(p + 3, NULL, 10);
        p = next;
    }
    free(copy);
    if (!im.file || !im.arch)
        tool_fail("image '%s' has no file or no architecture", spec);
    return im;
}

static void write_image(FILE *out, const char *out_name, const struct image *im, bool debug)
{
    static const char zeros[8];
    size_t size;
    char *text = tool_read(im->file, &size);
    const char *ver = strstr(text, ".version");
    unsigned major = 0, minor = 0;
    if (memchr(text, 0, size) || !ver || sscanf(ver, ".version %u.%u", &major, &minor) != 2)
        tool_fail("'%s' is not PTX text; it must come from this directory's ptxas", im->file);
    size_t padded = (size + 1 + 7) & ~(size_t)7;
    struct entry_header e = {
        .kind = KIND_PTX,
        .version = 0x0101,
        .header_size = sizeof e,
        .padded_size = padded,
        .ptx_minor = (uint16_t)minor,
        .ptx_major = (uint16_t)major,
        .arch = im->arch,
        .flags = FLAG_64BIT | FLAG_LINUX | (debug ? FLAG_DEBUG : 0),
        .uncompressed_size = 0,
    };
    if (fwrite(&e, sizeof e, 1, out) != 1 || fwrite(text, 1, size, out) != size ||
        fwrite(zeros, 1, padded - size, out) != padded - size)
        tool_fail("cannot write '%s': %s", out_name, strerror(errno));
    free(text);
}

/* The C text that build systems include in crt/link.stub, which does not use it: the images stay in their objects. */
static void write_empty_text(const char *path)
{
    FILE *f = tool_create(path);
    fputs("/* the device code is in the objects that were linked */\n", f);
    tool_close(f, path);
}

struct request {
    struct image images[MAX_IMAGES];
    int count, with_ptx;
    const char *output, *text;           /* --create, --embedded-fatbin */
    bool debug;
};

static void add_image(struct request *r, const char *spec)
{
    if (r->count == MAX_IMAGES)
        tool_fail("more than %d images", MAX_IMAGES);
    r->images[r->count] = parse_image(spec);
    r->with_ptx += r->images[r->count++].ptx;
}

static void read_arguments(struct request *r, int argc, char **argv)
{
    const char *v;
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        tool_information(a, help);
        if (tool_option(argv, argc, &i, "--create", &r->output) ||
            tool_option(argv, argc, &i, "--embedded-fatbin", &r->text) ||
            tool_option(argv, argc, &i, "-cmdline", &v) || tool_option(argv, argc, &i, "--cmdline", &v))
            continue;
        if (tool_option(argv, argc, &i, "--image", &v) || tool_option(argv, argc, &i, "--image3", &v) ||
            tool_option(argv, argc, &i, "-im", &v))
            add_image(r, v);
        else if (!strcmp(a, "-g"))
            r->debug = true;
        else if (!strcmp(a, "-32"))
            tool_fail("32-bit device code is not supported; compile with -m64");
        else if (a[0] != '-')
            tool_fail("unexpected argument '%s'; try --help", a);
    }
}

static void write_container(const struct request *r)
{
    FILE *out = tool_create(r->output);
    struct container_header h = {.magic = CONTAINER_MAGIC, .version = 1, .header_size = sizeof h};
    if (fwrite(&h, sizeof h, 1, out) != 1)
        tool_fail("cannot write '%s': %s", r->output, strerror(errno));
    for (int i = 0; i < r->count; i++)
        if (r->images[i].ptx || !r->with_ptx)
            write_image(out, r->output, &r->images[i], r->debug);
    h.size = (uint64_t)ftell(out) - sizeof h;
    if (fseek(out, 0, SEEK_SET) || fwrite(&h, sizeof h, 1, out) != 1)
        tool_fail("cannot write '%s': %s", r->output, strerror(errno));
    tool_close(out, r->output);
}

int main(int argc, char **argv)
{
    struct request r = {.count = 0};
    read_arguments(&r, argc, argv);
    if (!r.output && !r.text)
        tool_fail("no output file: --create FILE; try --help");
    if (r.output && !r.count)
        tool_fail("no image given; try --help");
    if (r.output)
        write_container(&r);
    else
        write_empty_text(r.text);
    for (int i = 0; i < r.count; i++)
        free(r.images[i].file);
    return 0;
}
