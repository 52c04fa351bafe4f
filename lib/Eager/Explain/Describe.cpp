// Names of records: kind, type and the user's line.
#include "lib/Eager/Explain/Describe.h"

#include "lib/Core/OpSchema.h"

namespace tenferro::eager {

std::string typeText(const core::ValueType &type) { return std::string(name(type.dtype)) + type.shape.str(); }

/// Of a call: whose rules, or which kind of program.
static std::string_view wordForCall(const Call &call) {
  if (call.custom)
    return call.custom->name();
  return call.callee->transform.kind == core::TransformKind::Forward ? "compiled function" : "derivative";
}

std::string_view wordFor(const Record &record) {
  switch (record.kind) {
  case RecordKind::Variable:
  case RecordKind::Version:
    return "variable";
  case RecordKind::Node:
    return core::schema(static_cast<const Node &>(record).op).mnemonic;
  case RecordKind::Result:
    return wordForCall(*static_cast<const CallResult &>(record).call);
  case RecordKind::Call:
    return wordForCall(static_cast<const Call &>(record));
  case RecordKind::Staged:
    return "placeholder";
  case RecordKind::Constant:
    break;
  }
  return "constant";
}

std::string describe(const Record &record) {
  const bool isResult = record.kind == RecordKind::Node || record.kind == RecordKind::Result;
  std::string text = "the " + std::string(isResult ? "result" : wordFor(record)) + " " + typeText(record.type);
  if (isResult)
    text += " of " + std::string(wordFor(record));
  std::string_view file = record.where.file_name();
  if (file.empty())
    return text;
  return text + (isResult ? " at " : " of ") + std::string(file.substr(file.rfind('/') + 1)) + ":" +
         std::to_string(record.where.line());
}

} // namespace tenferro::eager
