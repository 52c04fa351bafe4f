// Polynomial coefficients of the math expansions, lowest degree first. Written by coefficients.py, which says what each
// one approximates; do not edit.
#ifndef TENFERRO_CONVERSION_EXPANDMATH_COEFFICIENTS_H
#define TENFERRO_CONVERSION_EXPANDMATH_COEFFICIENTS_H

namespace tenferro::compiler::coefficients {

/// (e^r - 1 - r - r^2/2) / r^3 for |r| <= ln(2)/2, relative to e^r - 1. Error 2^-61.2.
inline constexpr double kExpF64[] = {
    0x1.5555555555556p-3, 0x1.555555555554cp-5, 0x1.11111111102b3p-7, 0x1.6c16c16c1c4abp-10, 0x1.a01a01aba9992p-13,
    0x1.a01a01825ba67p-16, 0x1.71de02076bad5p-19, 0x1.27e5320826d48p-22, 0x1.af4f1ddd89956p-26, 0x1.1ee40e85e24e2p-29,
};

/// The same for f32. Error 2^-31.3.
inline constexpr double kExpF32[] = {
    0x1.5555540000000p-3, 0x1.5554f20000000p-5, 0x1.1111c80000000p-7, 0x1.6d40a40000000p-10, 0x1.9fc0d40000000p-13,
};

/// The same for f32 results computed in f64. Error 2^-36.9.
inline constexpr double kExpMid[] = {
    0x1.555555643629dp-3, 0x1.555555192c030p-5, 0x1.1110c88966bfap-7, 0x1.6c1750777fe9ep-10, 0x1.a15060adfca7cp-13,
    0x1.9ff76baaed760p-16,
};

/// (2 atanh(s) - 2s) / s^3 in s^2, relative to 2 atanh(s). Error 2^-58.9.
inline constexpr double kLogF64[] = {
    0x1.555555555555ep-1, 0x1.999999998ecd8p-2, 0x1.2492493641628p-2, 0x1.c71c5a9a75614p-3, 0x1.7464a2ba3f3e0p-3,
    0x1.39c83c70b2420p-3, 0x1.2d9a77b6f5376p-3,
};

/// The same for f32 results computed in f64. Error 2^-44.4.
inline constexpr double kLogMid[] = {
    0x1.55555555879bfp-1, 0x1.999997eb24cf8p-2, 0x1.24939fc600c40p-2, 0x1.c64c24c0e8867p-3, 0x1.8f65e70d021a6p-3,
};

/// (2 atanh(s) - 2s - 2/3 s^3) / s^5 in s^2, relative to 2 atanh(s). Error 2^-71.8.
inline constexpr double kLogDouble[] = {
    0x1.999999999999ap-2, 0x1.24924924925bep-2, 0x1.c71c71c6c1b13p-3, 0x1.745d179a524eep-3, 0x1.3b138a2ac12b1p-3,
    0x1.111afa22e93ddp-3, 0x1.df1381e04ee3ep-4, 0x1.e41031a4eb8dbp-4,
};

/// (log(1+f) - f + f^2/2) / f^3 for sqrt(1/2) <= 1+f <= sqrt(2), relative to log(1+f). Error 2^-29.7.
inline constexpr double kLogF32[] = {
    0x1.5555520000000p-2, -0x1.fffffe0000000p-3, 0x1.999fd00000000p-3, -0x1.555b100000000p-3, 0x1.238d840000000p-3,
    -0x1.fcbe820000000p-4, 0x1.e312400000000p-4, -0x1.d91c2a0000000p-4, 0x1.1610c80000000p-4,
};

/// erf(x)/x - 1 in x^2 for |x| <= 1, relative to erf(x)/x. Error 2^-62.7.
inline constexpr double kErfF64[] = {
    0x1.06eba8214db69p-3, -0x1.812746b0379e6p-2, 0x1.ce2f21a042b21p-4, -0x1.b82ce312849afp-6, 0x1.565bcd0db0530p-8,
    -0x1.c02db3d8f264ep-11, 0x1.f9a321a195b9dp-14, -0x1.f4d1df40274b3p-17, 0x1.b9def1de3f8ebp-20,
    -0x1.5f1d38354a7c8p-23, 0x1.f7a41b6768ef6p-27, -0x1.386acc14bb46ap-30, 0x1.0579a08899382p-34,
};

/// The same for f32. Error 2^-29.6.
inline constexpr double kErfF32[] = {
    0x1.06eba80000000p-3, -0x1.81273e0000000p-2, 0x1.ce2cf80000000p-4, -0x1.b7f9100000000p-6, 0x1.5405be0000000p-8,
    -0x1.a3f71e0000000p-11, 0x1.496a120000000p-14,
};

/// -log(erfc(1+t)) for 0 <= t <= 5, weighted with erfc. Error 2^-57.0.
inline constexpr double kErfTailF64[] = {
    0x1.d97fbf27aa2a1p+0, 0x1.51c9b0006c220p+1, 0x1.afabc11a2a47cp-1, 0x1.5477f09b2ecf4p-5, -0x1.48c9d3d61e0edp-7,
    0x1.033f650763222p-9, -0x1.f1b3bdbbcdf05p-13, -0x1.b8d11d4509044p-16, 0x1.c778cc7714a42p-16,
    -0x1.41a1275ea93e6p-17, 0x1.0facf9e9ad4a5p-19, -0x1.bd4d5caec3d9dp-24, -0x1.16894d5c162a9p-23,
    0x1.35014122f37ddp-24, -0x1.a097ea3f8fef9p-26, 0x1.a8539bd7da1d5p-28, -0x1.57588d9a6dca8p-30,
    0x1.bda24e3f04e1dp-33, -0x1.cc057faac6772p-36, 0x1.71b17500bee49p-39, -0x1.bdfb3177d9cfbp-43,
    0x1.7bb74d9c6385ap-47, -0x1.969f936c9ba98p-52, 0x1.9b9bb780d9c0cp-58,
};

/// What rounding took from the first of these.
inline constexpr double kErfTailLowF64 = 0x1.033d3dcfacee3p-54;

/// The same for f32 and t <= 3. Error 2^-31.8.
inline constexpr double kErfTailF32[] = {
    0x1.d97fc00000000p+0, 0x1.51c9b00000000p+1, 0x1.afab920000000p-1, 0x1.5490660000000p-5, -0x1.4a19480000000p-7,
    0x1.0ce22c0000000p-9, -0x1.4e981a0000000p-12, 0x1.1283b20000000p-15, -0x1.b22cc60000000p-20,
};

/// What rounding took from the first of these.
inline constexpr double kErfTailLowF32 = -0x1.a36c720000000p-25;

} // namespace tenferro::compiler::coefficients

#endif // TENFERRO_CONVERSION_EXPANDMATH_COEFFICIENTS_H
