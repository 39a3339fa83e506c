/* Bytes of the messages of snapshot isolation: a header, and a payload that is fixed or grows with lanes or edges. */
#include "tm/sitm/rules/messages.h"

/* payload = fixed + each x (lanes or edges) */
static const struct { uint8_t fixed, each; } PAYLOAD[SITM_KINDS] = {
    [SITM_BEGIN] = { 8, 0 }, [SITM_SNAPSHOT] = { 9, 0 },
    [SITM_TX_READ] = { 6, 1 }, [SITM_DATA] = { 6, 0 }, [SITM_TX_WRITE] = { 6, 1 }, [SITM_WRITE_ACK] = { 6, 0 },
    [SITM_EDGE] = { 0, 4 }, [SITM_EDGE_ACK] = { 0, 4 },
    [SITM_COMMIT_REQ] = { 8, 0 }, [SITM_COMMIT_OK] = { 12, 0 },
    [SITM_PASS] = { 8, 0 }, [SITM_FAIL] = { 8, 0 }, [SITM_CU_DONE] = { 0, 0 },
    [SITM_WRITTEN] = { 4, 0 }, [SITM_COMMITTED] = { 4, 0 }, [SITM_ABORTED] = { 8, 0 },
    [SITM_YIELD] = { 4, 0 },
    [SITM_COPY] = { 8, 0 }, [SITM_PUBLISH] = { 4, 0 }, [SITM_RELEASE] = { 8, 0 }, [SITM_RESET] = { 8, 0 },
};

uint32_t sitm_message_bytes(enum sitm_kind kind, uint32_t n)
{
    return SITM_HEADER_BYTES + PAYLOAD[kind].fixed + PAYLOAD[kind].each * n;
}
