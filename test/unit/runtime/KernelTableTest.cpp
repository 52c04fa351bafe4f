// Names and the two ways to find a kernel agree with each other.
#include "runtime/kernels/KernelTable.h"

#include "runtime/kernels/KernelName.h"
#include "test/unit/runtime/TestKernels.h"

#include <gtest/gtest.h>

using namespace tenferro;
using namespace tenferro::runtime;
using core::OpKind;

TEST(KernelTable, NamesAreAsWritten) {
  auto name = [](OpKind kind, std::vector<DType> operands, core::Attributes attributes, DType result) {
    std::vector<core::ValueType> types;
    for (DType dtype : operands)
      types.push_back({dtype, Shape{2}});
    return kernelName(kind, types, attributes, result);
  };
  EXPECT_EQ(name(OpKind::Add, {DType::F64, DType::F64}, {}, DType::F64), "add.f64");
  EXPECT_EQ(name(OpKind::Compare, {DType::I32, DType::I32}, {2}, DType::Bool), "compare.lt.i32");
  EXPECT_EQ(name(OpKind::Compare, {DType::F32, DType::F32}, {5}, DType::Bool), "compare.ge.f32");
  EXPECT_EQ(name(OpKind::Convert, {DType::F32}, {}, DType::F64), "cast.f32.f64");
  EXPECT_EQ(name(OpKind::Cast, {DType::F64}, {}, DType::U8), "cast.f64.u8");
  EXPECT_EQ(name(OpKind::Select, {DType::Bool, DType::I64, DType::I64}, {}, DType::I64), "select.i64");
  EXPECT_EQ(name(OpKind::OneHot, {DType::I32}, {}, DType::F32), "one_hot.i32.f32");
  EXPECT_EQ(name(OpKind::Iota, {}, {}, DType::F64), "iota.f64");
  EXPECT_EQ(name(OpKind::Sum, {DType::F32}, {}, DType::F32), "sum.f32");
  EXPECT_EQ(name(OpKind::DotGeneral, {DType::F32, DType::F32}, {}, DType::F32), "matmul.f32");
  EXPECT_EQ(name(OpKind::Transpose, {DType::F32}, {}, DType::F32), "");
  EXPECT_EQ(name(OpKind::Take, {DType::F32, DType::I64}, {}, DType::F32), "");
}

TEST(KernelTable, EveryKernelIsFoundByNameAndOperation) {
  const KernelTable &table = test::kernels();
  for (const Tier0Kernel &kernel : table.kernels())
    EXPECT_EQ(table.find(kernel.name), &kernel);
  EXPECT_EQ(table.find("add"), nullptr);
  EXPECT_EQ(table.find("add.f640"), nullptr);
  EXPECT_EQ(table.find(OpKind::Add, DType::F64), table.find("add.f64"));
  EXPECT_EQ(table.find(OpKind::Compare, DType::F64, 3), table.find("compare.le.f64"));
  EXPECT_EQ(table.find(OpKind::Cast, DType::F64, static_cast<uint32_t>(DType::I32)), table.find("cast.f64.i32"));
  EXPECT_EQ(table.find(OpKind::Convert, DType::F32, static_cast<uint32_t>(DType::F64)), table.find("cast.f32.f64"));
  EXPECT_EQ(table.find(OpKind::OneHot, DType::I64, static_cast<uint32_t>(DType::F64)), table.find("one_hot.i64.f64"));
  EXPECT_EQ(table.find(OpKind::Sum, DType::F64), table.sum(DType::F64));
  EXPECT_EQ(table.find(OpKind::DotGeneral, DType::F64, 1), table.dot(DType::F64));
  ASSERT_NE(table.find("add.f64"), nullptr);
  ASSERT_NE(table.find("compare.le.f64"), nullptr);
  EXPECT_EQ(table.find(OpKind::Add, DType::Complex64), nullptr);
  EXPECT_EQ(table.find(OpKind::Add, DType::F64, 99), nullptr);
}
