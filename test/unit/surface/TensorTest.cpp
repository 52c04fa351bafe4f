// Tensors as values: making them, reading them, views, text.
#include "test/unit/surface/Support.h"

#include <sstream>

namespace tenferro::test {
namespace {

TEST(Tensor, ColumnMajorAndRowMajorListings) {
  Tensor columns = Tensor::from({2, 3}, {1., 2., 3., 4., 5., 6.});
  EXPECT_EQ(columns.str(), "f64[2, 3] [[1, 3, 5], [2, 4, 6]]");
  EXPECT_EQ(columns.strides(), (IntList{1, 2}));
  EXPECT_EQ(columns.toRowMajor<double>(), (std::vector<double>{1, 3, 5, 2, 4, 6}));
  Tensor rows = Tensor::fromRowMajor<double>({2, 3}, {1, 3, 5, 2, 4, 6});
  EXPECT_EQ(rows.toVector<double>(), columns.toVector<double>());
  EXPECT_TRUE(rows.isContiguous());
}

TEST(Tensor, ScalarsFillsAndZeros) {
  EXPECT_EQ(Tensor::scalar(2.5).item<double>(), 2.5);
  EXPECT_EQ(Tensor::scalar(2.5).rank(), 0);
  EXPECT_EQ(Tensor::full({3}, int64_t(7)).toVector<int64_t>(), (std::vector<int64_t>{7, 7, 7}));
  EXPECT_EQ(Tensor::zeros({0, 4}, DType::F32).elementCount(), 0);
  EXPECT_EQ(Tensor::from({2}, std::vector<bool>{true, false}).toVector<bool>(), (std::vector<bool>{true, false}));
}

TEST(Tensor, BytesOfBoolsBecomeZeroOrOne) {
  const uint8_t bytes[] = {0, 1, 255};
  Tensor t = Tensor::fromElements({3}, DType::Bool, bytes, 3);
  const auto *stored = static_cast<const uint8_t *>(t.data());
  EXPECT_EQ((std::vector<uint8_t>(stored, stored + 3)), (std::vector<uint8_t>{0, 1, 1}));
}

TEST(Tensor, WrongArgumentsAreTypedErrors) {
  EXPECT_ERROR(Tensor::from({2}, {1., 2., 3.}), ErrorKind::ElementCount, "tensor");
  EXPECT_ERROR(Tensor::from({-1}, {1.}), ErrorKind::InvalidArgument, "tensor");
  EXPECT_ERROR(Tensor::zeros({int64_t(1) << 40, int64_t(1) << 40}, DType::F64), ErrorKind::InvalidArgument, "tensor");
  EXPECT_ERROR(Tensor::fromElements({2}, DType::F64, nullptr, 2), ErrorKind::InvalidArgument, "tensor");
  EXPECT_NO_THROW(Tensor::fromElements({0}, DType::F64, nullptr, 0));
  EXPECT_ERROR(vec({1}).item<float>(), ErrorKind::DTypeMismatch, "tensor");
  EXPECT_ERROR(vec({1, 2}).item<double>(), ErrorKind::ElementCount, "tensor");
  EXPECT_ERROR(vec({1}).toVector<int64_t>(), ErrorKind::DTypeMismatch, "tensor");
}

TEST(Tensor, EmptyAndMovedFromTensorsRaise) {
  Tensor empty;
  EXPECT_TRUE(empty.empty());
  EXPECT_ERROR(empty.shape(), ErrorKind::InvalidArgument, "tensor");
  EXPECT_ERROR(empty.contiguous(), ErrorKind::InvalidArgument, "tensor");
  EXPECT_ERROR(empty.transposed({}), ErrorKind::InvalidArgument, "tensor");
  EXPECT_EQ(empty.str(), "empty tensor");
  Tensor t = vec({1, 2}), moved = std::move(t);
  EXPECT_ERROR(t.dtype(), ErrorKind::InvalidArgument, "tensor"); // NOLINT: the moved-from state is the subject
  t = moved;
  EXPECT_EQ(t.toVector<double>(), (std::vector<double>{1, 2}));
  t = *&t;
  EXPECT_EQ(t.toVector<double>(), (std::vector<double>{1, 2}));
}

TEST(Tensor, ViewsShareElementsAndReadInLogicalOrder) {
  Tensor t = Tensor::from({2, 3}, {1., 2., 3., 4., 5., 6.});
  Tensor transposed = t.transposed({1, 0});
  EXPECT_EQ(transposed.strides(), (IntList{2, 1}));
  EXPECT_EQ(transposed.toVector<double>(), (std::vector<double>{1, 3, 5, 2, 4, 6}));
  EXPECT_FALSE(transposed.isContiguous());
  EXPECT_ERROR(transposed.data<double>(), ErrorKind::NotContiguous, "tensor");
  EXPECT_EQ(transposed.contiguous().data<double>()[1], 3);
  EXPECT_EQ(t.contiguous().data(), t.data());

  Tensor odd = t.sliced({0, 0}, {2, 3}, {1, 2});
  EXPECT_EQ(odd.toVector<double>(), (std::vector<double>{1, 2, 5, 6}));
  Tensor repeated = vec({7, 8}).broadcastTo({3, 2});
  EXPECT_EQ(repeated.toRowMajor<double>(), (std::vector<double>{7, 8, 7, 8, 7, 8}));
  EXPECT_EQ(repeated.strides()[0], 0);
  EXPECT_EQ(Tensor::from({2, 1}, {1., 2.}).broadcastTo({2, 3}).toRowMajor<double>(),
            (std::vector<double>{1, 1, 1, 2, 2, 2}));

  Tensor reshaped = t.reshaped({3, 2});
  EXPECT_EQ(reshaped.data(), t.data());
  EXPECT_EQ(transposed.reshaped({6}).toVector<double>(), (std::vector<double>{1, 3, 5, 2, 4, 6}));
  EXPECT_EQ(t.sliced({1, 1}, {1, 1}, {1, 1}).elementCount(), 0);
}

TEST(Tensor, ViewsBreakTheOperationsRules) {
  Tensor t = matrix(2, 3, {1, 2, 3, 4, 5, 6});
  EXPECT_ERROR(t.transposed({0}), ErrorKind::InvalidPermutation, "transpose");
  EXPECT_ERROR(t.transposed({0, 2}), ErrorKind::AxisOutOfRange, "transpose");
  EXPECT_ERROR(t.sliced({0, 0}, {3, 3}, {1, 1}), ErrorKind::SliceBounds, "slice");
  EXPECT_ERROR(t.sliced({0, 0}, {2, 3}, {1, 0}), ErrorKind::SliceStep, "slice");
  EXPECT_ERROR(t.sliced({0}, {2}, {1}), ErrorKind::RankMismatch, "slice");
  EXPECT_ERROR(t.broadcastTo({2, 4}), ErrorKind::ShapeMismatch, "broadcast_to");
  EXPECT_ERROR(t.broadcastTo({3}), ErrorKind::ShapeMismatch, "broadcast_to");
  EXPECT_ERROR(t.reshaped({4}), ErrorKind::ElementCount, "reshape");
  EXPECT_ERROR(t.reshaped({-2, -3}), ErrorKind::InvalidArgument, "reshape");
}

TEST(Tensor, TextOfEveryKindOfElement) {
  EXPECT_EQ(Tensor::scalar(0.1).str(), "f64[] 0.1");
  EXPECT_EQ(vec({kNaN, -kNaN, kInf, -kInf, -0.0, 1e300, 5e-324}).str(),
            "f64[7] [nan, nan, inf, -inf, -0, 1e+300, 5e-324]");
  EXPECT_EQ(Tensor::from({2}, {0.1f, 16777216.f}).str(), "f32[2] [0.1, 16777216]");
  EXPECT_EQ(Tensor::from({2}, std::vector<bool>{true, false}).str(), "bool[2] [true, false]");
  EXPECT_EQ(Tensor::from({2}, {uint8_t(255), uint8_t(0)}).str(), "u8[2] [255, 0]");
  EXPECT_EQ(Tensor::from({1}, {std::numeric_limits<int64_t>::min()}).str(), "i64[1] [-9223372036854775808]");
  const uint16_t halves[] = {0x3c00, 0xc000, 0x7c00, 0x0001};
  EXPECT_EQ(Tensor::fromElements({4}, DType::F16, halves, 4).str(), "f16[4] [1, -2, inf, 5.9604645e-08]");
  const float complex[] = {1, -2};
  EXPECT_EQ(Tensor::fromElements({1}, DType::Complex64, complex, 1).str(), "complex64[1] [1-2i]");
  EXPECT_EQ(Tensor::zeros({0, 3}, DType::F64).str(), "f64[0, 3] []");
}

TEST(Tensor, ValuesThatAreNoDTypeAreRefused) {
  double value = 1;
  for (int number : {kDTypeCount, 99, 255}) {
    auto odd = static_cast<DType>(number);
    EXPECT_FALSE(isDType(odd));
    EXPECT_EQ(name(odd), "unknown");
    EXPECT_EQ(byteSize(odd), 0u);
    EXPECT_ERROR(Tensor::zeros({1}, odd), ErrorKind::InvalidArgument, "tensor");
    EXPECT_ERROR(Tensor::fromElements({1}, odd, &value, 1), ErrorKind::InvalidArgument, "tensor");
  }
}

// Sanitizers end the program where `new` would throw.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TENFERRO_NEW_ENDS_THE_PROGRAM 1
#endif
#endif

TEST(Tensor, ListsTooLongForMemoryAreTypedErrors) {
  Tensor huge = Tensor::scalar(1.0).broadcastTo({int64_t(1) << 50}),
         flags = Tensor::scalar(true).broadcastTo({int64_t(1) << 56});
#ifndef TENFERRO_NEW_ENDS_THE_PROGRAM
  EXPECT_ERROR(huge.toVector<double>(), ErrorKind::OutOfMemory, "tensor");
  EXPECT_ERROR(huge.toRowMajor<double>(), ErrorKind::OutOfMemory, "tensor");
  EXPECT_ERROR(flags.toVector<bool>(), ErrorKind::OutOfMemory, "tensor");
#endif
  EXPECT_ERROR(huge.contiguous(), ErrorKind::OutOfMemory, "allocate");
  EXPECT_EQ(huge.str(), "f64[1125899906842624] [1, 1, 1, ..., 1, 1, 1]");
}

TEST(Tensor, BoolsAreListedRowMajorToo) {
  Tensor t = Tensor::fromRowMajor<bool>({2, 2}, {true, true, false, false});
  EXPECT_EQ(t.toVector<bool>(), (std::vector<bool>{true, false, true, false}));
  EXPECT_EQ(t.toRowMajor<bool>(), (std::vector<bool>{true, true, false, false}));
}

TEST(Tensor, ListsOfOneValue) {
  EXPECT_EQ(IntList(3, 7), (IntList{7, 7, 7}));
  EXPECT_EQ(Shape(2, 5).str(), "[5, 5]");
}

TEST(Tensor, ManyShortAxesAreCutOff) {
  std::string text = Tensor::scalar(1.0).broadcastTo(Shape(40, 2)).str();
  EXPECT_LT(text.size(), 40000u);
  EXPECT_NE(text.find("..."), std::string::npos);
}

TEST(Tensor, LongAxesAreElided) {
  EXPECT_EQ(Tensor::full({1000}, 1.0).str().find("..."), std::string::npos);
  EXPECT_EQ(Tensor::full({1001}, 1.0).str(), "f64[1001] [1, 1, 1, ..., 1, 1, 1]");
  std::vector<int64_t> values(2000);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<int64_t>(i);
  EXPECT_EQ(Tensor::fromRowMajor({2, 1000}, values).str(), "i64[2, 1000]\n"
                                                           "[[   0,    1,    2, ...,  997,  998,  999],\n"
                                                           " [1000, 1001, 1002, ..., 1997, 1998, 1999]]");
}

TEST(Tensor, WhatDoesNotFitALineIsABlock) {
  // As NumPy prints them: equal widths, one row a line, matrices apart by an empty line.
  std::vector<double> values;
  for (int i = 0; i < 18; ++i)
    values.push_back(i * 1.125);
  EXPECT_EQ(Tensor::fromRowMajor({3, 6}, values).str(), "f64[3, 6]\n"
                                                        "[[     0,  1.125,   2.25,  3.375,    4.5,  5.625],\n"
                                                        " [  6.75,  7.875,      9, 10.125,  11.25, 12.375],\n"
                                                        " [  13.5, 14.625,  15.75, 16.875,     18, 19.125]]");
  EXPECT_EQ(Tensor::fromRowMajor({2, 3, 3}, values).str(), "f64[2, 3, 3]\n"
                                                           "[[[     0,  1.125,   2.25],\n"
                                                           "  [ 3.375,    4.5,  5.625],\n"
                                                           "  [  6.75,  7.875,      9]],\n"
                                                           "\n"
                                                           " [[10.125,  11.25, 12.375],\n"
                                                           "  [  13.5, 14.625,  15.75],\n"
                                                           "  [16.875,     18, 19.125]]]");
  // A long row wraps.
  std::string row = Tensor::full({30}, 0.125).str();
  EXPECT_EQ(row.substr(0, row.find(']', 8)),
            "f64[30]\n"
            "[0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125,\n"
            " 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125,\n"
            " 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125");
}

TEST(Tensor, NamesGoToStreams) {
  std::ostringstream out;
  out << DType::F32 << ' ' << Shape{2, 3} << ' ' << ErrorKind::ShapeMismatch << ' ' << Phase::Execution;
  EXPECT_EQ(out.str(), "f32 [2, 3] shape_mismatch execution");
}

} // namespace
} // namespace tenferro::test
