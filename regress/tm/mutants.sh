#!/bin/sh
# The table of deliberate faults of transactional memory, as docs/tm-mutants.md. Usage: mutants.sh PROGRAM BUILD > FILE
cat <<'END'
# Deliberate faults of transactional memory

## KILO TM

Each fault breaks one step of the protocol: in the core (`base/mutants.def`) or in the commit units
(`tm/kilotm/faults.def`). Small programs with transactions run on the machine with one fault at a time, longer and
longer, until a check finds it: the oracle (reads and final memory against a replay in commit order), the program's own
check of its result, the hang detector, conservation checks, or the commit unit's checks of its messages. The table says
which one was first, in which program, and how many transactions the run had. *narrow*: a last writer history in which
everything is an alias, and set buffers of two words.

`make test-tm-mutants` makes the table anew; `make test` runs every fourth fault.

END
"$1" || exit 1
cat <<'END'

## KILO TM in CUDA programs

The same in two of the benchmarks, each of one size; `-`: it is not found there (most such faults need stores of bytes,
sets of many words, contention or private memory, which these do not have).

END
"$(dirname "$0")/mutant_kernels.sh" "$2" ht bh
cat <<'END'

## Transactions on shared memory

The same of GPU-LocalTM (`tm/localtm/faults.def`) and of the core beside it (`base/bank_mutants.def`), in random kernels:
half of them reach shared memory only, the others both memories. The table says in which configuration, and within how
many kernels, a check found the fault; *oracle* is the one for shared memory or the one for global memory, *order of
keys* that of commits in both. What survives here: an abort puts back what such a lane has changed, so only the warp
that runs alone could lose by it.

`make test-bank-mutants` runs all of them.

END
SIMTX_CONFIG_DIR=configs "$2/regress/tm/bank_mutants"
