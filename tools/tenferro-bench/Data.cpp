// Reading the files of --data.
#include "tools/tenferro-bench/Benches.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <stdexcept>

namespace tenferro::bench {

nlohmann::json readData(const std::string &path) {
  std::ifstream stream(path);
  if (!stream)
    throw std::runtime_error("cannot read " + path);
  nlohmann::json json = nlohmann::json::parse(stream, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded())
    throw std::runtime_error("expects JSON in " + path);
  return json;
}

} // namespace tenferro::bench
