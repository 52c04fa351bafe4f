// Callbacks in programs: bound when they are loaded, and what they throw.
#include "tenferro/Error.h"
#include "test/unit/runtime/HandwrittenProgram.h"

using namespace tenferro;
using namespace tenferro::runtime;
using namespace tenferro::runtime::test;

namespace {

/// Adds parameter 0 to each double; notes what it is given and throws where it is told to.
class AddKernel final : public Callback {
public:
  void run(const CallbackCaller &caller, const IntList &parameters, std::span<const TensorView> inputs,
           std::span<const TensorView> outputs) const override {
    ++calls;
    sawRuntime = caller.runtime;
    if (broken)
      throw 42;
    ASSERT_TRUE(inputs[0].isContiguous());
    for (int64_t i = 0; i < inputs[0].elementCount(); ++i)
      static_cast<double *>(outputs[0].data)[i] =
          static_cast<const double *>(inputs[0].data)[i] + static_cast<double>(parameters[0]);
  }
  mutable int calls = 0;
  mutable void *sawRuntime = nullptr;
  bool broken = false;
};

/// x + 5 by a callback, then times x.
Builder withCallback() {
  Builder b;
  uint32_t x = b.argument(DType::F64, {3}), h = b.arena(DType::F64, {3}), y = b.result(DType::F64, {3});
  b.launch(LaunchKind::Callback, "", {x, h});
  b.map("mul.f64", {h, x, y});
  b.program.callbacks = {{"lab.add.v1", 7, {5}}};
  return b;
}

} // namespace

TEST(ProgramCallback, CallbacksAreBoundWhenTheProgramIsLoaded) {
  auto kernel = std::make_shared<AddKernel>();
  CallbackResolver resolver = [&](const CallbackName &name) -> core::Expected<std::shared_ptr<const Callback>> {
    EXPECT_EQ(name, (CallbackName{"lab.add.v1", 7, {5}}));
    return std::shared_ptr<const Callback>(kernel);
  };
  auto loaded = LoadedProgram::load(withCallback().artifact(), kernels(), resolver);
  ASSERT_TRUE(loaded);
  std::vector<double> x = {3, 0, 2, 0, 1};
  TensorView arguments[1] = {TensorView(x.data() + 4, DType::F64, Shape{3}, IntList{-2})}; // 1, 2, 3
  BufferRef results[1];
  int runtime = 0;
  CallbackCaller caller{nullptr, &runtime};
  EXPECT_EQ((*loaded)->run(arguments, results, 1, &caller), std::nullopt);
  EXPECT_EQ(doubles(results[0]), (std::vector<double>{6, 14, 24}));
  EXPECT_EQ(kernel->sawRuntime, &runtime);
  // What it throws comes out.
  kernel->broken = true;
  EXPECT_THROW((*loaded)->run(arguments, results, 1, &caller), int);
  EXPECT_THROW((*loaded)->run(arguments, results, 1), Error); // nobody to lend
}

TEST(ProgramCallback, CallbacksDoNotRunOnWhatAnEarlierErrorLeft) {
  Builder b;
  uint32_t x = b.argument(DType::I32, {3}), q = b.arena(DType::I32, {3}), y = b.result(DType::F64, {3}),
           z = b.result(DType::I32, {3});
  b.map("div.i32", {x, x, q});
  b.launch(LaunchKind::Callback, "", {q, y});
  b.launch(LaunchKind::Copy, "", {q, z});
  b.program.callbacks = {{"lab.add.v1", 7, {5}}};
  auto kernel = std::make_shared<AddKernel>();
  auto loaded = LoadedProgram::load(b.artifact(), kernels(),
                                    [&](const CallbackName &) -> core::Expected<std::shared_ptr<const Callback>> {
                                      return std::shared_ptr<const Callback>(kernel);
                                    });
  ASSERT_TRUE(loaded);
  std::vector<int32_t> zeros = {0, 0, 0};
  TensorView arguments[1] = {TensorView::contiguous(zeros.data(), DType::I32, Shape{3})};
  BufferRef results[2];
  CallbackCaller caller;
  EXPECT_EQ((*loaded)->run(arguments, results, 1, &caller), (RunError{0, KernelError::DivisionByZero}));
  EXPECT_EQ(kernel->calls, 0);
}

TEST(ProgramCallback, CallbacksThatCannotBeBoundAreRefused) {
  EXPECT_EQ(refusal(withCallback()), "expects a runtime that has the kernel of this family");
  Builder b = withCallback();
  b.program.callbacks.clear();
  EXPECT_EQ(refusal(b), "expects a kernel among the program's callbacks, but got number 0 in launch 0");
  auto gone = LoadedProgram::load(withCallback().artifact(), kernels(),
                                  [](const CallbackName &name) -> core::Expected<std::shared_ptr<const Callback>> {
                                    Failure failure;
                                    failure.kind = ErrorKind::RuntimeState;
                                    failure.op = name.family;
                                    return failure;
                                  });
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.failure().kind, ErrorKind::RuntimeState);
  EXPECT_EQ(gone.failure().op, "lab.add.v1");
}
