// A structure key without its sizes.
#include "lib/Core/SizeKey.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace tenferro::core {

namespace {

/// Attributes that carry positions and lengths along an axis. The rest are axes, strides, orders and modes.
constexpr std::array<std::string_view, 7> kPositions = {"depth", "extent", "high", "limits", "low", "slice_sizes", "starts"};

class Eraser {
public:
  SizeKey erase(std::string_view key) {
    result_.text.reserve(key.size());
    while (!key.empty()) {
      size_t end = std::min(key.find('\n'), key.size() - 1);
      line(key.substr(0, end + 1));
      key.remove_prefix(end + 1);
    }
    return std::move(result_);
  }

private:
  enum class Kind : uint8_t { Extents, Positions, Literal };

  void line(std::string_view text) {
    if (text.starts_with("custom '")) { // a name that the user chose
      result_.text += text;
      return;
    }
    while (!text.empty()) {
      size_t at = text.find_first_of("[=");
      if (at == std::string_view::npos) {
        result_.text += text;
        return;
      }
      Kind kind = kindOf(text.substr(0, at), text[at]);
      if (text.substr(at, 2) == "=[")
        ++at;
      result_.text += text.substr(0, at + 1);
      text.remove_prefix(at + 1);
      if (kind != Kind::Literal)
        numbers(text, kind);
    }
  }

  /// What begins behind `before` and `sign`: the list of a type ("f64["), an attribute ("limits=[" or "depth=").
  static Kind kindOf(std::string_view before, char sign) {
    auto isWord = [](char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    if (sign == '[') // without a word in front: flags and parameters
      return !before.empty() && isWord(before.back()) ? Kind::Extents : Kind::Literal;
    size_t start = before.size();
    while (start > 0 && isWord(before[start - 1]))
      --start;
    std::string_view name = before.substr(start);
    if (name == "shape")
      return Kind::Extents;
    return std::find(kPositions.begin(), kPositions.end(), name) != kPositions.end() ? Kind::Positions : Kind::Literal;
  }

  /// Copies "64, 3" with sizes replaced, up to what is neither a number nor between two.
  void numbers(std::string_view &text, Kind kind) {
    while (!text.empty()) {
      int64_t value = 0;
      auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (error == std::errc()) {
        number(value, kind);
        text.remove_prefix(static_cast<size_t>(end - text.data()));
      } else if (text.front() == ',' || text.front() == ' ') {
        if (text.front() == ' ' && text.size() > 1 && text[1] >= 'a' && text[1] <= 'z')
          return; // the next attribute
        result_.text += text.front();
        text.remove_prefix(1);
      } else {
        return;
      }
    }
  }

  void number(int64_t value, Kind kind) {
    auto known = std::find(result_.sizes.begin(), result_.sizes.end(), value);
    size_t index = static_cast<size_t>(known - result_.sizes.begin());
    if (value < 2 || (known == result_.sizes.end() && kind == Kind::Positions)) {
      result_.text += std::to_string(value);
      return;
    }
    if (known == result_.sizes.end())
      result_.sizes.push_back(value);
    result_.text += '#';
    result_.text += std::to_string(index);
  }

  SizeKey result_;
};

} // namespace

SizeKey eraseSizes(std::string_view structureKey) { return Eraser().erase(structureKey); }

} // namespace tenferro::core
