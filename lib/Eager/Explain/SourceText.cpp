// Files as lines, and the one form of declaration that names a tensor.
#include "lib/Eager/Explain/SourceText.h"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace tenferro::eager {

namespace {

/// A longer line is cut.
constexpr size_t kMostText = 100;

bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::ifstream openSource(const std::filesystem::path &path) {
  std::ifstream file(path);
  if (file || path.is_absolute())
    return file;
  std::error_code error;
  std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", error);
  while (!error && !file && folder.has_relative_path()) {
    folder = folder.parent_path();
    file = std::ifstream(folder / path);
  }
  return file;
}

/// Takes the word at the end of `text` off, and the space behind it.
std::string_view takeLastWord(std::string_view &text) {
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  size_t start = text.size();
  while (start > 0 && isWord(text[start - 1]))
    --start;
  std::string_view word = text.substr(start);
  text = text.substr(0, start);
  return word;
}

} // namespace

compiler::SourceLine SourceText::line(const std::source_location &where) {
  std::string path = where.file_name();
  if (path.empty() || where.line() == 0)
    return {};
  auto [file, isNew] = files_.try_emplace(path);
  if (isNew) {
    std::ifstream in = openSource(path);
    for (std::string text; std::getline(in, text);)
      file->second.push_back(std::move(text));
  }
  compiler::SourceLine line;
  line.place = path.substr(path.rfind('/') + 1) + ":" + std::to_string(where.line());
  if (where.line() > file->second.size())
    return line;
  const std::string &text = file->second[where.line() - 1];
  size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t\r");
  if (first != std::string::npos)
    line.text = text.substr(first, last - first + 1);
  if (line.text.size() > kMostText)
    line.text = line.text.substr(0, kMostText - 3) + "...";
  return line;
}

std::string SourceText::declaredName(const std::source_location &where) {
  std::string text = line(where).text;
  std::string_view left = text;
  size_t call = left.find("variable("), other = left.find("constant(");
  size_t at = std::min(call, other);
  if (at == std::string_view::npos || left.find("variable(", at + 1) != std::string_view::npos ||
      left.find("constant(", at + 1) != std::string_view::npos)
    return {}; // none, or two on one line
  left = left.substr(0, at);
  if (left.ends_with("->"))
    left.remove_suffix(2);
  else if (left.ends_with("."))
    left.remove_suffix(1);
  else
    return {};
  if (takeLastWord(left).empty())
    return {};
  while (!left.empty() && left.back() == ' ')
    left.remove_suffix(1);
  if (!left.ends_with("="))
    return {};
  left.remove_suffix(1);
  std::string name(takeLastWord(left));
  return name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) ? std::string() : name;
}

} // namespace tenferro::eager
