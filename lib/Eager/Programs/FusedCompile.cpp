// The task that makes a fused program, and who asks for it when.
#include "lib/Eager/Programs/FusedCompile.h"

#include "lib/Eager/AdContextState.h"
#include "lib/Eager/Custom/Extensions.h"
#include "lib/Eager/Programs/CompileQueue.h"
#include "lib/Eager/Programs/CompilerLibrary.h"
#include "lib/Eager/Programs/ProgramTiers.h"
#include "lib/Eager/Programs/SymbolicSizes.h"

#include <chrono>

namespace tenferro::eager {

namespace {

/// A fused program to be made by the background thread.
class FusedCompile {
public:
  FusedCompile(const RuntimeState &state, const std::shared_ptr<TransformedProgram> &program,
               const ProgramSource &source)
      : program_(program), graph_(source.graph()), transform_(source.transform()), dump_(state.dumpGate),
        ledger_(detail::AdContextAccess::state(*state.adContext).ledger), disk_(state.disk) {
    if (dump_)
      places_ = source.places();
  }

  /// A task of the queue.
  bool run(const std::atomic<bool> &abandoned) const noexcept {
    std::shared_ptr<TransformedProgram> program = program_.lock();
    if (!program) {
      ledger_->countDropped();
      return true;
    }
    if (program->find(Tier::Fused)) { // made by a runtime that does not wait for this thread
      program->progress.store(TransformedProgram::Progress::Ready, std::memory_order_release);
      return true;
    }
    program->progress.store(TransformedProgram::Progress::Compiling, std::memory_order_relaxed);
    try {
      compile(*program, abandoned);
      if (std::shared_ptr<SizeFamily> family = program->family.lock())
        family->upgrade(Tier::Fused);
    } catch (const std::exception &error) {
      if (abandoned.load(std::memory_order_relaxed)) {
        program->progress.store(TransformedProgram::Progress::Queued, std::memory_order_relaxed);
        return false;
      }
      program->failure = error.what();
      program->progress.store(TransformedProgram::Progress::Failed, std::memory_order_release);
      ledger_->countFailed();
    }
    return true;
  }

private:
  void compile(TransformedProgram &program, const std::atomic<bool> &abandoned) const {
    compiler::CompileRequest request;
    request.graph = &graph_;
    request.transform = transform_;
    request.level = program.level;
    request.background = true;
    if (dump_) {
      request.place = [&](uint32_t number) {
        return number < places_.size() ? places_[number] : compiler::SourcePlace();
      };
      request.dump = [&](compiler::Stage stage, std::string_view text) { dump_->call(stage, text); };
    }
    runtime::DiskCache::Entry kept;
    const CalledFamilies families(graph_);
    if (!dump_) { // who watches sees every stage once
      request.abandoned = &abandoned;
      kept =
          disk_->find(diskKeyOf(program, families, graph_, transform_, Tier::Fused), kDiskPatienceBehind, &abandoned);
    }
    if (adopt(program, Tier::Fused, families, kept)) {
      program.progress.store(TransformedProgram::Progress::Ready, std::memory_order_release);
      return;
    }
    const auto start = std::chrono::steady_clock::now();
    const runtime::LoadedProgram &loaded = program.adopt(Tier::Fused, compileProgram(request));
    const auto took = std::chrono::steady_clock::now() - start;
    program.compileSeconds = std::chrono::duration<double>(took).count();
    program.progress.store(TransformedProgram::Progress::Ready, std::memory_order_release);
    ledger_->countDone(took);
    keep(kept, families, loaded);
  }

  std::weak_ptr<TransformedProgram> program_;
  core::Graph graph_;
  core::Transform transform_;
  std::vector<compiler::SourcePlace> places_;
  std::shared_ptr<DumpGate> dump_;
  std::shared_ptr<CompileLedger> ledger_;
  std::shared_ptr<runtime::DiskCache> disk_;
};

/// Counts that a program without a fused one was asked for, and has it compiled if that was often enough.
void askForOwn(const RuntimeState &state, const std::shared_ptr<TransformedProgram> &program,
               const ProgramSource &source) {
  using Progress = TransformedProgram::Progress;
  const uint32_t asks = program->asks.fetch_add(1, std::memory_order_relaxed) + 1;
  if (asks < kAsksBeforeCompile && !state.dumpGate)
    return;
  Progress none = Progress::None;
  if (!program->progress.compare_exchange_strong(none, Progress::Queued, std::memory_order_relaxed))
    return;
  auto job = std::make_shared<const FusedCompile>(state, program, source);
  const std::shared_ptr<CompileLedger> &ledger = detail::AdContextAccess::state(*state.adContext).ledger;
  if (!CompileQueue::get().add(ledger, [job](const auto &abandoned) { return job->run(abandoned); }))
    program->progress.store(Progress::None, std::memory_order_relaxed); // the process ends, or is short of threads
}

} // namespace

bool askForFused(const RuntimeState &state, const std::shared_ptr<TransformedProgram> &program,
                 const ProgramSource &source) {
  using Progress = TransformedProgram::Progress;
  std::shared_ptr<SizeFamily> family = program->follows ? program->family.lock() : nullptr;
  const std::vector<SizeSample> missing =
      family ? family->missing(Tier::Fused, program->sizes) : std::vector<SizeSample>();
  bool hopeless = missing.empty();
  for (const SizeSample &sample : missing)
    hopeless |= sample.program->progress.load(std::memory_order_acquire) == Progress::Failed;
  if (!hopeless) {
    for (const SizeSample &sample : missing)
      askForOwn(state, sample.program, GraphSource(*sample.graph, sample.transform, placesIn({})));
    return true;
  }
  if (program->progress.load(std::memory_order_acquire) == Progress::Failed)
    return false;
  askForOwn(state, program, source);
  return true;
}

} // namespace tenferro::eager
