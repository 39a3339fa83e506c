# The sources as text.
TESTS += test-lines
.PHONY: test-lines
test-lines:
	@regress/lines/run.sh
