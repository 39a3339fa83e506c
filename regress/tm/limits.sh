#!/bin/bash
# What transactions on shared memory take of an SM (GPU-LocalTM, section 4.3): how many blocks are resident, which
# launches are refused and with which words, and what is said of what an abort does not undo. Usage: limits.sh BUILD;
# the last line counts.
suite=tm-limits
. "$(dirname "$0")/../harness.sh"

# kernel BYTES BODY: the kernel k with so much shared memory, in k.ptx. In the body, %r1 is a number and %rd1 an address
# of global memory.
kernel() {
    cat >k.ptx <<PTX
.version 7.5
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p)
{
    .shared .align 4 .b8 s[$1];
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    $2
    ret;
}
PTX
}

writes="tx_begin; st.shared.u32 [s], %r1; tx_commit;"

# run OPTIONS...: prints "BLOCKS LIMIT" of the launch.
run() {
    "$simtx" launch --quiet --grid 1 --block 1 k.ptx --arg u32[64]:0 --stats stats.json "$@" || return
    sed -n 's/^ *"resident_blocks": \([0-9]*\),.*/\1/p; s/^ *"resident_limit": "\(.*\)".*/\1/p' \
        stats.json | paste -sd' '
}

# resident "BLOCKS LIMIT" OPTIONS...: the launch runs, and so many blocks fit on an SM.
resident() {
    local expected=$1
    shift
    run "$@" >answer 2>err </dev/null
    if [ "$(cat answer)" = "$expected" ]; then
        pass
    else
        fail "$* : '$(cat answer)', expected '$expected'" err
    fi
}

# refused TEXT OPTIONS...
refused() {
    local text=$1
    shift
    check 2 "$text" "$simtx" launch --grid 1 --block 1 k.ptx --arg u32[64]:0 --quiet "$@"
}

si="--timing --config localtm"

# ---- threads: 256 owners ----
kernel 16 "$writes"
resident "4 registers (tm.shared)" $si --block 256 --set kernel.k.registers=16
refused "k: a block of 257 threads; with tm.shared = localtm a block that uses transactions has at most 256 \
(localtm.threads: the owner of a word is one byte)" $si --block 257
refused "a block of 512 threads; with tm.shared = localtm" $si --block 512
refused "a block of 260 threads; with tm.shared = localtm" $si --block 26,10
refused "has at most 256 (localtm.threads" --timing --config gtx480+tm-localtm --block 257
refused "has at most 128 (localtm.threads" $si --set localtm.threads=128 --block 129
resident "3 registers (tm.shared)" $si --set localtm.threads=128 --set kernel.k.registers=60 --block 128

# ---- registers: two for each, and filters: a register for each of 256 threads in each of 32 banks ----
# 65536 / (2 x 20 x 256 + 8192), 65536 / (2 x 20 x 64 + 8192); the last block of 100 threads has two warps of 64.
resident "3 registers (tm.shared)" $si --block 256 --set kernel.k.registers=20
resident "6 registers (tm.shared)" $si --block 64 --set kernel.k.registers=20
resident "4 registers (tm.shared)" $si --block 100 --set kernel.k.registers=32
# Filters for reads and writes have 16 bits: a register still.
resident "3 registers (tm.shared)" --timing --config localtm+localtm-rw --block 256 --set kernel.k.registers=20
# 2 x 112 x 256 + 8192 is all of 65536.
resident "1 registers (tm.shared)" $si --block 256 --set kernel.k.registers=112
refused \
    "k: 113 registers per thread, and a block of 256 threads needs 66048; with tm.shared = localtm an SM has 65536: \
filters take 8192, and shadow registers double a thread's" $si --block 256 --set kernel.k.registers=113
# A GTX 480 has 32768.
resident "1 registers (tm.shared)" --timing --config gtx480+tm-localtm --block 256 --set kernel.k.registers=48
refused "k: 49 registers per thread, and a block of 256 threads needs 33280; with tm.shared = localtm an SM has 32768" \
    --timing --config gtx480+tm-localtm --block 256 --set kernel.k.registers=49
# What somebody says of a kernel's blocks holds.
resident "7 kernel.*.ctas_per_sm" $si --block 256 --set kernel.k.registers=20 --set kernel.k.ctas_per_sm=7

# ---- a scalar register for each warp ----
resident "1 blocks (tm.shared)" $si --block 256 --set localtm.scalar_registers=7 --set kernel.k.registers=20
resident "1 blocks (tm.shared)" $si --block 256 --set localtm.scalar_registers=4
refused "blocks (tm.shared)" $si --block 256 --set localtm.scalar_registers=3
refused "localtm.scalar_registers = 3, of which a warp takes one for its conflict mask" $si --block 256 \
    --set localtm.scalar_registers=3

# ---- shared memory: values, backups and a byte for the owner of every word, in rows of 32 banks: 288 bytes a row ----
kernel 29056 "$writes"
resident "1 shared memory (tm.shared)" $si --block 64
kernel 29057 "$writes"
refused \
    "k: 29057 bytes of shared memory; with tm.shared = localtm a kernel with transactions may declare 29056: values \
and backups take 2 x 29056 bytes and owners 7264, of 65536 (by the papers' formula 29127 and 7282; rows of 32 banks \
are whole)" $si --block 64
kernel 40000 "$writes"
refused "k: 40000 bytes of shared memory; with tm.shared = localtm" $si --block 64
# 113 rows twice, 114 only once.
kernel 14464 "$writes"
resident "2 shared memory (tm.shared)" $si --block 64
resident "2 shared memory (tm.shared)" --timing --config localtm+localtm-es --block 64
kernel 14465 "$writes"
resident "1 shared memory (tm.shared)" $si --block 64
refused \
    "k: 14465 bytes of shared memory; with tm.shared = localtm a kernel with transactions may declare 14464: values \
and backups take 2 x 14464 bytes and owners 3616, of 32768 (localtm.group_bytes) (by the papers' formula 14563 and \
3642" \
    --timing --config localtm+localtm-es --block 64
