/* NVRTC's functions: programs, their texts and logs. A program is used by one thread at a time. */
#include <stdlib.h>
#include <string.h>

#include "frontend/nvrtc/nvrtc_impl.h"

#define NVRTC_API __attribute__((visibility("default")))

NVRTC_API const char *nvrtcGetErrorString(nvrtcResult result)
{
    static const char *const names[] = {
        "NVRTC_SUCCESS", "NVRTC_ERROR_OUT_OF_MEMORY", "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
        "NVRTC_ERROR_INVALID_INPUT", "NVRTC_ERROR_INVALID_PROGRAM", "NVRTC_ERROR_INVALID_OPTION",
        "NVRTC_ERROR_COMPILATION", "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
        "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION", "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
        "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID", "NVRTC_ERROR_INTERNAL_ERROR", "NVRTC_ERROR_TIME_FILE_WRITE_FAILED",
    };
    return (unsigned)result < sizeof names / sizeof *names ? names[result] : "NVRTC_ERROR unknown";
}

NVRTC_API nvrtcResult nvrtcVersion(int *major, int *minor)
{
    if (!major || !minor)
        return NVRTC_ERROR_INVALID_INPUT;
    *major = 11;
    *minor = 5;
    return NVRTC_SUCCESS;
}

static const int architectures[] = {35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86};

NVRTC_API nvrtcResult nvrtcGetNumSupportedArchs(int *n)
{
    if (!n)
        return NVRTC_ERROR_INVALID_INPUT;
    *n = (int)(sizeof architectures / sizeof *architectures);
    return NVRTC_SUCCESS;
}

NVRTC_API nvrtcResult nvrtcGetSupportedArchs(int *list)
{
    if (!list)
        return NVRTC_ERROR_INVALID_INPUT;
    memcpy(list, architectures, sizeof architectures);
    return NVRTC_SUCCESS;
}

/* ---- programs ---- */

static void free_program(struct _nvrtcProgram *p)
{
    text_list_free(&p->headers);
    text_list_free(&p->include_names);
    text_list_free(&p->expressions);
    text_list_free(&p->lowered);
    free(p->source);
    free(p->name);
    free(p->ptx);
    free(p->log);
    free(p);
}

static bool add_headers(struct _nvrtcProgram *p, int n, const char *const *headers, const char *const *names)
{
    bool ok = true;
    for (int i = 0; ok && i < n; i++)
        ok = text_list_add(&p->headers, headers[i]) && text_list_add(&p->include_names, names[i]);
    return ok;
}

NVRTC_API nvrtcResult nvrtcCreateProgram(nvrtcProgram *out, const char *source, const char *name, int n,
                                         const char *const *headers, const char *const *names)
{
    if (!out || !source || n < 0 || (n && (!headers || !names)))
        return NVRTC_ERROR_INVALID_INPUT;
    struct _nvrtcProgram *p = calloc(1, sizeof *p);
    if (!p)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    p->source = strdup(source);
    p->name = strdup(name && *name ? name : "default_program");
    if (!p->source || !p->name || !add_headers(p, n, headers, names)) {
        free_program(p);
        return NVRTC_ERROR_OUT_OF_MEMORY;
    }
    *out = p;
    return NVRTC_SUCCESS;
}

NVRTC_API nvrtcResult nvrtcDestroyProgram(nvrtcProgram *p)
{
    if (!p || !*p)
        return NVRTC_ERROR_INVALID_PROGRAM;
    free_program(*p);
    *p = NULL;
    return NVRTC_SUCCESS;
}

static void clear_results(struct _nvrtcProgram *p)
{
    text_list_free(&p->lowered);
    free(p->ptx);
    free(p->log);
    p->ptx = p->log = NULL;
    p->ptx_bytes = p->log_bytes = 0;
}

static nvrtcResult compile(struct _nvrtcProgram *p, const struct text_list *arguments)
{
    bool out_of_memory;
    if (nvrtc_compile(p, arguments, &out_of_memory))
        return NVRTC_SUCCESS;
    return out_of_memory ? NVRTC_ERROR_OUT_OF_MEMORY : NVRTC_ERROR_COMPILATION;
}

