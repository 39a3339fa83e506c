/* Reads ELF objects and archives with libelf: the undefined symbols __cudaRegisterLinkedBinary<ID> name the modules,
 * the section __nv_relfatbin has their PTX in containers. */
#include "frontend/cuda/link_inputs.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>

#include "frontend/cuda/tool.h"
#include "frontend/fatbin/fatbin.h"

static const char PREFIX[] = "__cudaRegisterLinkedBinary";

static void *grown(void *p, int n, int *cap, size_t size)
{
    if (n < *cap)
        return p;
    *cap = *cap ? 2 * *cap : 16;
    p = realloc(p, (size_t)*cap * size);
    if (!p)
        tool_fail("out of memory");
    return p;
}

static char *copy(const char *s)
{
    char *c = strdup(s);
    if (!c)
        tool_fail("out of memory");
    return c;
}

static void add_known(struct link_inputs *in, const char *id)
{
    in->known = grown(in->known, in->n_known, &in->cap_known, sizeof *in->known);
    in->known[in->n_known++] = copy(id);
}

static struct link_module *add_module(struct link_inputs *in, const char *id, const char *file, bool taken)
{
    in->module = grown(in->module, in->n, &in->cap, sizeof *in->module);
    in->module[in->n] = (struct link_module){.id = copy(id), .file = copy(file), .taken = taken};
    return &in->module[in->n++];
}

/* Several translation units joined by `ld -r` have several IDs; the containers then belong to the last of them, and
 * all are linked. */
static void read_symbols(struct link_inputs *in, Elf *elf, Elf_Scn *scn, const GElf_Shdr *h, const char *file,
                         bool taken)
{
    Elf_Data *data = elf_getdata(scn, NULL);
    size_t n = data && h->sh_entsize ? (size_t)(h->sh_size / h->sh_entsize) : 0;
    for (size_t i = 0; i < n; i++) {
        GElf_Sym s;
        const char *name = gelf_getsym(data, (int)i, &s) ? elf_strptr(elf, h->sh_link, s.st_name) : NULL;
        if (!name || strncmp(name, PREFIX, sizeof PREFIX - 1))
            continue;
        if (s.st_shndx == SHN_UNDEF)
            add_module(in, name + sizeof PREFIX - 1, file, taken);
        else
            add_known(in, name + sizeof PREFIX - 1);
    }
}

static void parse_image(struct link_inputs *in, struct link_module *m, const struct fatbin *f)
{
    char why[256];
    struct diag d = {.file = m->file};
    size_t length;
    char *text = fatbin_ptx(f, &length, why, sizeof why);
    if (!text)
        tool_fail("%s: %s", m->file, why);
    d.source = text;
    d.source_len = length;
    m->parsed = realloc(m->parsed, ((size_t)m->images + 1) * sizeof *m->parsed);
    if (!m->parsed)
        tool_fail("out of memory");
    m->parsed[m->images] = ptx_parse(text, length, m->file, &d);
    if (d.text)
        fputs(d.text, stderr);
    if (!m->parsed[m->images])
        tool_fail("%s: the device code has errors", m->file);
    diag_free(&d);
    m->images++;
    in->images++;
}

static void read_images(struct link_inputs *in, struct link_module *m, Elf_Scn *scn)
{
    Elf_Data *data = elf_rawdata(scn, NULL);
    for (size_t at = 0; data && data->d_buf && data->d_size - at >= sizeof(struct fatbin_container_header);) {
        struct fatbin_container_header h;
        const unsigned char *bytes = (const unsigned char *)data->d_buf + at;
        memcpy(&h, bytes, sizeof h);
        if (h.magic != FATBIN_MAGIC || h.size > data->d_size - at) {
            at += 8;
            continue;
        }
        parse_image(in, m, &(struct fatbin){bytes, data->d_size - at});
        at += ((size_t)h.header_size + (size_t)h.size + 7) / 8 * 8;
        if (at > data->d_size)
            return;
    }
}

static bool is_images(Elf *elf, size_t names, const GElf_Shdr *h)
{
    const char *name = elf_strptr(elf, names, h->sh_name);
    return name && !strcmp(name, "__nv_relfatbin");
}

static void read_object(struct link_inputs *in, Elf *elf, const char *file, bool taken)
{
    size_t names;
    GElf_Shdr h;
    int before = in->n;
    if (elf_getshdrstrndx(elf, &names))
        return;
    for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));)
        if (gelf_getshdr(s, &h) && h.sh_type == SHT_SYMTAB)
            read_symbols(in, elf, s, &h, file, taken);
    for (Elf_Scn *s = NULL; in->n > before && (s = elf_nextscn(elf, s));)
        if (gelf_getshdr(s, &h) && is_images(elf, names, &h))
            read_images(in, &in->module[in->n - 1], s);
}

static void read_archive(struct link_inputs *in, int fd, Elf *archive, const char *path)
{
    Elf_Cmd next = ELF_C_READ;
    for (Elf *e; (e = elf_begin(fd, next, archive)); next = elf_next(e), elf_end(e)) {
        char file[PATH_MAX];
        const Elf_Arhdr *h = elf_getarhdr(e);
        snprintf(file, sizeof file, "%s(%s)", path, h && h->ar_name ? h->ar_name : "?");
        if (elf_kind(e) == ELF_K_ELF)
            read_object(in, e, file, false);
    }
}

void link_inputs_add(struct link_inputs *in, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        tool_fail("cannot read '%s': %s", path, strerror(errno));
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    if (elf && elf_kind(elf) == ELF_K_AR)
        read_archive(in, fd, elf, path);
    else if (elf && elf_kind(elf) == ELF_K_ELF)
        read_object(in, elf, path, true);
    elf_end(elf);
    close(fd);
}

static bool is_known(const struct link_inputs *in, const char *id)
{
    for (int i = 0; i < in->n_known; i++)
        if (!strcmp(in->known[i], id))
            return true;
    return false;
}

static void free_module(struct link_module *m)
{
    free(m->id);
    free(m->file);
    free(m->parsed);
}

void link_inputs_finish(struct link_inputs *in)
{
    int kept = 0;
    for (int i = 0; i < in->n; i++) {
        struct link_module *m = &in->module[i];
        if (!is_known(in, m->id)) {
            in->module[kept++] = *m;
            continue;
        }
        for (int k = 0; k < m->images; k++)
            ptx_module_free(m->parsed[k]);
        in->images -= m->images;
        free_module(m);
    }
    in->n = kept;
}

void link_inputs_free(struct link_inputs *in)
{
    for (int i = 0; i < in->n; i++)
        free_module(&in->module[i]);
    for (int i = 0; i < in->n_known; i++)
        free(in->known[i]);
    free(in->module);
    free(in->known);
}