# 56 rows are 16128 of a GTX 480's 16384 bytes.
kernel 7168 "$writes"
resident "1 shared memory (tm.shared)" --timing --config gtx480+tm-localtm --block 64 --set kernel.k.registers=20
kernel 7169 "$writes"
refused "may declare 7168" --timing --config gtx480+tm-localtm --block 64
# Dynamic shared memory counts as well.
kernel 1056 "$writes"
resident "1 shared memory (tm.shared)" $si --block 64 --shared 28000
refused "29057 bytes of shared memory; with tm.shared = localtm" $si --block 64 --shared 28001

# ---- who does not use it does not pay for it ----
kernel 29057 "$writes"
resident "2 shared memory" --config localtm --block 256
resident "2 shared memory" --timing --config southern-islands --set tm.global=ideal --block 256
kernel 29057 "st.shared.u32 [s], %r1;"
resident "2 shared memory" $si --block 256
kernel 16 "st.shared.u32 [s], %r1;"
resident "2 registers" $si --block 256 --set kernel.k.registers=128
resident "10 threads per SM" $si --block 256 --set kernel.k.registers=20

# ---- the kernel's own bytes end where they did ----
kernel 20 "mov.u32 %r2, s; tx_begin; st.shared.u32 [%r2+20], %r1; tx_commit;"
check 1 "writes 4 bytes at 0x14 of shared memory; the block has 20 bytes (20 static, 0 dynamic)" \
    "$simtx" launch --grid 1 --block 1 k.ptx --arg u32[64]:0 --quiet $si
# Every block finds its memory zero, whatever those before have left.
kernel 4 \
    "ld.shared.u32 %r2, [s]; st.global.u32 [%rd1], 0; setp.ne.u32 %p1, %r2, 0; @%p1 st.global.u32 [%rd1+4], 1; $writes"
sed -i 's/\.reg \.b32/.reg .pred %p<2>; .reg .b32/' k.ptx
check 0 "a: 0 0" "$simtx" launch k.ptx --arg a=u32[64]:0 --print a:2 --quiet $si --block 1 --grid 2000

# ---- both memories ----
kernel 16 "$writes"
refused \
    "k uses tx_begin, and the configuration has no transactional memory (tm.global = none, tm.shared = none): choose a \
preset with transactional memory, set tm.global (none|kilotm|ideal|warptm|sitm) or tm.shared (none|localtm), or use \
functional mode" --timing --config localtm+tm-locks
# warns TEXT BODY OPTIONS...: of an instruction that an abort does not undo; TEXT "": does not.
warns() {
    local text=$1
    kernel 16 "$2"
    shift 2
    check 0 "$text" "$simtx" launch --grid 1 --block 1 k.ptx --arg u32[64]:0 --timing "$@"
    [ "$text" ] || holds "no warning: $(sed -n 11p k.ptx) $*" sh -c '! grep -q "does not undo" out err'
}
words="inside a transaction: an abort does not undo it"
again="$words, and the next attempt does it again"
warns "" "$writes" --config localtm
warns "" "tx_begin; red.shared.add.u32 [s], 1; tx_commit; st.global.u32 [%rd1], %r1;" --config localtm
warns "k.ptx:11:15: st.global.u32 [%rd1], %r1;   $words" "tx_begin; st.global.u32 [%rd1], %r1; tx_commit;" \
    --config localtm
warns "st.u32 [%rd1], %r1;   inside a transaction: where it leads to global memory, an abort" \
    "tx_begin; st.u32 [%rd1], %r1; tx_commit;" --config localtm
warns "red.global.add.u32 [%rd1], 1;   $again; tm.global selects a protocol for global memory, for loads and stores" \
    "tx_begin; red.global.add.u32 [%rd1], 1; tx_commit;" --config localtm
warns "st.global.u32 [%rd1], %r1;   $again; tm.global selects a protocol" \
    "tx_begin; st.global.u32 [%rd1], %r1; tx_commit;" --config localtm
warns "" "tx_begin; st.global.u32 [%rd1], %r1; st.shared.u32 [s], %r1; tx_commit;" --config kilotm+tm-localtm
warns "red.global.add.u32 [%rd1], 1;   $again; use a load and a store instead" \
    "tx_begin; red.global.add.u32 [%rd1], 1; tx_commit;" --config kilotm+tm-localtm
warns "st.shared.u32 [s], %r1;   $again; tm.shared selects a protocol" "$writes" --config kilotm

# ---- barriers ----
for config in localtm gtx480+tm-localtm kilotm+tm-localtm; do
    for barrier in "bar.sync 0" "barrier.cta.sync 0" "bar.arrive 0, 64" "bar.red.popc.u32 %r2, 0, %p1"; do
        kernel 16 "setp.ne.u32 %p1, %r1, 0; tx_begin; $barrier; tx_commit;"
        sed -i 's/\.reg \.b32/.reg .pred %p<2>; .reg .b32/' k.ptx
        check 1 "a barrier inside a transaction, where none is allowed" "$simtx" launch --grid 1 --block 1 k.ptx \
            --arg u32[64]:0 --quiet \
            --timing --config $config --block 64
        holds "$barrier: its line" grep -q "k.ptx:11:" err
    done
done
finish
