# Transactional memory: the interface, the protocols, the oracle.
LIB_SRC += $(wildcard tm/*.c tm/*/*.c tm/*/*/*.c tm/*/*/*/*.c)
