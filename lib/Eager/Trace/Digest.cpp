// XXH3-128 of small arrays of words.
#include "lib/Eager/Trace/Digest.h"

#include "runtime/core/InlineVector.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tenferro::eager {

Digest digest(std::span<const uint64_t> words) noexcept {
  XXH128_hash_t hash = XXH3_128bits(words.data(), words.size_bytes());
  return {hash.low64, hash.high64};
}

Digest digest(std::string_view text) noexcept {
  XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return {hash.low64, hash.high64};
}

Digest operationDigest(uint64_t op, std::span<const int64_t> attributes, DType dtype, const Shape &shape) noexcept {
  // The counts in the first word make the sequence of words unambiguous.
  runtime::InlineVector<uint64_t, 32> words;
  words.push_back(op | static_cast<uint64_t>(dtype) << 16 | static_cast<uint64_t>(shape.size()) << 32);
  words.push_back(attributes.size());
  for (int64_t attribute : attributes)
    words.push_back(static_cast<uint64_t>(attribute));
  for (int64_t extent : shape)
    words.push_back(static_cast<uint64_t>(extent));
  return digest(std::span<const uint64_t>(words.data(), words.size()));
}

} // namespace tenferro::eager
