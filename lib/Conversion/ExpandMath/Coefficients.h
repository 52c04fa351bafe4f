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

/// The same for f32. Error 2^-42.9.
inline constexpr double kLogDoubleF32[] = {
    0x1.99999a0000000p-2, 0x1.2492c60000000p-2, 0x1.c69cb80000000p-3, 0x1.8a91420000000p-3,
};

/// (e^r - 1 - r) / r^2 for |r| <= ln(2)/2, relative to e^r. Error 2^-57.4.
inline constexpr double kPowExpF64[] = {
    0x1.0000000000002p-1, 0x1.5555555555528p-3, 0x1.5555555552a35p-5, 0x1.1111111121268p-7, 0x1.6c16c17dffad1p-10,
    0x1.a01a013cdb83bp-13, 0x1.a019a8869a85ep-16, 0x1.71df16b5b95c5p-19, 0x1.28a1973a6fed5p-22, 0x1.ad778ce29e416p-26,
};

/// The same for f32 and |r| <= 0.364. Error 2^-27.7.
inline constexpr double kPowExpF32[] = {
    0x1.fffffc0000000p-2, 0x1.55546c0000000p-3, 0x1.5559040000000p-5, 0x1.12555e0000000p-7, 0x1.6a48720000000p-10,
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

/// The same for f32 and |x| <= 0.8155. Error 2^-28.0.
inline constexpr double kErfF32[] = {
    0x1.06eba80000000p-3, -0x1.8127280000000p-2, 0x1.ce26e60000000p-4, -0x1.b759180000000p-6, 0x1.4c9a800000000p-8,
    -0x1.5317b40000000p-11,
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

/// log2(4 erfc(s+t)) for 0 <= t <= 4-s with s = 0x1.a07890p-1, weighted with erfc, for f32. Error 2^-28.6.
inline constexpr double kErfTailF32[] = {
    0x1.a4e0400000000p-24, -0x1.ae14220000000p+1, -0x1.2df77e0000000p+0, -0x1.265e9e0000000p-4, 0x1.1e89120000000p-6,
    -0x1.c728e40000000p-9, 0x1.0b8f4a0000000p-11, -0x1.928e580000000p-15, 0x1.1c83880000000p-19,
};

/// 2^r for |r| <= 1/2, relative, for f32. Error 2^-29.0.
inline constexpr double kErfExpF32[] = {
    0x1.0000000000000p+0, 0x1.62e4300000000p-1, 0x1.ebfbda0000000p-3, 0x1.c6aed20000000p-5, 0x1.3b2dbe0000000p-7,
    0x1.5f464c0000000p-10, 0x1.41d29c0000000p-13,
};

/// (sin(r) - r) / r^3 in r^2 for |r| <= pi/4, relative to sin(r). Error 2^-57.4.
inline constexpr double kSinF64[] = {
    -0x1.5555555555553p-3, 0x1.11111111104eep-7, -0x1.a01a019d5bee5p-13, 0x1.71de366dcc106p-19,
    -0x1.ae5f0fde5f426p-26, 0x1.5dbf16589d6bcp-33,
};

/// The same for f32 and |r| <= pi/4 + 0.016. Error 2^-36.6.
inline constexpr double kSinF32[] = {
    -0x1.5555560000000p-3, 0x1.11110a0000000p-7, -0x1.a010b00000000p-13, 0x1.6d009c0000000p-19,
};

/// The same for f32 results computed in f64. Error 2^-36.9.
inline constexpr double kSinMid[] = {
    -0x1.5555555248b00p-3, 0x1.11110b6f5c70cp-7, -0x1.a0116310d81b8p-13, 0x1.6d306e00b8bf7p-19,
};

/// (cos(r) - 1 + r^2/2) / r^4 in r^2. Error 2^-62.6.
inline constexpr double kCosF64[] = {
    0x1.5555555555555p-5, -0x1.6c16c16c166dep-10, 0x1.a01a019ecd6a2p-16, -0x1.27e4f98b0c696p-22,
    0x1.1eeaebd4bbf50p-29, -0x1.902f87e832a01p-37,
};

/// The same for f32 and |r| <= pi/4 + 0.016. Error 2^-31.8.
inline constexpr double kCosF32[] = {
    0x1.5555520000000p-5, -0x1.6c10420000000p-10, 0x1.9adc5a0000000p-16,
};

/// The same for f32 results computed in f64. Error 2^-41.8.
inline constexpr double kCosMid[] = {
    0x1.5555555491bcbp-5, -0x1.6c16bdb0244d0p-10, 0x1.a01427c587af4p-16, -0x1.24bc6b82de99dp-22,
};

/// x^3 / (x - tanh(x)) in x^2 for |x| <= 1.02, relative to tanh(x), for f32; moved by trying. Error 2^-28.1.
inline constexpr double kTanhF32[] = {
    0x1.8000020000000p+1, 0x1.3332da0000000p+0, -0x1.752f0e0000000p-8, 0x1.dd1eb20000000p-13,
};

/// (2^r - 1) / r for |r| <= 1/2, weighted as tanh's large arguments need it, for f32; moved by trying. Error 2^-31.5.
inline constexpr double kTanhExpF32[] = {
    0x1.62e42e0000000p-1, 0x1.ebfbde0000000p-3, 0x1.c6aee60000000p-5, 0x1.3b2c8e0000000p-7, 0x1.5f3f4e0000000p-10,
    0x1.426cac0000000p-13,
};

/// (y / tanh(y) - 1) / y^2 in y^2 for |y| <= ln(2)/4, relative to y / tanh(y). Error 2^-59.5.
inline constexpr double kTanhF64[] = {
    0x1.5555555555550p-2, -0x1.6c16c16bfe143p-6, 0x1.1566ab24f82eep-9, -0x1.bbd48efb9e9e2p-13, 0x1.63a44977a9e82p-16,
};

/// 2/pi in pieces of 53 bits, each times a power of two that makes it a fraction of 1.
inline constexpr double kTwoOverPi[] = {
    0x1.45f306dc9c882p-1, 0x1.4a7f09d5f47d4p-1, 0x1.a6ee06db14accp-1, 0x1.3c439041fe516p-1, 0x1.d5ef5de2b0db8p-3,
    0x1.2371d2126e970p-2, 0x1.924bba8274600p-8, 0x1.21cfe1deb1cb1p-1, 0x1.4d39f74411af8p-3, 0x1.4baed1213a671p-1,
    0x1.8135a2fbf209cp-1, 0x1.91d639835339fp-1, 0x1.272117e2ef7e4p-2, 0x1.41d8ffc4bffeep-2, 0x1.02cc07f79788cp-1,
    0x1.6b414da3eda6cp-2, 0x1.fb3c9f2c26dd2p-2, 0x1.d18fd9a797fa8p-1, 0x1.6ba93dd63f5f2p-1, 0x1.f17b3d0739f78p-1,
    0x1.4a525d4d7f6bfp-1, 0x1.88fc6ae842b00p-2, 0x1.98237e3db5d5fp-1,
};

/// (atan(t) - t) / t^3 in t^2 for |t| <= tan(pi/8), relative to atan(t). Error 2^-58.8.
inline constexpr double kAtanF64[] = {
    -0x1.5555555555554p-2, 0x1.9999999998a7dp-3, -0x1.24924923d4a89p-3, 0x1.c71c71512877dp-4, -0x1.745d04087729fp-4,
    0x1.3b11d23aa3c02p-4, -0x1.10f3680bbe364p-4, 0x1.df78507397d99p-5, -0x1.9e90b1fb3ce1cp-5, 0x1.3c052cbc29049p-5,
    -0x1.2e1ce3858346cp-6,
};

/// (asin(x) - x) / x^3 in x^2 for |x| <= 1/2, relative to asin(x). Error 2^-59.3.
inline constexpr double kAsinF64[] = {
    0x1.5555555555557p-3, 0x1.3333333332486p-4, 0x1.6db6db6f121e1p-5, 0x1.f1c71ba5c90fap-6, 0x1.6e8bc27ab9b52p-6,
    0x1.1c4bd35a49dd1p-6, 0x1.c9f49d368c2dfp-7, 0x1.76d400a4ad0bbp-7, 0x1.5a3e7c4ae7c01p-7, 0x1.259130f926a60p-8,
    0x1.460fea2dce0aap-6, -0x1.2fbbaa91eaa5fp-6, 0x1.fe4284c8f9731p-6,
};

/// cbrt(1+f) for sqrt(1/2) <= 1+f <= sqrt(2), relative. Error 2^-33.5.
inline constexpr double kCbrt[] = {
    0x1.ffffffff4ef83p-1, 0x1.5555555910c65p-2, -0x1.c71c6700eb653p-4, 0x1.f9adb822c3ddcp-5, -0x1.5125413d7dc6bp-5,
    0x1.ee84b00fa26adp-6, -0x1.7f1d7d71084dbp-6, 0x1.349a90f8b8f31p-6, -0x1.131e88db41464p-6, 0x1.02f8789de7fb8p-6,
    -0x1.285934f66802fp-7,
};

/// (1 + 2x) e^(x^2) erfc(x) in (x-4) / (x+4) for 11/16 <= x <= 28, relative. Error 2^-56.7.
inline constexpr double kErfcF64[] = {
    0x1.3ba5916e9fd7fp+0, -0x1.1df1ad154a284p-3, 0x1.f7f5df66fdc05p-7, 0x1.16ecefcfa483fp-4, -0x1.9ddb23c3eb4ddp-4,
    0x1.7fee004e2fc77p-4, -0x1.0fb06dfe0f67ep-4, 0x1.3079edf21bdabp-5, -0x1.09623890b02e9p-6, 0x1.49c673fa26b18p-8,
    -0x1.8d4a8f68863fap-11, -0x1.a1e04e3dde2a2p-13, 0x1.3bdf8a33ef72ep-13, -0x1.9933ea35da8a6p-16,
    -0x1.7868cf4bf7abdp-17, 0x1.7da964e6f94d7p-18, 0x1.350b13faa62a2p-22, -0x1.a7f4109d7cb67p-21,
    0x1.4f8d57b14b2dfp-24, 0x1.4c4a8fa7b5749p-24, -0x1.1e8a944ec4ec3p-26,
};

/// What rounding took from the first of these.
inline constexpr double kErfcLowF64 = -0x1.d521b23d45a43p-55;

/// (x + 3) e^(x^2) erfc(x) in (x-3) / (x+3) for 0 <= x <= 10.1, relative, for f32 results computed in f64. Error 2^-34.8.
inline constexpr double kErfcMid[] = {
    0x1.12f21ddd9ae4dp+0, -0x1.c44c472123f77p-1, 0x1.2e32694edd9bbp-1, -0x1.3deb1eef1b2b8p-2, 0x1.e995eb45414a7p-4,
    -0x1.b78bd849adaefp-6, -0x1.3dd4f8d0ec62bp-10, 0x1.8e25a60edb6d2p-9, -0x1.1e6c075a8f6e7p-11,
    -0x1.2d0afcbd399eep-12, 0x1.95cbe1394c3b2p-14, 0x1.4f1a1990d2f4ep-15,
};

/// 2^r for |r| <= 1/2, relative, for f32 results computed in f64. Error 2^-34.5.
inline constexpr double kExp2Mid[] = {
    0x1.ffffffffab0aap-1, 0x1.62e42ff119614p-1, 0x1.ebfbe0a5d84fap-3, 0x1.c6b08aaad0532p-5, 0x1.3b29db55c54b6p-7,
    0x1.5d8a730676f44p-10, 0x1.446adbc5bb5d2p-13, 0x1.fe16bef337b81p-17,
};

} // namespace tenferro::compiler::coefficients

#endif // TENFERRO_CONVERSION_EXPANDMATH_COEFFICIENTS_H
