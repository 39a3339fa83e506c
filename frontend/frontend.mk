# The library's interface and the simtx command.

FRONTEND_DIR := cli page paper report profile_view sweep litmus session
FRONTEND_CMD := $(wildcard $(FRONTEND_DIR:%=frontend/%/*.c))
LIB_SRC += $(wildcard frontend/lib/*.c frontend/lib/saved/*.c)
CMD_OBJ := $(FRONTEND_CMD:%.c=$(B)/obj/%.o)

$(B)/bin/simtx: $(CMD_OBJ) $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) -o $@ $^ $(LDFLAGS) -Wl,--as-needed $(LDLIBS)

# Presets are found relative to the command and the libraries, all in one folder: the same layout when built and when
# installed.
PRESETS    := $(B)/share/simtx/configs
CONFIG_SRC := $(wildcard configs/*.cfg configs/*/*.cfg)
CONFIGS    := $(addprefix $(PRESETS)/,$(notdir $(CONFIG_SRC)))

define config_rule
$(PRESETS)/$(notdir $(1)): $(1)
	@mkdir -p $$(@D)
	@cp $$< $$@
endef
$(foreach c,$(CONFIG_SRC),$(eval $(call config_rule,$(c))))

# The folder has no preset that only an earlier state of the tree had.
STALE_CONFIGS = $(filter-out $(CONFIGS),$(wildcard $(PRESETS)/*))
.PHONY: presets
presets: $(CONFIGS)
	@$(if $(STALE_CONFIGS),rm -f $(STALE_CONFIGS))

ALL += $(B)/lib/libsimtx.a $(B)/lib/libsimtx.so $(B)/bin/simtx presets

INSTALL_SHARE := $(DESTDIR)$(PREFIX)/share/simtx
.PHONY: install-frontend
install: install-frontend
install-frontend: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib $(DESTDIR)$(PREFIX)/include $(INSTALL_SHARE)/configs
	install -m 755 $(B)/bin/simtx $(DESTDIR)$(PREFIX)/bin/simtx
	install -m 644 $(B)/lib/libsimtx.a $(DESTDIR)$(PREFIX)/lib/libsimtx.a
	install -m 755 $(B)/lib/libsimtx.so $(DESTDIR)$(PREFIX)/lib/libsimtx.so
	install -m 644 frontend/lib/simtx.h frontend/lib/simtx_texture.h $(DESTDIR)$(PREFIX)/include/
	cp -R $(PRESETS)/. $(INSTALL_SHARE)/configs/
