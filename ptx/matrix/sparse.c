/*
 * Metadata of sparse products (PTX ISA, "Sparse Matrix Storage", "Sparse Metadata"). A row of A consists of chunks,
 * and half of each is stored: 1 of 2 elements of tf32, 2 of 4 elements of 16 or 8 bits, 2 of 4 pairs of 4 bits. Four
 * bits of metadata belong to a chunk: the index of the first stored element or pair in the low two bits, that of the
 * second in the high two. For tf32 the four bits are 0b0100 (first element) or 0b1110 (second): bit 1 is the index.
 *
 * A lane's word has 8 chunks. Of 16 and 32 bits: four of row g = lane / 4, then the same of row g + 8; of 8 and 4 bits:
 * eight of one row, which is g and g + 8 in turn. The words of a group of four lanes follow one another along k.
 *
 * The ISA leaves undefined equal indices, indices that descend where they must ascend, and other values of tf32. Here
 * each stored element is multiplied with the row of B that its index names, and check.warp reports it.
 */
#include "ptx/exec/check.h"
#include "ptx/matrix/matrix.h"
#include "ptx/matrix/step.h"

enum { CHUNKS = 8 };                 /* of a word */

void matrix_decode_metadata(struct decoder *x, struct matrix_metadata *m, const struct ptx_operand *o)
{
    const struct ptx_inst *in = x->in;
    m->bits = (uint8_t)matrix_element_bits((enum ptx_type)in->type[1]);
    m->lanes = (uint8_t)matrix_metadata_lanes(in);
    m->first = (uint8_t)(o[1].imm * m->lanes);
    m->ascending = in->op != OP_MMA_SP;
    m->word = decoder_source(x, &o[0], T_B32);
}

static bool is_legal(const struct matrix_metadata *m, uint32_t low, uint32_t high)
{
    if (m->bits == 32)
        return (low == 0 && high == 1) || (low == 2 && high == 3);
    return m->ascending ? low < high : low != high;
}

/* Reports illegal metadata (check.warp). False: it is a fault. */
static bool check_chunk(const struct matrix_metadata *m, struct half *h, const struct dinst *d, int lane, int chunk,
                        uint32_t bits)
{
    lane += h->index * LANES;
    if (is_legal(m, bits & 3, bits >> 2) || check_tolerated(h->warp, d, CHECK_WARP, lane))
        return true;
    return check_failed(h->warp, d, CHECK_WARP, FAULT_WARP, lane, 0,
                        "chunk %d of its metadata is 0x%x; the result is undefined", chunk, bits) != CONTROL_FAULT;
}

/* Sets the columns of the stored elements of a chunk. */
static void place_chunk(const struct matrix_metadata *m, uint8_t *columns, int chunk, uint32_t bits)
{
    uint32_t low = bits & 3, high = bits >> 2;
    if (m->bits == 32) {
        columns[chunk] = (uint8_t)(2 * chunk + (int)(low >> 1));
    } else if (m->bits == 4) {
        for (int i = 0; i < 4; i++)
            columns[4 * chunk + i] = (uint8_t)(8 * chunk + 2 * (int)(i < 2 ? low : high) + i % 2);
    } else {
        columns[2 * chunk] = (uint8_t)(4 * chunk + (int)low);
        columns[2 * chunk + 1] = (uint8_t)(4 * chunk + (int)high);
    }
}

bool matrix_stored_columns(const struct matrix_metadata *m, struct lanes *l, const struct dinst *d,
                           uint8_t (*columns)[MATRIX_STORED])
{
    const uint32_t *word = lanes_at(l, m->word);
    bool by_rows = m->bits <= 8;
    for (int group = 0; group < LANES / 4; group++)
        for (int i = 0; i < m->lanes * CHUNKS; i++) {
            int lane = 4 * group + m->first + i / CHUNKS, at = i % CHUNKS, turn = i / CHUNKS;
            int row = group + 8 * (by_rows ? turn % 2 : at / 4);
            int chunk = by_rows ? turn / 2 * CHUNKS + at : 4 * turn + at % 4;
            uint32_t bits = word[lane] >> 4 * at & 15;
            if (!check_chunk(m, half_of(l), d, lane, at, bits))
                return false;
            place_chunk(m, columns[row], chunk, bits);
        }
    return true;
}
