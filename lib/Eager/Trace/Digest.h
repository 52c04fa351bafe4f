// The 128-bit hash of records, walks and keys.
#ifndef TENFERRO_EAGER_TRACE_DIGEST_H
#define TENFERRO_EAGER_TRACE_DIGEST_H

#include "lib/Eager/Trace/Record.h"

#include <span>
#include <string_view>

namespace tenferro::eager {

/// Of the operation `op` with these attributes and result type. `op` is its mnemonic's number in this build.
Digest operationDigest(uint64_t op, std::span<const int64_t> attributes, DType dtype, const Shape &shape) noexcept;

Digest digest(std::span<const uint64_t> words) noexcept;
Digest digest(std::string_view text) noexcept;

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_TRACE_DIGEST_H
