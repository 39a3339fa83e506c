# The memory system: everything between a warp's access and DRAM.
LIB_SRC += $(wildcard memsys/*.c)
