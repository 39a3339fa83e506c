/* Finds the containers in ELF files with libelf. A section holds containers one after another, each starting at a
 * multiple of eight bytes; bytes between them are padding. */
#include "frontend/fatbin/fatbin_elf.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct visitor {
    bool (*visit)(void *ctx, const struct fatbin *image);
    void *ctx;
    int count;
    bool stop;
};

static void visit_section(struct visitor *v, const unsigned char *data, size_t size)
{
    struct fatbin_container_header h;
    for (size_t at = 0; !v->stop && size - at >= sizeof h; ) {
        memcpy(&h, data + at, sizeof h);
        if (h.magic != FATBIN_MAGIC) {
            at += 8;
            if (at > size)
                return;
            continue;
        }
        struct fatbin image = {data + at, size - at};
        v->count++;
        v->stop = !v->visit(v->ctx, &image);
        if (h.header_size < sizeof h || h.size > size - at - sizeof h)
            return;
        at += (h.header_size + (size_t)h.size + 7) / 8 * 8;
        if (at > size)
            return;
    }
}

static bool holds_images(const char *name)
{
    return name && (!strcmp(name, ".nv_fatbin") || !strcmp(name, "__nv_relfatbin"));
}

static void visit_sections(struct visitor *v, Elf *elf)
{
    size_t names;
    if (elf_getshdrstrndx(elf, &names))
        return;
    for (Elf_Scn *s = NULL; !v->stop && (s = elf_nextscn(elf, s)); ) {
        GElf_Shdr h;
        Elf_Data *data = NULL;
        if (!gelf_getshdr(s, &h) || !holds_images(elf_strptr(elf, names, h.sh_name)))
            continue;
        while (!v->stop && (data = elf_rawdata(s, data)))
            if (data->d_buf)
                visit_section(v, data->d_buf, data->d_size);
    }
}

int fatbin_elf_visit(const char *path, bool (*visit)(void *ctx, const struct fatbin *image), void *ctx,
                     char *why, size_t why_size)
{
    struct visitor v = {visit, ctx, 0, false};
    int result = -1, fd = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf = NULL;
    if (fd < 0)
        snprintf(why, why_size, "cannot open %s: %s", path, strerror(errno));
    else if (elf_version(EV_CURRENT) == EV_NONE || !(elf = elf_begin(fd, ELF_C_READ, NULL)))
        snprintf(why, why_size, "cannot read %s: %s", path, elf_errmsg(-1));
    else if (elf_kind(elf) != ELF_K_ELF)
        snprintf(why, why_size, "%s is not an ELF file", path);
    else {
        visit_sections(&v, elf);
        result = v.count;
    }
    elf_end(elf);
    if (fd >= 0)
        close(fd);
    return result;
}
