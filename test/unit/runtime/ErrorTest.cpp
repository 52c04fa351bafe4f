// Exceptions: class by kind, text, facts; and the CPU level.
#include "tenferro/Error.h"

#include "runtime/cpu/CpuLevel.h"
#include "runtime/program/Executor.h"

#include <gtest/gtest.h>

using namespace tenferro;

namespace {
Failure failure(ErrorKind kind) {
  Failure made;
  made.kind = kind;
  made.op = "add";
  made.message = "expects equal shapes, but got [2] and [3]";
  return made;
}
} // namespace

TEST(Error, ClassBelongsToTheKind) {
  EXPECT_THROW(raise(failure(ErrorKind::ShapeMismatch)), ValidationError);
  EXPECT_THROW(raise(failure(ErrorKind::InactiveGrad)), ValidationError);
  EXPECT_THROW(raise(failure(ErrorKind::DivisionByZero)), ValidationError);
  EXPECT_THROW(raise(failure(ErrorKind::NonScalarGrad)), NonScalarGrad);
  EXPECT_THROW(raise(failure(ErrorKind::ContextMismatch)), ContextMismatch);
  EXPECT_THROW(raise(failure(ErrorKind::UnsupportedAdRule)), UnsupportedAdRule);
  for (ErrorKind kind :
       {ErrorKind::OutOfMemory, ErrorKind::Unsupported, ErrorKind::Io, ErrorKind::RuntimeState, ErrorKind::Internal})
    EXPECT_THROW(raise(failure(kind)), RuntimeError);
}

TEST(Error, TextAndLocation) {
  Error plain(failure(ErrorKind::ShapeMismatch));
  EXPECT_STREQ(plain.what(), "add: expects equal shapes, but got [2] and [3]");
  Failure located = failure(ErrorKind::ShapeMismatch);
  located.file = "train.cpp";
  located.line = 12;
  EXPECT_STREQ(Error(located).what(), "add: expects equal shapes, but got [2] and [3] (train.cpp:12)");
  Failure seedless = failure(ErrorKind::NonScalarGrad);
  seedless.shapes = {Shape{3}};
  try {
    raise(seedless);
  } catch (const NonScalarGrad &error) {
    EXPECT_EQ(error.shape(), (Shape{3}));
  }
}

TEST(Error, KernelErrorsHaveKinds) {
  using runtime::KernelError;
  EXPECT_EQ(runtime::describe(KernelError::DivisionByZero).kind, ErrorKind::DivisionByZero);
  EXPECT_EQ(runtime::describe(KernelError::IndexOutOfRange).kind, ErrorKind::IndexOutOfRange);
  EXPECT_EQ(runtime::describe(KernelError::NegativePower).kind, ErrorKind::InvalidArgument);
}

TEST(CpuLevel, MatchesTheCompilersView) {
  auto level = runtime::detectCpuLevel();
  ASSERT_TRUE(level) << level.failure().message;
  __builtin_cpu_init();
  bool v4 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512vl");
  EXPECT_EQ(*level, v4 ? runtime::CpuLevel::V4 : runtime::CpuLevel::V3);
  EXPECT_EQ(runtime::cpuLevel(), *level);
  EXPECT_EQ(runtime::name(runtime::CpuLevel::V3), "x86-64-v3");
}
