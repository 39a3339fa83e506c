/*
 * libcudart_static.a: for programs that link the runtime library statically, as nvcc does by default; libcudart.so.12
 * and .13: for programs of these releases of CUDA. Each function jumps to one of libcudart.so, which is loaded when the
 * program starts, so that a process has one state of CUDA whatever its parts link. names.h lists the functions:
 * FORWARD(index, name, target), and FORWARD_COUNT.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"

#define LIBRARY "libcudart.so.11.0"
enum { ERROR_INSUFFICIENT_DRIVER = 35 };

/* `simtx run` recognises the program by this section. */
__attribute__((section(".simtx_cudart"), used)) static const char mark[] = LIBRARY;

__attribute__((visibility("hidden"))) void *simtx_forward_table[FORWARD_COUNT];

static const char *const targets[FORWARD_COUNT] = {
#define FORWARD(index, name, target) [index] = #target,
    FORWARD_NAMES
#undef FORWARD
};

/* Every function, if the library cannot be loaded; those that return a text. */
static int no_library(void)
{
    return ERROR_INSUFFICIENT_DRIVER;
}

static const char *no_text(void)
{
    return LIBRARY " of simtx cannot be loaded";
}

static void *stand_in(const char *name)
{
    bool text = !strcmp(name, "cudaGetErrorString") || !strcmp(name, "cudaGetErrorName");
    return text ? (void *)no_text : (void *)no_library;
}

static void *load(void)
{
    void *library = dlopen(SIMTX_CUDART_FOLDER "/" LIBRARY, RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        library = dlopen(LIBRARY, RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        fprintf(stderr, "simtx: %s is neither in " SIMTX_CUDART_FOLDER " nor in LD_LIBRARY_PATH; "
                "set LD_LIBRARY_PATH to its folder\n", LIBRARY);
    return library;
}

/* Before the constructors of compiled CUDA code, which register images. */
__attribute__((constructor(101))) static void start(void)
{
    void *library = load();
    for (int i = 0; i < FORWARD_COUNT; i++) {
        void *f = library ? dlsym(library, targets[i]) : NULL;
        simtx_forward_table[i] = f ? f : stand_in(targets[i]);
    }
}

/* Jumps that leave every argument register as it is. */
#if defined(__x86_64__)
#define JUMP(index) "jmp *simtx_forward_table+8*" #index "(%rip)\n"
#elif defined(__aarch64__)
#define JUMP(index) "adrp x16, simtx_forward_table+8*" #index "\n" \
    "ldr x16, [x16, :lo12:simtx_forward_table+8*" #index "]\n" "br x16\n"
#endif
#define FORWARD(index, name, target) \
    __asm__(".text\n.globl " #name "\n.type " #name ", %function\n" #name ":\n" JUMP(index) \
            ".size " #name ", .-" #name);
FORWARD_NAMES
