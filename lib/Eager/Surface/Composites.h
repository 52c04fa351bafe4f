// Parts that several composites of the front end are made of.
#ifndef TENFERRO_EAGER_SURFACE_COMPOSITES_H
#define TENFERRO_EAGER_SURFACE_COMPOSITES_H

#include "lib/Eager/Surface/SessionCall.h"

#include <functional>

namespace tenferro::eager {

/// x compared with a number of its own dtype.
EagerTensor compare(const SessionCall &call, Comparison direction, const EagerTensor &x, double bound);

/// Sum over normalised axes by the number of elements; floats only.
EagerTensor mean(const SessionCall &call, const EagerTensor &x, const IntList &axes, bool keepDims);

/// Elements that a slice over normalised axes has.
int64_t reducedCount(const EagerTensor &x, const IntList &axes);

/// Euclidean norm over normalised axes, which keep extent 1; derivative 0 where it is 0. `elements` gives the same
/// tensor of `shape` for each of the two passes over it, so that one which is computed needs no memory between them.
EagerTensor euclideanNorm(const SessionCall &call, const Shape &shape, const IntList &axes,
                          const std::function<EagerTensor()> &elements);

/// Log of the softmax along an axis (negative ones count from the back): -inf with no gradient for a slice of only
/// -inf.
EagerTensor logSoftmax(const SessionCall &call, const EagerTensor &x, int64_t axis);

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_SURFACE_COMPOSITES_H
