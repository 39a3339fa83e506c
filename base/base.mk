LIB_SRC += $(wildcard base/*.c base/*/*.c)
