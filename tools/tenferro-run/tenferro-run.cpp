// tenferro-run: compiles a function of an IR file, runs it on literals and prints the results, for tests and for
// people.
#include "lib/Core/OpSchema.h"
#include "runtime/cpu/CpuLevel.h"
#include "runtime/kernels/KernelTable.h"
#include "runtime/program/Executor.h"
#include "tenferro/Npy.h"
#include "tools/tenferro-run/CompileFile.h"
#include "tools/tenferro-run/Literal.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iterator>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

using namespace tenferro;

namespace {

constexpr const char *kUsage =
    "usage: tenferro-run FILE.mlir [--entry=NAME] [--tier=0|1] [--threads=N] [--level=v3|v4] [--dump=STAGE] [input]...\n"
    "\n"
    "Compiles a function, runs it, and prints one line per result. FILE may be - for standard input.\n"
    "  --entry=NAME    the function; may be left out where the file has one\n"
    "  --tier=0        operation by operation on precompiled kernels; --tier=1 (default): fused and compiled\n"
    "  --threads=N     threads a kernel may use, default 1\n"
    "  --level=v3|v4   code for x86-64-v3 or -v4, default the best this machine has\n"
    "  --dump=STAGE    also print fused, lowered, llvm or asm to standard error\n"
    "An input is a literal, leftmost index fastest: 2x3xf64=1,2,3,4,5,6 or f64=0.5; one value stands for all elements.\n"
    "It may also be a NumPy file: weights.npy\n"
    "\n"
    "Exit status: 0, or 1 if a file cannot be read or the function not be compiled or run, or 2 for a wrong call.\n";

struct Options {
  std::string file, entry;
  compiler::CompileRequest compile;
  std::optional<runtime::CpuLevel> level;
  int threads = 1;
  std::string dump;
  std::vector<compiler::Literal> inputs;
};

int fail(const std::string &message) {
  std::fprintf(stderr, "tenferro-run: error: %s\n", message.c_str());
  return 1;
}

/// The rest of `argument` after `--name=`, if it starts so.
bool takeOption(std::string_view argument, std::string_view name, std::string_view &value) {
  if (!argument.starts_with(name))
    return false;
  value = argument.substr(name.size());
  return true;
}

const char *stageName(compiler::Stage stage) {
  switch (stage) {
  case compiler::Stage::Fused:
    return "fused";
  case compiler::Stage::Lowered:
    return "lowered";
  case compiler::Stage::Llvm:
    return "llvm";
  case compiler::Stage::Asm:
    return "asm";
  default:
    return "";
  }
}

/// An input by its text: a NumPy file or a literal. Raises Io for a file that cannot be read.
core::Expected<compiler::Literal> readInput(std::string_view text) {
  if (!text.ends_with(".npy"))
    return compiler::parseLiteral(text);
  Tensor tensor = readNpy(std::string(text)).contiguous();
  compiler::Literal literal{{tensor.dtype(), tensor.shape()}, {}};
  const auto *elements = static_cast<const uint8_t *>(tensor.data());
  literal.bytes.assign(elements, elements + static_cast<size_t>(tensor.elementCount()) * byteSize(tensor.dtype()));
  return literal;
}

constexpr std::string_view kOptions[] = {"--entry", "--tier", "--threads", "--level", "--dump"};
constexpr compiler::Stage kStages[] = {compiler::Stage::Fused, compiler::Stage::Lowered, compiler::Stage::Llvm, compiler::Stage::Asm};

/// Reads the command line; false after a message.
bool parse(int argc, char **argv, Options &options) {
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i], value;
    if (takeOption(argument, "--entry=", value)) {
      options.entry = value;
    } else if (takeOption(argument, "--tier=", value)) {
      if (value != "0" && value != "1")
        return fail("expects --tier=0 or --tier=1, but got '" + std::string(value) + "'"), false;
      options.compile.fuse = value == "1";
    } else if (takeOption(argument, "--level=", value)) {
      if (value != "v3" && value != "v4")
        return fail("expects --level=v3 or --level=v4, but got '" + std::string(value) + "'"), false;
      options.level = value == "v3" ? runtime::CpuLevel::V3 : runtime::CpuLevel::V4;
    } else if (takeOption(argument, "--dump=", value)) {
      if (std::none_of(std::begin(kStages), std::end(kStages), [&](compiler::Stage stage) { return value == stageName(stage); }))
        return fail("expects --dump=fused, lowered, llvm or asm, but got '" + std::string(value) + "'"), false;
      options.dump = value;
    } else if (takeOption(argument, "--threads=", value)) {
      auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), options.threads);
      if (error != std::errc() || end != value.data() + value.size() || options.threads < 1)
        return fail("expects --threads=N with N of at least 1, but got '" + std::string(value) + "'"), false;
    } else if (std::find(std::begin(kOptions), std::end(kOptions), argument) != std::end(kOptions)) {
      return fail("expects " + std::string(argument) + "=VALUE in one word, but got '" + std::string(argument) + "'"), false;
    } else if (argument != "-" && argument.starts_with("-")) {
      return fail("unknown option '" + std::string(argument) + "'"), false;
    } else if (options.file.empty()) {
      options.file = argument;
    } else {
      auto literal = readInput(argument);
      if (!literal)
        return fail(literal.failure().message), false;
      options.inputs.push_back(std::move(*literal));
    }
  }
  if (options.file.empty())
    return fail(std::string("expects a file\n") + kUsage), false;
  return true;
}

int run(Options &options) {
  runtime::CpuLevel best = runtime::cpuLevel();
  options.compile.level = options.level.value_or(best);
  if (options.compile.level > best)
    return fail("expects a level this machine has, but got " + std::string(runtime::name(options.compile.level)) + " on " +
                std::string(runtime::name(best)));
  if (!options.dump.empty())
    options.compile.dump = [&](compiler::Stage stage, std::string_view text) {
      if (options.dump == stageName(stage))
        std::fwrite(text.data(), 1, text.size(), stderr);
    };
  auto artifact = compiler::compileFile(options.file, options.entry, options.compile);
  if (!artifact)
    return fail(artifact.failure().message);
  auto program = runtime::LoadedProgram::load(std::move(*artifact), runtime::KernelTable::forLevel(options.compile.level));
  if (!program)
    return fail(program.failure().message);
  size_t expected = (*program)->program().arguments.size();
  if (options.inputs.size() != expected)
    return fail("expects " + std::to_string(expected) + (expected == 1 ? " input" : " inputs") + ", but got " +
                std::to_string(options.inputs.size()));
  std::vector<runtime::TensorView> arguments;
  for (compiler::Literal &input : options.inputs)
    arguments.push_back(runtime::TensorView::contiguous(input.bytes.data(), input.type.dtype, input.type.shape));
  std::vector<runtime::BufferRef> results((*program)->resultCount());
  if (auto error = (*program)->run(arguments, results, options.threads))
    return fail(options.file + ":" + std::to_string(error->opNumber) + ": " + runtime::describe(error->error).message);
  for (size_t i = 0; i < results.size(); ++i)
    std::printf("%s\n", compiler::printLiteral((*program)->resultType(i), results[i].data()).c_str());
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]) == "--help" || std::string_view(argv[i]) == "-h") {
      std::fputs(kUsage, stdout);
      return 0;
    }
  try {
    Options options;
    return parse(argc, argv, options) ? run(options) : 2;
  } catch (const std::bad_alloc &) {
    return fail("out of memory");
  } catch (const std::exception &error) {
    return fail(error.what());
  }
}
