/* The memory functions of one vector width, by memory size, register size, sign extension and space. */
#ifndef PTX_MEM_TABLE_H
#define PTX_MEM_TABLE_H

#include "ptx/lanes.h"

enum mem_place { MEM_GLOBAL, MEM_SHARED, MEM_PARAM, MEM_PRIVATE, MEM_PLACES };

struct mem_row {
    uint8_t mem_bytes, reg_bytes;
    bool sign, store;
    ptx_fn *fn[MEM_PLACES];
};

extern const struct mem_row mem_table_base[], mem_table_avx2[], mem_table_avx512[];

#endif
