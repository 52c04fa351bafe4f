// Every operation of the dialect, for the generators that need the whole list. C++ includes its families one by one.
#ifndef TENFERRO_DIALECT_OPS
#define TENFERRO_DIALECT_OPS

include "dialects/tenferro/Arithmetic.td"
include "dialects/tenferro/Comparison.td"
include "dialects/tenferro/Contraction.td"
include "dialects/tenferro/Creation.td"
include "dialects/tenferro/Extension.td"
include "dialects/tenferro/Indexing.td"
include "dialects/tenferro/Movement.td"
include "dialects/tenferro/Reduction.td"
include "dialects/tenferro/Structure.td"
include "dialects/tenferro/Transcendental.td"

#endif // TENFERRO_DIALECT_OPS
