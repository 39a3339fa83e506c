# Transactional memory: the interface, the protocols, the oracle.
LIB_SRC += $(wildcard tm/*.c) $(wildcard tm/kilotm/*.c) $(wildcard tm/localtm/*.c)
