/* clang's wrapper includes this file last, so what must come after all of clang's own headers stands here:
 * votes without a mask, which clang cannot compile for sm_70 and later, mean the _sync form with a full mask.
 */
#define __all(pred) __all_sync(0xffffffffu, (pred))
#define __any(pred) __any_sync(0xffffffffu, (pred))
#define __ballot(pred) __ballot_sync(0xffffffffu, (pred))

/* clang's <new> holds the device forms of new and delete; classes with virtual destructors need them unasked. */
#include <new>

/* What the vtable of an abstract class holds for its pure functions. */
extern "C" __inline__ __attribute__((device)) void __cxa_pure_virtual(void) { __trap(); }
