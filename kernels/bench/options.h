// The command line of a benchmark: `--NAME VALUE` pairs, of which `--size quick|paper|N` is one of most programs, the
// others a program's own. Anything else ends the program with a message and status 2.
#ifndef KERNELS_BENCH_OPTIONS_H
#define KERNELS_BENCH_OPTIONS_H

#include "../check.h"

// An option of one program: the index of a word of the list `words` (ended by null) or, without a list, a number from
// `least` to `most`.
struct NamedOption {
    const char *name, *meaning;
    int *value;
    const char *const *words;
    int least, most;
};

// What `--size` stands for: a number of `unit`, from which a program derives everything else. Without a unit the
// program has no such option.
struct SizeRange {
    const char *unit;
    int quick, paper, least, most;
};

static inline std::string option_values(const NamedOption &option) {
    if (!option.words) {
        return "N";
    }
    std::string values;
    for (const char *const *word = option.words; *word; word++) {
        values += (values.empty() ? "" : "|") + std::string(*word);
    }
    return values;
}

static inline void print_usage(FILE *to, const SizeRange &range, const std::vector<NamedOption> &options) {
    fprintf(to, "usage: %s [OPTION VALUE]...\n", PROGRAM);
    for (const NamedOption &option : options) {
        std::string left = std::string(option.name) + " " + option_values(option);
        fprintf(to, "  --%-24s %s\n", left.c_str(), option.meaning);
    }
    if (range.unit) {
        fprintf(to, "  --%-24s %d, %d or N %s, N from %d to %d (quick)\n", "size quick|paper|N", range.quick,
                range.paper, range.unit, range.least, range.most);
    }
    fprintf(to, "  --%-24s print this\n", "help");
}

[[noreturn]] static inline void wrong_usage(const SizeRange &range, const std::vector<NamedOption> &options,
                                            const std::string &why) {
    fprintf(stderr, "%s: %s\n", PROGRAM, why.c_str());
    print_usage(stderr, range, options);
    exit(2);
}

static inline bool parse_number(const char *text, int least, int most, int *value) {
    char *end = nullptr;
    long number = strtol(text, &end, 10);
    if (end == text || *end != '\0' || number < least || number > most) {
        return false;
    }
    *value = (int)number;
    return true;
}

static inline bool parse_value(const NamedOption &option, const char *text) {
    if (!option.words) {
        return parse_number(text, option.least, option.most, option.value);
    }
    for (int i = 0; option.words[i]; i++) {
        if (!strcmp(option.words[i], text)) {
            *option.value = i;
            return true;
        }
    }
    return false;
}

static inline bool parse_size(const SizeRange &range, const char *text, int *size) {
    if (!strcmp(text, "quick")) {
        *size = range.quick;
    } else if (!strcmp(text, "paper")) {
        *size = range.paper;
    } else {
        return parse_number(text, range.least, range.most, size);
    }
    return true;
}

static inline void parse_pair(const SizeRange &range, const std::vector<NamedOption> &options, const char *name,
                              const char *value, int *size) {
    bool known = range.unit && !strcmp(name, "--size"), good = known && value && parse_size(range, value, size);
    for (const NamedOption &option : options) {
        if (!strncmp(name, "--", 2) && !strcmp(name + 2, option.name)) {
            known = true;
            good = value && parse_value(option, value);
        }
    }
    if (!known) {
        wrong_usage(range, options, "there is no option " + shown(std::string(name)));
    }
    if (!good) {
        wrong_usage(range, options, std::string(name) + " does not take " + (value ? value : "an empty value"));
    }
}

// Reads the command line into the values of `options`; returns the size.
static inline int read_options(int argc, char **argv, const SizeRange &range,
                               const std::vector<NamedOption> &options = {}) {
    int size = range.quick;
    for (int i = 1; i < argc; i += 2) {
        if (!strcmp(argv[i], "--help")) {
            print_usage(stdout, range, options);
            exit(0);
        }
        parse_pair(range, options, argv[i], i + 1 < argc ? argv[i + 1] : nullptr, &size);
    }
    return size;
}

#endif