NVRTC_API nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int n, const char *const *options)
{
    struct text_list arguments = {0};
    nvrtcResult r = NVRTC_ERROR_INVALID_OPTION;
    if (!p)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (n < 0 || (n && !options))
        return NVRTC_ERROR_INVALID_INPUT;
    clear_results(p);
    p->compiled = true;
    if (nvrtc_options(&arguments, n, options, &p->real, &p->log))
        r = compile(p, &arguments);
    else
        p->log_bytes = p->log ? strlen(p->log) + 1 : 0;
    text_list_free(&arguments);
    return r;
}

/* ---- results: sizes count the terminating 0 ---- */

static nvrtcResult give_size(nvrtcProgram p, const char *text, size_t bytes, size_t *out)
{
    if (!p)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!out)
        return NVRTC_ERROR_INVALID_INPUT;
    *out = text ? bytes : 0;
    return NVRTC_SUCCESS;
}

static nvrtcResult give_text(const char *text, size_t bytes, char *out)
{
    if (!out || !text)
        return NVRTC_ERROR_INVALID_INPUT;
    memcpy(out, text, bytes);
    return NVRTC_SUCCESS;
}

NVRTC_API nvrtcResult nvrtcGetPTXSize(nvrtcProgram p, size_t *size)
{
    if (p && !p->ptx)
        return NVRTC_ERROR_INVALID_PROGRAM;
    return give_size(p, p ? p->ptx : NULL, p ? p->ptx_bytes : 0, size);
}

NVRTC_API nvrtcResult nvrtcGetPTX(nvrtcProgram p, char *ptx)
{
    return p && p->ptx ? give_text(p->ptx, p->ptx_bytes, ptx) : NVRTC_ERROR_INVALID_PROGRAM;
}

NVRTC_API nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t *size)
{
    bool has = p && p->ptx && p->real;
    return give_size(p, has ? p->ptx : NULL, has ? p->ptx_bytes : 0, size);
}

NVRTC_API nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char *cubin)
{
    return p && p->ptx && p->real ? give_text(p->ptx, p->ptx_bytes, cubin) : NVRTC_ERROR_INVALID_PROGRAM;
}

/* Code for link-time optimisation is not made. */
NVRTC_API nvrtcResult nvrtcGetNVVMSize(nvrtcProgram p, size_t *size)
{
    return give_size(p, NULL, 0, size);
}

NVRTC_API nvrtcResult nvrtcGetNVVM(nvrtcProgram p, char *nvvm)
{
    return NVRTC_ERROR_INVALID_PROGRAM;
}

NVRTC_API nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t *size)
{
    nvrtcResult r = give_size(p, p ? p->log : NULL, p ? p->log_bytes : 0, size);
    if (!r && !*size)
        *size = 1;
    return r;
}

NVRTC_API nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char *log)
{
    if (!p)
        return NVRTC_ERROR_INVALID_PROGRAM;
    return p->log ? give_text(p->log, p->log_bytes, log) : give_text("", 1, log);
}

/* ---- lowered names ---- */

NVRTC_API nvrtcResult nvrtcAddNameExpression(nvrtcProgram p, const char *expression)
{
    if (!p)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!expression || !*expression)
        return NVRTC_ERROR_INVALID_INPUT;
    if (p->compiled)
        return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    return text_list_add(&p->expressions, expression) ? NVRTC_SUCCESS : NVRTC_ERROR_OUT_OF_MEMORY;
}

NVRTC_API nvrtcResult nvrtcGetLoweredName(nvrtcProgram p, const char *expression, const char **name)
{
    if (!p)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!expression || !name)
        return NVRTC_ERROR_INVALID_INPUT;
    if (!p->ptx)
        return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    for (int i = 0; i < p->lowered.n; i++) {
        if (strcmp(p->expressions.text[i], expression) || !*p->lowered.text[i])
            continue;
        *name = p->lowered.text[i];
        return NVRTC_SUCCESS;
    }
    return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}
