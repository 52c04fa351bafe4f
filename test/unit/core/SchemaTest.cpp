// The generated list of operations, and the names of errors.
#include "lib/Core/OpSchema.h"
#include "tenferro/Error.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace tenferro::core {
namespace {

TEST(OpSchema, MnemonicsFindTheirKinds) {
  for (int i = 0; i < kOpKindCount; ++i) {
    OpKind kind = static_cast<OpKind>(i);
    const OpSchema *found = findSchema(schema(kind).mnemonic);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->kind, kind);
  }
  EXPECT_EQ(findSchema("tangle"), nullptr);
  EXPECT_EQ(findSchema("constant"), nullptr) << "a trace holds no constants";
}

TEST(OpSchema, SaysWhatIsFixed) {
  const OpSchema &add = schema(OpKind::Add);
  EXPECT_EQ(add.mnemonic, "add");
  EXPECT_EQ(add.family, "Arithmetic");
  EXPECT_EQ(add.operands, 2);
  EXPECT_TRUE(add.elementwise);
  EXPECT_TRUE(add.commutative);
  EXPECT_FALSE(add.view);
  EXPECT_FALSE(schema(OpKind::Sub).commutative);
  EXPECT_TRUE(schema(OpKind::Transpose).view);
  EXPECT_EQ(schema(OpKind::Select).operands, 3);
  EXPECT_EQ(schema(OpKind::Iota).operands, 0);
}

TEST(OpSchema, LaysOutAttributes) {
  const OpSchema &dot = schema(OpKind::DotGeneral);
  ASSERT_EQ(dot.attributes.size(), 4u);
  EXPECT_EQ(dot.attributes[0].name, "lhs_contracting");
  EXPECT_EQ(dot.attributes[0].kind, AttributeKind::IntArray);
  const OpSchema &iota = schema(OpKind::Iota);
  ASSERT_EQ(iota.attributes.size(), 3u);
  EXPECT_EQ(iota.attributes[0].kind, AttributeKind::Int);
  EXPECT_EQ(iota.attributes[1].kind, AttributeKind::ResultShape);
  EXPECT_EQ(iota.attributes[2].kind, AttributeKind::ResultDType);
  EXPECT_EQ(schema(OpKind::Compare).attributes[0].kind, AttributeKind::Enum);
  EXPECT_TRUE(schema(OpKind::Exp).attributes.empty());
}

TEST(ErrorNames, AreDistinctAndStable) {
  std::set<std::string> names;
  for (int i = 0; i <= static_cast<int>(ErrorKind::Internal); ++i)
    names.insert(std::string(name(static_cast<ErrorKind>(i))));
  EXPECT_EQ(names.size(), static_cast<size_t>(ErrorKind::Internal) + 1);
  EXPECT_EQ(name(ErrorKind::ShapeMismatch), "shape_mismatch");
  EXPECT_EQ(name(ErrorKind::DTypeMismatch), "dtype");
  EXPECT_EQ(name(ErrorKind::NonScalarGrad), "not_scalar");
  EXPECT_EQ(name(Phase::GraphBuild), "graph build");
  EXPECT_EQ(name(Phase::Execution), "execution");
}

} // namespace
} // namespace tenferro::core
