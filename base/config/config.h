/*
 * Configuration: the values of the keys of all tables (config_rows.h defines the rows), each with the file and line
 * that set it. Presets and the command line set keys by text. A component copies the keys that it owns into its struct
 * (config_fields.h, config_copy.h) and reads those of other components by name, `config_int(c, KEY_GPU_SMS)`. Keys of
 * one kernel (kernel.NAME.registers) are kept in a list.
 */
#ifndef BASE_CONFIG_H
#define BASE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

enum config_key {
#define INT_KEY(id, ...) KEY_##id,
#define REAL_KEY(id, ...) KEY_##id,
#define BOOL_KEY(id, ...) KEY_##id,
#define ENUM_KEY(id, ...) KEY_##id,
#define CHOICE_KEY(id, ...) KEY_##id,
#define TEXT_KEY(id, ...) KEY_##id,
#define CONFIG_ROWS "configs/keys.def"
#include "base/config/config_rows.h"
    KEY_COUNT,
    KEY_NONE = KEY_COUNT
};

enum kernel_key {
#define KERNEL_KEY(id, ...) KEY_##id,
#define CONFIG_ROWS "configs/keys.def"
#include "base/config/config_rows.h"
    KERNEL_KEY_COUNT
};

struct simtx_config;                 /* the same as frontend/lib/simtx.h's simtx_config */

/* The enumerations that ENUM_KEY rows make, and the functions that CHECK and WARN rows name. */
#define CONFIG_ENUMERATOR(enumerator, text) enumerator,
#define ENUM_KEY(id, field, name, def, tag, LIST, ...) enum tag { LIST(CONFIG_ENUMERATOR) };
#define CHECK(function) void function(const struct simtx_config *config, struct diag *d);
#define WARN(function) void function(const struct simtx_config *config, struct diag *d);
#define CONFIG_ROWS "configs/keys.def"
#include "base/config/config_rows.h"
#undef CONFIG_ENUMERATOR

enum config_type { CONFIG_INT, CONFIG_REAL, CONFIG_BOOL, CONFIG_ENUM, CONFIG_TEXT };
enum config_scope { CONFIG_MODEL, CONFIG_RUN, CONFIG_HOST };

struct config_key_info {
    const char *name, *fallback;     /* "gpu.sms"; the default as text */
    enum config_type type;
    enum config_scope scope;
    double min, max;                 /* of numbers */
    const char *choices;             /* of an enumeration: "a|b|c" */
    const char *unit, *help, *source;
};

extern const struct config_key_info config_keys[KEY_COUNT];
extern const struct config_key_info config_kernel_keys[KERNEL_KEY_COUNT];   /* name: without kernel.NAME. */

struct simtx_config *config_new(void);
struct simtx_config *config_copy(const struct simtx_config *c);
void config_free(struct simtx_config *c);
/* Sets the keys of scope MODEL to their defaults; other keys, and those of kernels, keep their values. */
void config_reset_machine(struct simtx_config *c);

int64_t config_int(const struct simtx_config *c, enum config_key k);
double config_real(const struct simtx_config *c, enum config_key k);
bool config_bool(const struct simtx_config *c, enum config_key k);
int config_choice(const struct simtx_config *c, enum config_key k);          /* position in choices, from 0 */
const char *config_text(const struct simtx_config *c, enum config_key k);    /* any key's value as text */
const char *config_origin(const struct simtx_config *c,
                          enum config_key k);  /* "gtx480.cfg:12"; NULL = default */
const char *config_place(const struct simtx_config *c, enum config_key k);   /* the same; "default" */
const char *config_source(const struct simtx_config *c, enum config_key k);  /* the publication of the value */
/* For messages: "l1.ways = 3 (gtx480.cfg:31)". */
struct config_setting { char text[160]; };
struct config_setting config_setting(const struct simtx_config *c, enum config_key k);

/*
 * The value of kernel.NAME.key for a kernel; false when it is not set. NAME is the kernel's name in the PTX or, for a
 * mangled C++ name, the plain identifier in it. When several match, the one set last applies.
 */
bool config_kernel_int(const struct simtx_config *c, const char *kernel, enum kernel_key k, int64_t *value);
/* Does `pattern` match the kernel by this rule? */
bool config_kernel_matches(const char *pattern, const char *kernel);
/* The i-th kernel.NAME.key in the order of setting; false after the last one. */
bool config_kernel_at(const struct simtx_config *c, size_t i, const char **kernel, enum kernel_key *k,
                      const char **text, const char **origin);

enum config_key config_find(const char *name);                               /* KEY_NONE when there is none */
/*
 * Sets a key, kernel.NAME.key included. origin: file and line, or option, for later messages; source: the publication
 * of the value (may be NULL); line: position in d's file, 0 when there is none. Returns false with an error in d.
 */
bool config_set(struct simtx_config *c, const char *name, const char *text, const char *origin,
                const char *source,
                struct diag *d, int line);
/* The key has the value of a preset. Other values that are set are the user's own: those of files and assignments. */
void config_mark_preset(struct simtx_config *c, enum config_key k);
bool config_is_own(const struct simtx_config *c, enum config_key k);
/* Value of any key by name, kernel.NAME.key included; NULL when there is no such key or no value. */
const char *config_get(const struct simtx_config *c, const char *name);
/* "1 to 1024", of a key that holds a number. */
void config_range_text(const struct config_key_info *k, char *buf, size_t size);

/* ---- config_rules.c ---- */

/* All RULE, POWER_OF_TWO and CHECK rows. false with all violations in d. */
bool config_check(const struct simtx_config *c, struct diag *d);
/* All WARN rows. */
void config_warn(const struct simtx_config *c, struct diag *d);
/* For WARN rows: the key has no effect because of the other one's value. Reports it if the user has set the key, since
 * presets have values for parts of the machine that an overlay or the user switches off. */
void config_warn_unused(const struct simtx_config *c, enum config_key k, enum config_key because, struct diag *d);

#endif
