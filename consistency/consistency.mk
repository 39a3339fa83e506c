# Memory-ordering policies.
LIB_SRC += $(wildcard consistency/*.c)
