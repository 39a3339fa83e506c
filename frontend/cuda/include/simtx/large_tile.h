/* Tiles of several warps: thread_block_tile<64> to <1024>. Warps meet at counters in shared memory, and exchange values
 * through slots there. tiled_partition() sets the counters to 0; all threads of the block call it. Included by
 * cooperative_groups.h. */
#ifndef SIMTX_LARGE_TILE_H
#define SIMTX_LARGE_TILE_H

namespace cooperative_groups
{
namespace simtx_cg
{
enum { SLOT_WORDS = 4 };

/* A counter for each tile of each size: the 16 tiles of 64 threads first, then 8 of 128 and so on. */
struct tile_memory {
    unsigned int arrived[32];
    unsigned int slot[32][SLOT_WORDS];
};

static SIMTX_CG tile_memory &tiles()
{
    static __attribute__((shared)) tile_memory memory;
    return memory;
}

template <class T_> SIMTX_CG void to_words(unsigned int *word, const T_ &v)
{
    word[(sizeof(T_) + 3) / 4 - 1] = 0;
    __builtin_memcpy(word, &v, sizeof(T_));
}

template <class T_> SIMTX_CG T_ from_words(const unsigned int *word)
{
    T_ v;
    __builtin_memcpy(&v, word, sizeof(T_));
    return v;
}
} // namespace simtx_cg

/* N threads, a multiple of the warp. */
template <unsigned int N_, class Parent> class thread_block_tile<N_, Parent, true>
{
    static_assert(N_ <= 1024 && (N_ & (N_ - 1)) == 0, "tiles have 1, 2, 4 ... 512 or 1024 threads");
    enum { WARPS = N_ / 32 };

  public:
    SIMTX_CG thread_block_tile() : parent_(simtx_cg::tile_threads<Parent>::VALUE) {}
    template <class P_>
    SIMTX_CG thread_block_tile(const thread_block_tile<N_, P_, true> &t) : parent_(t.simtx_parent())
    {
    }
    static constexpr SIMTX_CG unsigned int size() { return N_; }
    static constexpr SIMTX_CG unsigned int num_threads() { return N_; }
    static SIMTX_CG unsigned int thread_rank() { return simtx_cg::block_rank() & (N_ - 1); }
    SIMTX_CG unsigned int meta_group_rank() const { return parent_.rank_of_tile(N_); }
    SIMTX_CG unsigned int meta_group_size() const { return parent_.tiles(N_); }
    SIMTX_CG simtx_cg::divided simtx_parent() const { return parent_; }
    static SIMTX_CG bool is_valid() { return true; }

    /* Each arrival of a warp counts; a barrier is complete at the next multiple of the tile's warps. */
    SIMTX_CG void sync() const
    {
        __syncwarp();
        if (simtx_cg::lane() == 0) {
            volatile unsigned int *arrived = counter();
            __threadfence_block();
            unsigned int before = atomicAdd((unsigned int *)arrived, 1u), target = (before / WARPS + 1) * WARPS;
            while ((int)(*arrived - target) < 0)
                ;
            __threadfence_block();
        }
        __syncwarp();
    }

    template <class T_> SIMTX_CG T_ shfl(const T_ &v, unsigned int rank) const
    {
        enum { WORDS = (sizeof(T_) + 3) / 4 };
        unsigned int word[WORDS];
        volatile unsigned int *slot = &simtx_cg::tiles().slot[first_warp()][0];
        simtx_cg::to_words(word, v);
        for (int i = 0; i < WORDS; i++) {
            if (thread_rank() == (rank & (N_ - 1)))
                *slot = word[i];
            sync();
            word[i] = *slot;
            sync();
        }
        return simtx_cg::from_words<T_>(word);
    }
    SIMTX_CG int any(int p) const { return among_warps(__any_sync(0xffffffffu, p)) != 0; }
    SIMTX_CG int all(int p) const { return !among_warps(!__all_sync(0xffffffffu, p)); }

    /* The values of the lanes `from` of all warps, combined in the order of the warps, `count` of them. */
    template <class T_, class Op> SIMTX_CG T_ combine(const T_ &v, int from, unsigned int count, Op &&op) const
    {
        return combine_by(v, from, count, op, in_slot<(sizeof(T_) <= 4 * simtx_cg::SLOT_WORDS)>());
    }
    static SIMTX_CG unsigned int warp_rank() { return thread_rank() / 32; }
    static SIMTX_CG unsigned int warps() { return WARPS; }

  private:
    template <bool> struct in_slot {
    };
    simtx_cg::divided parent_;
    static SIMTX_CG unsigned int tile_of_block() { return simtx_cg::block_rank() / N_; }
    static SIMTX_CG unsigned int first_warp() { return tile_of_block() * WARPS; }
    static SIMTX_CG unsigned int *counter() { return &simtx_cg::tiles().arrived[32 - 64 / WARPS + tile_of_block()]; }

    /* The sum of 0 or 1 of each warp. */
    SIMTX_CG int among_warps(int warp_has) const
    {
        struct add {
            SIMTX_CG int operator()(int a, int b) const { return a + b; }
        };
        return combine(warp_has ? 1 : 0, 0, WARPS, add());
    }

    template <class T_, class Op>
    SIMTX_CG T_ combine_by(const T_ &v, int from, unsigned int count, Op &&op, in_slot<true>) const
    {
        enum { WORDS = (sizeof(T_) + 3) / 4 };
        unsigned int word[WORDS];
        volatile unsigned int *slot = simtx_cg::tiles().slot[first_warp()];
        simtx_cg::to_words(word, v);
        if ((int)simtx_cg::lane() == from)
            for (int i = 0; i < WORDS; i++)
                slot[warp_rank() * simtx_cg::SLOT_WORDS + i] = word[i];
        sync();
        T_ result = v;
        for (unsigned int w = 0; w < count; w++) {
            for (int i = 0; i < WORDS; i++)
                word[i] = slot[w * simtx_cg::SLOT_WORDS + i];
            T_ other = simtx_cg::from_words<T_>(word);
            result = w ? op(result, other) : other;
        }
        sync();
        return result;
    }

    /* Values that are larger than a slot. */
    template <class T_, class Op>
    SIMTX_CG T_ combine_by(const T_ &v, int from, unsigned int count, Op &&op, in_slot<false>) const
    {
        T_ result = v;
        for (unsigned int w = 0; w < WARPS; w++) {
            T_ other = shfl(v, w * 32 + (unsigned int)from);
            if (w < count)
                result = w ? op(result, other) : other;
        }
        return result;
    }
};

/* Part of the interface of CUDA; the memory lies in a variable of this header. */
template <unsigned int MaxBlockSize = 1024> struct block_tile_memory {
    unsigned char unused;
};

template <unsigned int MaxBlockSize> SIMTX_CG thread_block this_thread_block(block_tile_memory<MaxBlockSize> &)
{
    return thread_block();
}

namespace simtx_cg
{
SIMTX_CG void start_tiles()
{
    __syncthreads();
    for (unsigned int i = block_rank(); i < 32; i += block_size())
        tiles().arrived[i] = 0;
    __syncthreads();
}

/* Part of a block, which needs the counters, or of a larger tile, whose block has them. */
template <unsigned int N_, class Parent> struct make_tile {
    static SIMTX_CG thread_block_tile<N_, Parent> of(const Parent &) { return thread_block_tile<N_, Parent>(); }
};
template <bool Large> struct start {
    static SIMTX_CG void now() {}
};
template <> struct start<true> {
    static SIMTX_CG void now() { start_tiles(); }
};
template <unsigned int N_> struct make_tile<N_, thread_block> {
    static SIMTX_CG thread_block_tile<N_, thread_block> of(const thread_block &)
    {
        start<(N_ > 32)>::now();
        return thread_block_tile<N_, thread_block>();
    }
};
} // namespace simtx_cg

namespace experimental
{
template <unsigned int TileCommunicationSize = 8, unsigned int MaxBlockSize = 1024> struct block_tile_memory {
    unsigned char unused;
};
template <unsigned int C_, unsigned int M_> SIMTX_CG thread_block this_thread_block(block_tile_memory<C_, M_> &)
{
    return thread_block();
}
} // namespace experimental
} // namespace cooperative_groups

#endif
