# SM cores, clocks, and the machine that runs them.
LIB_SRC += $(wildcard timing/*/*.c)
$(B)/obj/timing/%.o: CFLAGS += $(HOT_OPT)
