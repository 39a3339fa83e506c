/* Arithmetic lanes of one multiprocessor (CUDA C++ programming guide, "Arithmetic Instructions"). */
#ifndef SIMTX_SM_LANES_H
#define SIMTX_SM_LANES_H

static inline int simtx_sm_lanes(int major, int minor)
{
    switch (major * 10 + minor) {
    case 20: return 32;
    case 21: return 48;
    case 30:
    case 32:
    case 35:
    case 37: return 192;
    case 60:
    case 70:
    case 72:
    case 75:
    case 80: return 64;
    default: return 128;
    }
}

#endif
