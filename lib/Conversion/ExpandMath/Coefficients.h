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

/// erf(x)/x - 1 in x^2 for |x| <= 7/8, relative to erf(x)/x. Error 2^-61.4.
inline constexpr double kErfF64[] = {
    0x1.06eba8214db69p-3, -0x1.812746b0379e4p-2, 0x1.ce2f21a04298fp-4, -0x1.b82ce3127aad9p-6, 0x1.565bcd0bac34ap-8,
    -0x1.c02db35de8f94p-11, 0x1.f9a30f1ec7bffp-14, -0x1.f4d00baefd30ap-17, 0x1.b9c044286ab8dp-20,
    -0x1.5dc9c1a3eb306p-23, 0x1.e5128880a376bp-27, -0x1.dbbd127cc14a9p-31,
};

/// The same for f32. Error 2^-32.2.
inline constexpr double kErfF32[] = {
    0x1.06eba80000000p-3, -0x1.8127440000000p-2, 0x1.ce2e840000000p-4, -0x1.b8199e0000000p-6, 0x1.553a5a0000000p-8,
    -0x1.ae7bae0000000p-11, 0x1.6bd0660000000p-14,
};

/// -log(erfc(7/8+t)) for 0 <= t <= 41/8, weighted with erfc. Error 2^-57.8.
inline constexpr double kErfTailF64[] = {
    0x1.88672ea9b34dcp+0, 0x1.3711709c17b5ep+1, 0x1.a730790b4bbcfp-1, 0x1.802c2795b11bfp-5, -0x1.730b0efb77c0fp-7,
    0x1.1904a5410fe4cp-9, -0x1.a516a5139c4acp-13, -0x1.f12f229e3c431p-15, 0x1.49f1cdf181146p-15,
    -0x1.95b778a86da1cp-17, 0x1.052c1bcaaadd5p-19, 0x1.e9fbef45c0dd9p-23, -0x1.47ecdd2f91b7dp-22,
    0x1.21dc48120fbddp-23, -0x1.6953a84b091ecp-25, 0x1.62f28bf83a956p-27, -0x1.1b8e8e921448dp-29,
    0x1.72baa3ca77831p-32, -0x1.8a3248c8284f3p-35, 0x1.4fc154416c992p-38, -0x1.bef14901240c6p-42,
    0x1.bf549939d31a1p-46, -0x1.3c1b0ffaa4faep-50, 0x1.18b6acb1eca1cp-55, -0x1.d65025584d893p-62,
};

/// What rounding took from the first of these.
inline constexpr double kErfTailLowF64 = -0x1.23ba91f78617ep-54;

/// The same for f32 and t <= 25/8. Error 2^-30.7.
inline constexpr double kErfTailF32[] = {
    0x1.88672e0000000p+0, 0x1.3711740000000p+1, 0x1.a72fd80000000p-1, 0x1.8067680000000p-5, -0x1.75b5360000000p-7,
    0x1.2a6a5e0000000p-9, -0x1.5fa7800000000p-12, 0x1.fc864a0000000p-16, -0x1.fa479a0000000p-21,
    -0x1.955c720000000p-25,
};

/// What rounding took from the first of these.
inline constexpr double kErfTailLowF32 = 0x1.3c11940000000p-25;

} // namespace tenferro::compiler::coefficients

#endif // TENFERRO_CONVERSION_EXPANDMATH_COEFFICIENTS_H
