# libcurand.so: the host API of cuRAND, compiled by simtx-cc like a program.
.SECONDEXPANSION:
CURAND := $(B)/cuda/lib64/libcurand.so
ALL    += $(CURAND)

$(CURAND): frontend/curand/curand.cu $(wildcard frontend/curand/*.h frontend/cuda/include/curand/*.h \
                                                frontend/cuda/include/curand*.h) | $$(KERNEL_NEEDS)
	$(B)/bin/simtx-cc -O2 -I. -shared -Xcompiler -fPIC -Xlinker -soname,libcurand.so.10 $< -o $(CURAND).10
	@ln -sf libcurand.so.10 $@
