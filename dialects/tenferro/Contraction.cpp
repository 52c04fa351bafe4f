// dot_general: its verifier is lib/Core's rule.
#include "dialects/tenferro/Contraction.h"

#define GET_OP_CLASSES
#include "dialects/tenferro/Contraction.cpp.inc"
