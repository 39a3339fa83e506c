/* clang's wrapper includes this file last, so it contains the definitions that must follow clang's headers:
 * votes without a mask, which clang cannot compile for sm_70 and later, mean the _sync form with a full mask.
 */
#define __all(pred) __all_sync(0xffffffffu, (pred))
#define __any(pred) __any_sync(0xffffffffu, (pred))
#define __ballot(pred) __ballot_sync(0xffffffffu, (pred))

/* clang's <new> defines new and delete for devices; classes with virtual destructors need them without #include. */
#include <new>

/* The vtable entry of a pure virtual function. */
extern "C" __inline__ __attribute__((device)) void __cxa_pure_virtual(void) { __trap(); }
