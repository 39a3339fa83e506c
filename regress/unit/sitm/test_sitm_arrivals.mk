# The order in which the manager of versions takes messages; what it does with them is replaced.
$(B)/regress/unit/test_sitm_arrivals: regress/unit/sitm/test_sitm_arrivals.c $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -Wl,--wrap=sitm_manager_receive -MMD -MP $< -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS) -lcmocka

test-commit-unit: $(B)/regress/unit/test_sitm_arrivals
