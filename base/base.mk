LIB_SRC += $(wildcard base/*.c)
