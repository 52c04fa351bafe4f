// `compile`: a graph and a transform in, a program with its code out. Two contexts for the process, one for the
// background thread and one for all others; one compile at a time in each.
#include "lib/Compiler/CompileInterface.h"
#include "lib/Compiler/Context.h"
#include "lib/Compiler/Explain.h"
#include "lib/Compiler/FunctionCompiler.h"

#include "lib/AutoDiff/Derive.h"
#include "lib/Import/GraphCheck.h"
#include "lib/Import/ImportGraph.h"
#include "lib/Transforms/Cleanup.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/Path.h"

#include <mutex>

#include <pthread.h>

using namespace mlir;

namespace tenferro::compiler {
namespace {

Failure failureOf(ErrorKind kind, const char *op, std::string message) {
  Failure failure;
  failure.kind = kind;
  failure.phase = Phase::Compile;
  failure.op = op;
  failure.message = std::move(message);
  return failure;
}

bool isAbandoned(const CompileRequest &request) {
  return request.abandoned && request.abandoned->load(std::memory_order_relaxed);
}

/// Before the first compile.
constinit bool hostWaitsAtFork = false;

/// What a process keeps between compiles.
class Service {
public:
  static Service &get(bool background) {
    static Service *services = makeServices(); // never destroyed: a compile may run while the process exits
    return services[background];
  }

  core::Expected<runtime::CompiledArtifact> compile(const CompileRequest &request) {
    auto artifact = locked<runtime::CompiledArtifact>(request.place, [&] { return run(request); });
    if (!artifact && isAbandoned(request))
      return failureOf(ErrorKind::RuntimeState, "compile", "expects somebody who waits for it, but was abandoned");
    return artifact;
  }

  core::Expected<std::string> explain(const ExplainRequest &request) {
    return locked<std::string>(nullptr, [&] { return explainRequest(context_.get(), request); });
  }

private:
  static Service *makeServices() {
    // A child forked during a compile would find the context half changed: forks wait. Not for these locks where the
    // host waits for calls, as those that wait for a lock would never end.
    if (!hostWaitsAtFork)
      pthread_atfork(
          [] {
            get(false).mutex_.lock();
            get(true).mutex_.lock();
          },
          unlockBoth, unlockBoth);
    return new Service[2];
  }
  static void unlockBoth() {
    get(true).mutex_.unlock();
    get(false).mutex_.unlock();
  }

  /// `work` with a context, alone; its diagnostics become the failure.
  template <typename Answer, typename Work>
  core::Expected<Answer> locked(const std::function<SourcePlace(uint32_t)> &place, Work work) {
    std::lock_guard<std::mutex> lock(mutex_);
    // An MLIR context keeps every type and location it has seen; a new one now and then gives that back.
    constexpr int kCompilesPerContext = 4096;
    constexpr size_t kOperationsPerContext = size_t{1} << 19;
    if (!context_ || compiles_++ == kCompilesPerContext || compiler_->operations() > kOperationsPerContext) {
      compiler_.reset();
      context_ = createContext();
      compiler_ = std::make_unique<FunctionCompiler>(context_.get());
      compiles_ = 0;
    }
    DiagnosticCapture diagnostics(context_.get(), place);
    FailureOr<Answer> answer = work();
    if (failed(answer) || diagnostics.hasFailed())
      return diagnostics.failure();
    return std::move(*answer);
  }

  /// The text of a stage with the user's places in place of the numbers of the trace.
  static std::string withPlaces(StringRef text, const std::function<SourcePlace(uint32_t)> &place) {
    std::string result;
    while (true) {
      auto [before, after] = text.split("trace:");
      result += before;
      if (before.size() == text.size())
        return result;
      uint32_t number = 0, inner = 0; // as `printed` writes them
      StringRef rest = after;
      if (rest.consumeInteger(10, number) || !rest.consume_front(":") || rest.consumeInteger(10, inner)) {
        result += "trace:";
        text = after;
        continue;
      }
      SourcePlace written = place(number);
      if (written.file.empty() && inner > 0)
        written = place(number + inner);
      result += written.file.empty()
                    ? "trace:" + std::to_string(number)
                    : llvm::sys::path::filename(written.file).str() + ":" + std::to_string(written.line);
      text = rest;
    }
  }

  /// The linear function and its transpose as the passes make them one by one, for the dump alone.
  void dumpDerivation(const CompileRequest &request, ImportedProgram &program) {
    auto parts = linearize(program.trace, program.wrt);
    if (failed(parts))
      return;
    request.dump(Stage::Linearized, printed(parts->primal) + printed(parts->linear));
    if (request.transform.kind == core::TransformKind::Vjp) {
      auto transposed = transpose(parts->linear, "trace.transpose");
      if (succeeded(transposed)) {
        request.dump(Stage::Transposed, printed(*transposed) + printed(program.function));
        transposed->erase();
      }
    }
    parts->linear.erase();
    parts->primal.erase();
  }

  FailureOr<runtime::CompiledArtifact> run(CompileRequest request) {
    if (request.dump && request.place)
      request.dump = [&request, dump = std::move(request.dump)](Stage stage, std::string_view text) {
        dump(stage, withPlaces(text, request.place));
      };
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(context_.get()));
    Importer importer(*module, /*isRead=*/request.dump != nullptr);
    FailureOr<ImportedProgram> program = importer.import(*request.graph, request.transform, "trace");
    if (failed(program))
      return failure();
    if (request.dump) {
      request.dump(Stage::Trace, printed(program->trace));
      // Imported graphs are frozen already: leaves and captured constants are arguments.
      request.dump(Stage::Frozen, printed(program->trace));
      if (request.transform.kind != core::TransformKind::Forward)
        dumpDerivation(request, *program);
      if (failed(verify(*module)))
        return failure();
    }
    // What the rest compiles is one function: bodies of custom calls go in before theirs go.
    lowerResiduals(program->function);
    if (importer.hasCustomCalls())
      inlineCustomCalls(program->function);
    for (func::FuncOp function : llvm::make_early_inc_range(module->getOps<func::FuncOp>()))
      if (function != program->function)
        function.erase();
    if (isAbandoned(request))
      return failure();
    FunctionOptions options;
    options.level = request.level;
    options.fuse = request.fuse;
    options.verify = static_cast<bool>(request.dump);
    options.dump = request.dump;
    options.abandoned = request.abandoned;
    FailureOr<runtime::CompiledArtifact> artifact = compiler_->compile(*module, options);
    if (succeeded(artifact))
      artifact->active = program->active;
    return artifact;
  }

  std::mutex mutex_;
  std::unique_ptr<MLIRContext> context_;
  std::unique_ptr<FunctionCompiler> compiler_;
  int compiles_ = 0;
};

} // namespace

void leaveForksToHost() noexcept { hostWaitsAtFork = true; }

/// What is wrong with a graph and its transform.
static std::optional<Failure> check(const core::Graph *graph, const core::Transform &transform, const char *op) {
  if (graph)
    return checkGraph(*graph, transform);
  Failure failure = failureOf(ErrorKind::InvalidArgument, op, "expects a graph, but got none");
  failure.argument = "graph";
  return failure;
}

core::Expected<runtime::CompiledArtifact> compile(const CompileRequest &request) {
  if (auto failure = check(request.graph, request.transform, "compile"))
    return *failure;
  return Service::get(request.background).compile(request);
}

core::Expected<std::string> explain(const ExplainRequest &request) {
  if (auto failure = check(request.graph, request.transform, "explain"))
    return *failure;
  return Service::get(false).explain(request);
}

} // namespace tenferro::compiler
