// tenferro in one include.
#ifndef TENFERRO_TENFERRO_H
#define TENFERRO_TENFERRO_H

#include "tenferro/Autodiff.h"
#include "tenferro/Cache.h"
#include "tenferro/Compile.h"
#include "tenferro/DType.h"
#include "tenferro/EagerRuntime.h"
#include "tenferro/EagerSession.h"
#include "tenferro/EagerTensor.h"
#include "tenferro/Engine.h"
#include "tenferro/Error.h"
#include "tenferro/Explain.h"
#include "tenferro/Extension.h"
#include "tenferro/Indexing.h"
#include "tenferro/Log.h"
#include "tenferro/Memory.h"
#include "tenferro/Npy.h"
#include "tenferro/Ops.h"
#include "tenferro/Shape.h"
#include "tenferro/Tensor.h"
#include "tenferro/TensorTree.h"
#include "tenferro/Version.h"

#endif // TENFERRO_TENFERRO_H
