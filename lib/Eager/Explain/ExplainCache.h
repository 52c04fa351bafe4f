// Why the last look-up of a derivative hit or missed.
#ifndef TENFERRO_EAGER_EXPLAIN_EXPLAINCACHE_H
#define TENFERRO_EAGER_EXPLAIN_EXPLAINCACHE_H

#include "runtime/cache/LruCache.h"

#include <memory>
#include <string>
#include <string_view>

namespace tenferro::eager {

class RuntimeState;

/// Remembers, for the calling thread, that no entry answered `text`: what the cache holds now, by reference. Comparing
/// waits until somebody asks; a hit notes nothing.
void noteMiss(RuntimeState &state, const runtime::CacheKey &key, std::shared_ptr<const std::string> text);

/// The thread's last look-up in this runtime, its last miss against the nearest entry there was, the statistics, and
/// the components of the key.
std::string explainCache(RuntimeState &state);

/// What sets two keys apart first: "shape of input 0: asked for f64[3], kept is f64[2]". Empty if they are equal.
std::string firstDifference(std::string_view asked, std::string_view kept);

/// How much of their structure two keys share, from 0 to 1: lines that agree but for types and values, from the front
/// and from the back.
double similarity(std::string_view a, std::string_view b);

} // namespace tenferro::eager

#endif // TENFERRO_EAGER_EXPLAIN_EXPLAINCACHE_H
