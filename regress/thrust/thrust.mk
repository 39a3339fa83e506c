# Thrust, CUB and libcu++ as Debian ships them, and libcurand, against the host's standard library. Compiling them is
# nearly all of the time; radix sorts of the remaining key types are in thrust-long.
THRUST_PROGRAMS := thrust_order thrust_scan thrust_iterators thrust_kernels cub_device cub_block cub_radix libcudacxx
THRUST_SM_80    := libcudacxx_80                 # with mbarrier and cp.async
THRUST_LONG     := cub_radix_1 cub_radix_2
THRUST_HEADERS  := $(wildcard regress/thrust/*.h)
THRUST_CC       = $(B)/bin/simtx-cc -O1 -w

$(THRUST_PROGRAMS:%=$(B)/regress/thrust/%): $(B)/regress/thrust/%: regress/thrust/%.cu $(THRUST_HEADERS) \
    | $$(KERNEL_NEEDS)
	@mkdir -p $(@D)
	$(THRUST_CC) $< -o $@

$(THRUST_SM_80:%=$(B)/regress/thrust/%): $(B)/regress/thrust/%_80: regress/thrust/%.cu $(THRUST_HEADERS) \
    | $$(KERNEL_NEEDS)
	@mkdir -p $(@D)
	$(THRUST_CC) -arch=sm_80 $< -o $@

$(THRUST_LONG:%=$(B)/regress/thrust/%): $(B)/regress/thrust/cub_radix_%: regress/thrust/cub_radix.cu \
    $(THRUST_HEADERS) | $$(KERNEL_NEEDS)
	@mkdir -p $(@D)
	$(THRUST_CC) -DKEYS=$* $< -o $@

$(B)/regress/thrust/curand_host: regress/thrust/curand_host.cu $(THRUST_HEADERS) | $$(KERNEL_NEEDS) $(CURAND)
	@mkdir -p $(@D)
	$(THRUST_CC) $< -o $@ -lcurand

.PHONY: test-thrust thrust-long
test-thrust: $(THRUST_PROGRAMS:%=$(B)/regress/thrust/%) $(THRUST_SM_80:%=$(B)/regress/thrust/%) \
             $(B)/regress/thrust/curand_host $(B)/bin/simtx
	@regress/thrust/run.sh $(B) thrust $(THRUST_PROGRAMS) $(THRUST_SM_80) curand_host

thrust-long: $(THRUST_LONG:%=$(B)/regress/thrust/%) $(B)/bin/simtx
	@regress/thrust/run.sh $(B) thrust-long $(THRUST_LONG)

TESTS      += test-thrust
LONG_TESTS += thrust-long
