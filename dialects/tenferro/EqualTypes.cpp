// The `custom<EqualTypes>` directive.
#include "dialects/tenferro/EqualTypes.h"

using namespace mlir;

namespace tenferro::ir {

ParseResult parseEqualTypes(OpAsmParser &parser, Type &first, Type &second) {
  if (parser.parseType(first))
    return failure();
  second = first;
  return succeeded(parser.parseOptionalComma()) ? parser.parseType(second) : ParseResult(success());
}

void printEqualTypes(OpAsmPrinter &printer, Operation *, Type first, Type second) {
  printer << first;
  if (first != second)
    printer << ", " << second;
}

ParseResult parseEqualTypes(OpAsmParser &parser, Type &first, Type &second, Type &third) {
  if (parser.parseType(first))
    return failure();
  second = third = first;
  if (failed(parser.parseOptionalComma()))
    return success();
  return failure(parser.parseType(second) || parser.parseComma() || parser.parseType(third));
}

void printEqualTypes(OpAsmPrinter &printer, Operation *, Type first, Type second, Type third) {
  printer << first;
  if (first != second || first != third)
    printer << ", " << second << ", " << third;
}

} // namespace tenferro::ir
