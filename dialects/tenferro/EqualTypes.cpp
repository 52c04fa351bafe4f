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

} // namespace tenferro::ir
