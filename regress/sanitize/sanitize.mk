# The tests with the checks of gcc's sanitizers compiled in (docs/testing.md).
#   make sanitize          addresses, leaks, undefined behaviour: every test but test-clients, whose programs load
#                          libraries after the sanitizer should be there; built in $(B)-sanitize
#   make sanitize-threads  those that use several host threads: data races; built in $(B)-threads
.PHONY: sanitize sanitize-threads sanitize-reports
sanitize: SANITIZE_B := $(B)-sanitize
sanitize-threads: SANITIZE_B := $(B)-threads
sanitize sanitize-threads: export PATH := $(abspath regress/sanitize/bin):$(PATH)
SANITIZE_MAKE = rm -rf $(SANITIZE_B)/reports && mkdir -p $(SANITIZE_B)/reports && \
    $(MAKE) --no-print-directory B=$(SANITIZE_B) OPT="-O1 -g -fno-omit-frame-pointer"

# Reports go to files, since a test may discard what a program prints. No test expects this exit status.
SANITIZE_REPORTS = exitcode=99:log_path=$(abspath $(SANITIZE_B))/reports/report

# The sanitizer runtime that libcudart.so needs must be the first library that a program loads. CCC_OVERRIDE_OPTIONS
# makes clang link it into every program. The fuzzers use clang's own runtime.
sanitize_link = \#^-Wno-unused-command-line-argument \
    ^-Wl,--push-state,--no-as-needed,$(shell $(CC) -print-file-name=$(1)),--pop-state
$(FUZZ_BIN): export CCC_OVERRIDE_OPTIONS = \#

sanitize: export CCC_OVERRIDE_OPTIONS = $(call sanitize_link,libasan.so)
sanitize: export ASAN_OPTIONS = detect_leaks=1:$(SANITIZE_REPORTS)
sanitize: export UBSAN_OPTIONS = print_stacktrace=1:$(SANITIZE_REPORTS)
sanitize:
	+@$(SANITIZE_MAKE) SANITIZE="-fsanitize=address,undefined -fno-sanitize-recover=undefined" \
	    TESTS="$(filter-out test-clients,$(TESTS)) sanitize-reports" test

# ThreadSanitizer makes programs ten times slower; random tests take fewer programs.
SANITIZE_FEWER := RANDOM_COUNT=100 RANDOM_TIMING_COUNT=50 RANDOM_TM_COUNT=20 RANDOM_TM_SHARED_COUNT=15 \
                  RANDOM_TM_BOTH_COUNT=15

sanitize-threads: export CCC_OVERRIDE_OPTIONS = $(call sanitize_link,libtsan.so)
sanitize-threads: export TSAN_OPTIONS = suppressions=$(abspath regress/sanitize/threads.supp):$(SANITIZE_REPORTS)
sanitize-threads:
	+@$(SANITIZE_MAKE) SANITIZE=-fsanitize=thread $(SANITIZE_FEWER) TESTS="$(THREADED_TESTS) sanitize-reports" test

# One test: no program of the preceding tests has left a report.
sanitize-reports:
	@regress/sanitize/reports.sh $(B)/reports
