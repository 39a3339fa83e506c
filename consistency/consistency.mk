# Memory-ordering policies and coherence protocols.
LIB_SRC += $(wildcard consistency/*.c consistency/*/*.c)
