# Tests of profiles: --profile and `simtx profile`.
TESTS          += test-profile
THREADED_TESTS += test-profile
.PHONY: test-profile
test-profile: $(B)/bin/simtx $(B)/bin/simtx-cc $(CUDA_TREE) $(CONFIGS) $(B)/regress/paper/wellformed
	@regress/profile/run.sh $(B)
