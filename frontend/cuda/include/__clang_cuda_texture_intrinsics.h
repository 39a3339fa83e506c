/* clang's header of the texture instructions, without the macros that an option like -DN=1024 defines before it. */
#pragma push_macro("N")
#pragma push_macro("T")
#undef N
#undef T
#include_next <__clang_cuda_texture_intrinsics.h>
#pragma pop_macro("N")
#pragma pop_macro("T")
