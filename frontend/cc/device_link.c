/* The device link of separate compilation. An object with relocatable device code (-dc, -rdc=true, clang's -fgpu-rdc)
 * refers to a function __cudaRegisterLinkedBinary<ID>. nvlink lists the IDs among the inputs and checks that the device
 * code fits together; crt/link.stub, compiled with this list, defines the functions. The modules themselves stay in
 * their objects: the runtime links their PTX when the program first uses one of them. */
#include "cc.h"

#include <string.h>
#include <sys/stat.h>

static void add_libraries(const struct cc *cc, struct words *cmd)
{
    for (size_t i = 0; i < cc->link_opts.n; i++) {
        const char *a = cc->link_opts.at[i];
        if (!strcmp(a, "-L") && i + 1 < cc->link_opts.n)
            words_format(cmd, "-L%s", cc->link_opts.at[++i]);
        else if (!strncmp(a, "-l", 2))
            words_add(cmd, a);
    }
}

static int list_modules(const struct cc *cc, const char *list)
{
    struct words cmd = {0};
    words_format(&cmd, "%s/bin/nvlink", cc->tree);
    words_format(&cmd, "--register-link-binaries=%s", list);
    for (size_t i = 0; i < cc->n_inputs; i++)
        if (cc->inputs[i].kind == IN_LINK)
            words_add(&cmd, cc->inputs[i].file);
    add_libraries(cc, &cmd);
    int rc = cc_run(cc, &cmd);
    words_free(&cmd);
    return rc;
}

static int compile_stub(const struct cc *cc, const char *list, const char *object)
{
    struct words cmd = {0};
    words_add(&cmd, cc->clang);
    words_add(&cmd, "-O2");
    words_add(&cmd, "-fPIC");
    words_format(&cmd, "-DREGISTERLINKBINARYFILE=\"%s\"", list);
    words_add(&cmd, "-x");
    words_add(&cmd, "c");
    words_add(&cmd, "-c");
    words_format(&cmd, "%s/bin/crt/link.stub", cc->tree);
    words_add(&cmd, "-o");
    words_add(&cmd, object);
    int rc = cc_run(cc, &cmd);
    words_free(&cmd);
    return rc;
}

static bool empty(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && s.st_size == 0;
}

int cc_device_link(struct cc *cc, const char *output, struct words *link)
{
    const char *list = cc_temp(cc, "modules.h");
    int rc = list_modules(cc, list);
    if (rc || (!output && !cc->dryrun && empty(list)))
        return rc;
    const char *object = output ? output : cc_temp(cc, "device_link.o");
    rc = compile_stub(cc, list, object);
    if (link)
        words_add(link, object);
    return rc;
}
