/*
 * __cluster_dims__ (host_defines.h). Clang has no attribute for the shape of clusters, but it keeps the section of a
 * kernel's host function: the name of the section has the shape, and the runtime reads it in the section headers of the
 * program or library.
 */
#include "frontend/cudart/cluster_dims.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/alloc.h"

static const char prefix[] = "simtx_cluster ";

static bool read_at(int fd, void *to, size_t bytes, uint64_t at)
{
    return pread(fd, to, bytes, (off_t)at) == (ssize_t)bytes;
}

/* The name of section s, if it is one of ours and holds the address. */
static bool is_section(int fd, const Elf64_Shdr *s, const Elf64_Shdr *names, uint64_t address, char *text, size_t size)
{
    char name[200] = "";
    uint64_t at = names->sh_offset + s->sh_name, left = names->sh_size - s->sh_name;
    if (address - s->sh_addr >= s->sh_size || s->sh_name >= names->sh_size ||
        !read_at(fd, name, left < sizeof name - 1 ? left : sizeof name - 1, at) ||
        strncmp(name, prefix, sizeof prefix - 1))
        return false;
    snprintf(text, size, "%s", name + sizeof prefix - 1);
    return true;
}

static bool find_section(int fd, uint64_t base, uint64_t address, char *text, size_t size)
{
    Elf64_Ehdr e;
    if (!read_at(fd, &e, sizeof e, 0) || memcmp(e.e_ident, ELFMAG, SELFMAG) || e.e_ident[EI_CLASS] != ELFCLASS64 ||
        e.e_shentsize != sizeof(Elf64_Shdr) || e.e_shstrndx >= e.e_shnum)
        return false;
    Elf64_Shdr *s = mem_zero(e.e_shnum, sizeof *s, "the sections of a program");
    bool found = false;
    if (read_at(fd, s, e.e_shnum * sizeof *s, e.e_shoff))
        for (int i = 0; i < e.e_shnum && !found; i++)
            if (s[i].sh_flags & SHF_EXECINSTR)
                found = is_section(fd, &s[i], &s[e.e_shstrndx], address - (e.e_type == ET_DYN ? base : 0), text, size);
    free(s);
    return found;
}

/* The name of the program itself may be relative to another folder. */
static int open_object(const Dl_info *object)
{
    Dl_info self;
    bool program = dladdr((const void *)(uintptr_t)getauxval(AT_PHDR), &self) && self.dli_fbase == object->dli_fbase;
    return open(program ? "/proc/self/exe" : object->dli_fname, O_RDONLY | O_CLOEXEC);
}

static bool skip(const char **at, char c)
{
    *at += strspn(*at, " ");
    bool found = **at == c;
    *at += found && c;
    return found;
}

static bool read_number(const char **at, uint32_t *n)
{
    *at += strspn(*at, " ");
    size_t digits = strspn(*at, "0123456789");
    uint64_t value = strtoull(*at, NULL, 10);        /* the largest number if it is too large */
    *at += digits;
    *n = (uint32_t)value;
    return digits && value && value <= UINT32_MAX;
}

/* Reads the whole text, or nothing: an expression must not count as the number that it begins with. */
static bool read_shape(const char *text, simtx_dim3 *shape)
{
    uint32_t *const numbers[] = {&shape->x, &shape->y, &shape->z};
    *shape = (simtx_dim3){ 1, 1, 1 };
    for (int i = 0; i < 3; i++) {
        if (!read_number(&text, numbers[i]))
            return false;
        if (!skip(&text, ','))
            return skip(&text, '\0');
    }
    return false;
}

bool cluster_dims_of(const void *host, simtx_dim3 *shape, char *text, size_t size)
{
    Dl_info where;
    if (!dladdr(host, &where) || !where.dli_fname)
        return false;
    int fd = open_object(&where);
    if (fd < 0)
        return false;
    bool found = find_section(fd, (uint64_t)(uintptr_t)where.dli_fbase, (uint64_t)(uintptr_t)host, text, size);
    close(fd);
    if (!found || !read_shape(text, shape))
        *shape = (simtx_dim3){ 0, 0, 0 };
    return found;
}
