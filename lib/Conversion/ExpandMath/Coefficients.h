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

/// erf(x)/x - 1 in x^2 for |x| <= 13/16, relative to erf(x)/x. Error 2^-57.7.
inline constexpr double kErfF64[] = {
    0x1.06eba8214db68p-3, -0x1.812746b0379c6p-2, 0x1.ce2f21a040d79p-4, -0x1.b82ce311d6624p-6, 0x1.565bccecd090ep-8,
    -0x1.c02dac987db60p-11, 0x1.f9a221bf53a61p-14, -0x1.f4bb27265909ap-17, 0x1.b891a7c9ab6b1p-20,
    -0x1.5326acb570cbfp-23, 0x1.78d6f98d39504p-27,
};

/// The same for f32. Error 2^-33.7.
inline constexpr double kErfF32[] = {
    0x1.06eba80000000p-3, -0x1.8127460000000p-2, 0x1.ce2ed40000000p-4, -0x1.b821e20000000p-6, 0x1.559c2a0000000p-8,
    -0x1.b2a0fc0000000p-11, 0x1.7c9a120000000p-14,
};

/// -log(erfc(13/16+t)) for 0 <= t <= 83/16, weighted with erfc. Error 2^-56.4.
inline constexpr double kErfTailF64[] = {
    0x1.6257d5cdb7088p+0, 0x1.29ea4d0a0b25fp+1, 0x1.a28c7a6847c9dp-1, 0x1.980e779a66d4fp-5, -0x1.895d7f854cdf8p-7,
    0x1.222d271e7d90bp-9, -0x1.65255476aab96p-13, -0x1.527a9cd78beabp-14, 0x1.85e29ab60eaa0p-15,
    -0x1.bcd9c42b61dfcp-17, 0x1.ccdd34c1dccb9p-20, 0x1.06bb05e805296p-21, -0x1.c65f975e2a9f6p-22,
    0x1.71e63f456db42p-23, -0x1.b704ef9b8d143p-25, 0x1.9d42de28d4efbp-27, -0x1.3c0f1f84d2820p-29,
    0x1.89ea1659999d4p-32, -0x1.8cafdd81c002ap-35, 0x1.3d3b4fa5f7f2fp-38, -0x1.88013ab5cc2a9p-42,
    0x1.66be8a4e55b3cp-46, -0x1.c5fede6817929p-51, 0x1.5e25955d9717ap-56, -0x1.e58677262398dp-63,
};

/// What rounding took from the first of these.
inline constexpr double kErfTailLowF64 = -0x1.2902d940f76f4p-57;

/// The same for f32 and t <= 51/16. Error 2^-29.9.
inline constexpr double kErfTailF32[] = {
    0x1.6257d60000000p+0, 0x1.29ea500000000p+1, 0x1.a28ba00000000p-1, 0x1.985d1a0000000p-5, -0x1.8cd2ec0000000p-7,
    0x1.383f100000000p-9, -0x1.6142aa0000000p-12, 0x1.c7c70e0000000p-16, -0x1.584fc40000000p-22,
    -0x1.7b27a80000000p-24,
};

/// What rounding took from the first of these.
inline constexpr double kErfTailLowF32 = -0x1.0bb2320000000p-26;

} // namespace tenferro::compiler::coefficients

#endif // TENFERRO_CONVERSION_EXPANDMATH_COEFFICIENTS_H
