#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <stdlib.h>

// A zlib stream (RFC 1950) that is unpacked piece by piece. Its state is larger than what Swift can read of a structure, and
// stays behind a pointer, which free() ends; NULL where there is no memory.
static inline void *submit_inflate_begin(void) {
    struct inflate_state *state = (struct inflate_state *)malloc(sizeof *state);
    if (state) {
        isal_inflate_init(state);
        state->crc_flag = ISAL_ZLIB;
    }
    return state;
}

// Unpacks as much as it can. *in_count becomes how many bytes it has not taken, *out_count how many it has written.
// 1: it has come to its end; 2: and something stands behind it; 0: it wants more bytes, or more room; below 0: it is none.
static inline int submit_inflate(
    void *handle, const uint8_t *in, uint32_t *in_count, uint8_t *out, uint32_t *out_count) {
    struct inflate_state *state = (struct inflate_state *)handle;
    state->next_in = (uint8_t *)in;
    state->avail_in = *in_count;
    state->next_out = out;
    state->avail_out = *out_count;
    int result = isal_inflate(state);
    *in_count = state->avail_in;
    *out_count -= state->avail_out;
    // A dictionary that nobody has counts as none, too.
    if (result < 0 || result > ISAL_OUT_OVERFLOW) return -1;
    if (state->block_state != ISAL_BLOCK_FINISH) return 0;
    return state->avail_in > 0 || state->read_in_length >= 8 ? 2 : 1;
}
