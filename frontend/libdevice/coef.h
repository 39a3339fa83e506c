/*
 * Coefficients and multi-part constants, written by tools/fit.py (the method is told there).
 * Names end in _d (double) or _f (float); arrays begin with the constant term.
 */
#ifndef SIMTX_LIBDEVICE_COEF_H
#define SIMTX_LIBDEVICE_COEF_H

COEF double k_ln2_d[] = {0x1.62e42fefa3800p-1, 0x1.ef35793c76730p-45};
COEF float k_ln2_f[] = {0x1.62e4000000000p-1f, 0x1.7f7d1c0000000p-20f};
COEF double k_log2e_d[] = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
COEF float k_log2e_f[] = {0x1.7154760000000p+0f, 0x1.4ae0c00000000p-26f};
COEF double k_ln2_full_d[] = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
COEF float k_ln2_full_f[] = {0x1.62e4300000000p-1f, -0x1.05c6100000000p-29f};
COEF double k_log10e_d[] = {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
COEF float k_log10e_f[] = {0x1.bcb7b20000000p-2f, -0x1.5b235e0000000p-27f};
COEF double k_log10_2_d[] = {0x1.34413509f7800p-2, 0x1.fef311f12b358p-46};
COEF float k_log10_2_f[] = {0x1.3442000000000p-2f, -0x1.95ec100000000p-19f};
COEF double k_log2_10_d[] = {0x1.a934f0979a371p+1, 0x1.7f2495fb7fa6dp-53};
COEF float k_log2_10_f[] = {0x1.a934f00000000p+1f, 0x1.2f346e0000000p-24f};
COEF double k_ln10_d[] = {0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53};
COEF float k_ln10_f[] = {0x1.26bb1c0000000p+1f, -0x1.12aaba0000000p-25f};
COEF double k_pi_d[] = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
COEF float k_pi_f[] = {0x1.921fb60000000p+1f, -0x1.777a5c0000000p-24f};
COEF double k_pi_2_d[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
COEF float k_pi_2_f[] = {0x1.921fb60000000p+0f, -0x1.777a5c0000000p-25f, -0x1.ee59da0000000p-50f};
COEF double k_2_pi_d[] = {0x1.45f306dc9c883p-1, -0x1.6b01ec5417056p-55};
COEF float k_2_pi_f[] = {0x1.45f3060000000p-1f, 0x1.b939100000000p-26f};
COEF double k_2_3_d[] = {0x1.5555555555555p-1, 0x1.5555555555555p-55};
COEF float k_2_3_f[] = {0x1.5555560000000p-1f, -0x1.5555560000000p-26f};
COEF double k_sqrt1_2_d[] = {0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55};
COEF float k_sqrt1_2_f[] = {0x1.6a09e60000000p-1f, 0x1.9fcef40000000p-27f};
/* c_exp on [-0.51, 0.51], degree 11, error 2^-56.9 */
COEF double c_exp_d[] = {
    0x1.0000000000000p-1,
    0x1.5555555555555p-3,
    0x1.555555555559bp-5,
    0x1.1111111111140p-7,
    0x1.6c16c16bfe6e9p-10,
    0x1.a01a01a003866p-13,
    0x1.a01a0203d5136p-16,
    0x1.71de3a9f7ede3p-19,
    0x1.27e442a93ba2dp-22,
    0x1.ae63694140fc8p-26,
    0x1.202920e69342fp-29,
    0x1.6290fe45b37e0p-33,
};
/* c_exp on [-0.51, 0.51], degree 6, error 2^-30.9 */
COEF float c_exp_f[] = {
    0x1.0000000000000p-1f,
    0x1.5555560000000p-3f,
    0x1.5555560000000p-5f,
    0x1.110fb20000000p-7f,
    0x1.6c15300000000p-10f,
    0x1.a2bd7a0000000p-13f,
    0x1.a2836a0000000p-16f,
};
/* c_log on [0, 0.03], degree 7, error 2^-55.1 */
COEF double c_log_d[] = {
    0x1.999999999999ap-2,
    0x1.2492492492537p-2,
    0x1.c71c71c6e452fp-3,
    0x1.745d1780181c7p-3,
    0x1.3b13938d0bc7dp-3,
    0x1.111941d647a7ep-3,
    0x1.df63927d8c29ep-4,
    0x1.e133162e5782bp-4,
};
/* c_log on [0, 0.03], degree 3, error 2^-26.9 */
COEF float c_log_f[] = {
    0x1.99999a0000000p-2f,
    0x1.2492920000000p-2f,
    0x1.c6bd1c0000000p-3f,
    0x1.87fb860000000p-3f,
};
/* c_sin on [0, 0.63], degree 6, error 2^-56.6 */
COEF double c_sin_d[] = {
    -0x1.5555555555555p-3,
    0x1.1111111111110p-7,
    -0x1.a01a01a019875p-13,
    0x1.71de3a5449176p-19,
    -0x1.ae6453ea6413ep-26,
    0x1.61215f60223e0p-33,
    -0x1.ab055a84f7b16p-41,
};
/* c_sin on [0, 0.63], degree 3, error 2^-27.6 */
COEF float c_sin_f[] = {
    -0x1.5555560000000p-3f,
    0x1.11110e0000000p-7f,
    -0x1.a013620000000p-13f,
    0x1.6da7c60000000p-19f,
};
/* c_cos on [0, 0.63], degree 5, error 2^-58.6 */
COEF double c_cos_d[] = {
    0x1.5555555555555p-5,
    -0x1.6c16c16c1691bp-10,
    0x1.a01a019f3cdedp-16,
    -0x1.27e4fa00fb754p-22,
    0x1.1eeb5152e7228p-29,
    -0x1.906cd1c9941b9p-37,
};
/* c_cos on [0, 0.63], degree 3, error 2^-29.6 */
COEF float c_cos_f[] = {
    0x1.5555560000000p-5f,
    -0x1.6c16c00000000p-10f,
    0x1.a015960000000p-16f,
    -0x1.25156e0000000p-22f,
};
/* c_atan on [0, 1], degree 20, error 2^-55.6 */
COEF double c_atan_d[] = {
    -0x1.5555555555555p-2,
    0x1.999999999990dp-3,
    -0x1.249249248d22dp-3,
    0x1.c71c71c4b59eap-4,
    -0x1.745d16f9a5b8ap-4,
    0x1.3b13ab6e67a6ep-4,
    -0x1.1110c5427df25p-4,
    0x1.e1dc6216d4a72p-5,
    -0x1.af02a7c98fa1dp-5,
    0x1.8552d3410eb6ap-5,
    -0x1.61079bcb7b617p-5,
    0x1.3d86ce8d56c17p-5,
    -0x1.150b09b37ac8ap-5,
    0x1.c56eca4b5d27ep-6,
    -0x1.4dba96eefd8b9p-6,
    0x1.a5fb803d769bap-7,
    -0x1.b48b0c2dc229fp-8,
    0x1.5d850df12ff89p-9,
    -0x1.923602215a5c5p-11,
    0x1.25f43f6c7b8f2p-13,
    -0x1.980bdd0bf1a3fp-17,
};
/* c_atan on [0, 1], degree 9, error 2^-25.7 */
COEF float c_atan_f[] = {
    -0x1.5555560000000p-2f,
    0x1.99995c0000000p-3f,
    -0x1.248a0c0000000p-3f,
    0x1.c63b780000000p-4f,
    -0x1.6e22b60000000p-4f,
    0x1.20d8860000000p-4f,
    -0x1.93d3420000000p-5f,
    0x1.b456ea0000000p-6f,
    -0x1.314f3c0000000p-7f,
    0x1.9038f80000000p-10f,
};
/* c_asin on [0, 0.2501], degree 13, error 2^-56.6 */
COEF double c_asin_d[] = {
    0x1.5555555555555p-3,
    0x1.333333333338ep-4,
    0x1.6db6db6dab7c3p-5,
    0x1.f1c71c7ac361ap-6,
    0x1.6e8ba10f88a01p-6,
    0x1.1c4eff123b6e2p-6,
    0x1.c990600d6669dp-7,
    0x1.7b060e9687cd8p-7,
    0x1.3b2d19c62ea06p-7,
    0x1.32018f9178226p-7,
    0x1.85c937fd42d12p-9,
    0x1.432fdc2028522p-6,
    -0x1.3f312d956d85dp-6,
    0x1.e79aff20f13c3p-6,
};
/* c_asin on [0, 0.2501], degree 5, error 2^-26.4 */
COEF float c_asin_f[] = {
    0x1.5555540000000p-3f,
    0x1.33343c0000000p-4f,
    0x1.6d58ac0000000p-5f,
    0x1.fdd3380000000p-6f,
    0x1.17b6180000000p-6f,
    0x1.1504ce0000000p-5f,
};
/* c_tanh on [0, 0.31], degree 11, error 2^-55.6 */
COEF double c_tanh_d[] = {
    -0x1.5555555555555p-2,
    0x1.1111111111107p-3,
    -0x1.ba1ba1ba1a2d3p-5,
    0x1.664f48821075ep-6,
    -0x1.226e35331aba4p-7,
    0x1.d6d3c45021179p-9,
    -0x1.7da23b7aa5d5dp-10,
    0x1.3546051091736p-11,
    -0x1.f400647c51c94p-13,
    0x1.8c007e3b57904p-14,
    -0x1.1934e4a6c7c35p-15,
    0x1.0411a63c02bc6p-17,
};
/* c_tanh on [0, 0.31], degree 5, error 2^-26.5 */
COEF float c_tanh_f[] = {
    -0x1.5555560000000p-2f,
    0x1.1111040000000p-3f,
    -0x1.ba13960000000p-5f,
    0x1.656c960000000p-6f,
    -0x1.16f8900000000p-7f,
    0x1.48ac640000000p-9f,
};
/* c_cbrt on [1, 8], degree 5, error 2^-9.7 */
COEF double c_cbrt_d[] = {
    0x1.33913535bcb14p-1,
    0x1.00e6b54bfabbfp-1,
    -0x1.e9a9f690a82b9p-4,
    0x1.49f70f610dc03p-6,
    -0x1.dbf3275702b60p-10,
    0x1.14bf4a720ac65p-14,
};
/* c_cbrt on [1, 8], degree 5, error 2^-9.7 */
COEF float c_cbrt_f[] = {
    0x1.3391360000000p-1f,
    0x1.00e6b60000000p-1f,
    -0x1.e9a9f60000000p-4f,
    0x1.49f7100000000p-6f,
    -0x1.dbf3280000000p-10f,
    0x1.14bf4a0000000p-14f,
};

#endif
