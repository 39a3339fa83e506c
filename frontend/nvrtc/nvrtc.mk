# libnvrtc.so: compilation of CUDA C++ at run time, by simtx-cc.

NVRTC     := $(B)/cuda/lib64/libnvrtc.so
NVRTC_OBJ := $(patsubst %.c,$(B)/obj/%.o,$(wildcard frontend/nvrtc/*.c))
ALL += $(NVRTC) $(NVRTC).12

$(NVRTC).11.2: $(NVRTC_OBJ) $(B)/lib/libsimtx.a frontend/nvrtc/nvrtc.map
	@mkdir -p $(@D)
	$(CC) -shared -Wl,-soname,libnvrtc.so.11.2 -Wl,--version-script=frontend/nvrtc/nvrtc.map -o $@ $(NVRTC_OBJ) \
	$(B)/lib/libsimtx.a $(LDFLAGS)

# Programs of CUDA 12 load another name.
$(NVRTC) $(NVRTC).12: $(NVRTC).11.2
	ln -sf $(<F) $@
