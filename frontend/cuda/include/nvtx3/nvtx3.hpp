/* NVTX for C++ ("NVTX C++ API Reference"): without a profiler its objects and functions do nothing. Domains, categories,
 * colors, payloads and messages are accepted in any order, and their values are not used. */
#ifndef SIMTX_NVTX3_HPP
#define SIMTX_NVTX3_HPP

#include "nvtx3/nvToolsExt.h"

namespace nvtx3
{
/* A class whose constructor accepts every list of arguments. */
#define SIMTX_NVTX(name)                                                                     \
    struct name {                                                                            \
        name() noexcept {}                                                                   \
        template <class First, class... Rest> name(const First &, const Rest &...) noexcept {} \
    };
#define SIMTX_NVTX_GET(name)                                                                 \
    template <class Domain = void> struct name##_in {                                        \
        name##_in() noexcept {}                                                              \
        template <class First, class... Rest> name##_in(const First &, const Rest &...) noexcept {} \
        template <class Tag> static const name##_in &get() noexcept                          \
        {                                                                                    \
            static const name##_in one;                                                      \
            return one;                                                                      \
        }                                                                                    \
    };                                                                                       \
    typedef name##_in<> name;
/* A range: an object from its constructor to its destructor. */
#define SIMTX_NVTX_RANGE(name)                                                               \
    template <class Domain = void> struct name##_in {                                        \
        name##_in() noexcept {}                                                              \
        template <class... Args> explicit name##_in(const Args &...) noexcept {}             \
        name##_in(name##_in &&) noexcept {}                                                  \
        name##_in &operator=(name##_in &&) noexcept { return *this; }                        \
        ~name##_in() noexcept {}                                                             \
    };                                                                                       \
    typedef name##_in<> name;

SIMTX_NVTX(rgb)
SIMTX_NVTX(argb)
SIMTX_NVTX(color)
SIMTX_NVTX(category)
SIMTX_NVTX(payload)
SIMTX_NVTX(message)
SIMTX_NVTX(event_attributes)
SIMTX_NVTX_GET(named_category)
SIMTX_NVTX_GET(registered_string)
SIMTX_NVTX_RANGE(scoped_range)
SIMTX_NVTX_RANGE(scoped_thread_range)
SIMTX_NVTX_RANGE(thread_range)
SIMTX_NVTX_RANGE(unique_range)
#undef SIMTX_NVTX
#undef SIMTX_NVTX_GET
#undef SIMTX_NVTX_RANGE

template <class Domain> using domain_thread_range = thread_range_in<Domain>;
template <class Domain> using registered_message = registered_string_in<Domain>;

struct domain {
    struct global {
    };
    template <class Tag = global> static const domain &get() noexcept
    {
        static const domain one;
        return one;
    }
};

struct range_handle {
    nvtxRangeId_t value;
};

template <class Domain = domain::global, class... Args> range_handle start_range_in(const Args &...) noexcept
{
    return range_handle();
}

template <class... Args> range_handle start_range(const Args &...) noexcept { return range_handle(); }
template <class Domain = domain::global> void end_range_in(range_handle) noexcept {}
inline void end_range(range_handle) noexcept {}
template <class Domain = domain::global, class... Args> void mark_in(const Args &...) noexcept {}
template <class... Args> void mark(const Args &...) noexcept {}
} // namespace nvtx3

#define NVTX3_FUNC_RANGE() ::nvtx3::scoped_range const nvtx3_range__{__func__}
#define NVTX3_FUNC_RANGE_IN(D) ::nvtx3::scoped_range_in<D> const nvtx3_range__{__func__}
#define NVTX3_FUNC_RANGE_IF(C) ::nvtx3::scoped_range const nvtx3_range__{C}
#define NVTX3_FUNC_RANGE_IF_IN(D, C) ::nvtx3::scoped_range_in<D> const nvtx3_range__{C}

#endif
