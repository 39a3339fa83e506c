/* clang's wrapper includes this file last, so it contains the definitions that must follow clang's headers:
 * votes without a mask, which clang cannot compile for sm_70 and later, mean the _sync form with a full mask. The names
 * remain usable for other things, so they are no macros with arguments.
 */
static __inline__ __attribute__((device, always_inline)) int simtx_all(int pred)
{
    return __all_sync(0xffffffffu, pred);
}
static __inline__ __attribute__((device, always_inline)) int simtx_any(int pred)
{
    return __any_sync(0xffffffffu, pred);
}
static __inline__ __attribute__((device, always_inline)) unsigned int simtx_ballot(int pred)
{
    return __ballot_sync(0xffffffffu, pred);
}
#define __all simtx_all
#define __any simtx_any
#define __ballot simtx_ballot

/* clang's <new> defines new and delete for devices; classes with virtual destructors need them without #include. */
#include <new>

/* The vtable entry of a pure virtual function. */
extern "C" __inline__ __attribute__((device)) void __cxa_pure_virtual(void) { __trap(); }
