# The suites with the checks of gcc's sanitizers compiled in; docs/testing.md says more.
#   make sanitize          every suite: addresses, leaks, undefined behaviour; built in $(B)-sanitize
#   make sanitize-threads  the suites that use several host threads: data races; built in $(B)-threads
SANITIZE_OPT := -O1 -g -fno-omit-frame-pointer

# A program that clang links gets the runtime that libcudart.so is compiled for; it must be the first library that is loaded.
# Clang reads the options from this variable. The fuzzers have the runtime of clang.
sanitize_link = \#^-Wno-unused-command-line-argument ^-Wl,--push-state,--no-as-needed,$(shell $(CC) -print-file-name=$(1)),--pop-state

# Reports go to files, since a test may discard what a program prints, and a status of their own is no program's.
SANITIZE_REPORTS := reports
sanitize_options = exitcode=99:log_path=$(abspath $(1)/reports)/report

.PHONY: sanitize sanitize-threads sanitize-reports
sanitize:
	+@rm -rf $(B)-sanitize/reports && mkdir -p $(B)-sanitize/reports
	+@CCC_OVERRIDE_OPTIONS="$(call sanitize_link,libasan.so)" \
	  ASAN_OPTIONS=detect_leaks=1:$(call sanitize_options,$(B)-sanitize) \
	  UBSAN_OPTIONS=print_stacktrace=1:$(call sanitize_options,$(B)-sanitize) \
	  $(MAKE) --no-print-directory B=$(B)-sanitize FUZZ_B=$(B)/fuzz OPT="$(SANITIZE_OPT)" \
	    SANITIZE="-fsanitize=address,undefined -fno-sanitize-recover=undefined" TESTS="$(TESTS) sanitize-reports" test

$(FUZZ_BIN): export CCC_OVERRIDE_OPTIONS := \#

# One test: no program of the suites before has left a report.
sanitize-reports:
	@regress/sanitize/reports.sh $(B)/reports
