// Handles: counting, reading, assigning, and the way into backward.
#include "tenferro/EagerTensor.h"

#include "lib/Eager/Differentiate.h"
#include "lib/Eager/EagerAccess.h"
#include "lib/Eager/Failures.h"
#include "lib/Eager/Located.h"
#include "lib/Eager/RuntimeState.h"
#include "lib/Eager/TensorImpl.h"
#include "lib/Eager/ThreadState.h"
#include "lib/Eager/Trace/Staging.h"

#include <utility>

namespace tenferro {

using eager::Record;
using eager::RecordKind;
using eager::Variable;

EagerTensor::EagerTensor(const EagerTensor &other) noexcept : record_(other.record_) {
  if (record_)
    eager::retainHandle(record_);
}
EagerTensor::EagerTensor(EagerTensor &&other) noexcept : record_(std::exchange(other.record_, nullptr)) {}
EagerTensor &EagerTensor::operator=(const EagerTensor &other) noexcept {
  EagerTensor copy(other);
  std::swap(record_, copy.record_);
  return *this;
}
EagerTensor &EagerTensor::operator=(EagerTensor &&other) noexcept {
  EagerTensor taken(std::move(other));
  std::swap(record_, taken.record_);
  return *this;
}
EagerTensor::~EagerTensor() {
  if (record_)
    eager::releaseHandle(record_);
}

namespace {

/// Empty handles are an error of the line that asked.
Record &require(Record *record, const char *op, const std::source_location &where) {
  if (record)
    return *record;
  eager::raiseAt(eager::failureOf(ErrorKind::InvalidArgument, op, {},
                                  "expects a tensor, but it is empty (default-made or moved-from)"),
                 where);
}

Tensor valueOf(const Record &record, const char *op) {
  if (record.kind == RecordKind::Staged)
    eager::raiseNoValue(op, record);
  return record.kind == RecordKind::Variable ? static_cast<const Variable &>(record).currentValue() : record.value;
}

} // namespace

const Shape &EagerTensor::shape(std::source_location where) const {
  return require(record_, "shape", where).type.shape;
}
int64_t EagerTensor::rank(std::source_location where) const {
  return require(record_, "rank", where).type.shape.rank();
}
DType EagerTensor::dtype(std::source_location where) const { return require(record_, "dtype", where).type.dtype; }
uint64_t EagerTensor::id(std::source_location where) const { return eager::idOf(require(record_, "id", where)); }
bool EagerTensor::tracksGrad(std::source_location where) const { return require(record_, "tracksGrad", where).tracks; }
std::shared_ptr<EagerRuntime> EagerTensor::runtime(std::source_location where) const {
  return require(record_, "runtime", where).state->runtime.shared_from_this();
}
Tensor EagerTensor::value(std::source_location where) const {
  return eager::located(where, [&] { return tenferro::valueOf(require(record_, "value", where), "value"); });
}
Tensor EagerTensor::valueOf(DType dtype, const std::source_location &where) const {
  return eager::located(where, [&] {
    Tensor value = tenferro::valueOf(require(record_, "toVector", where), "toVector");
    detail::TensorAccess::checkDType(value, dtype);
    return value;
  });
}

std::string EagerTensor::str(std::source_location where) const {
  if (!record_)
    return "empty tensor";
  std::string out = eager::located(where, [&] { return tenferro::valueOf(*record_, "str"); }).str();
  if (record_->kind == RecordKind::Variable)
    out += " variable";
  else if (record_->tracks)
    out += " tracked";
  return out;
}

std::optional<Tensor> EagerTensor::grad(std::source_location where) const {
  Record &record = require(record_, "grad", where);
  if (record.kind != RecordKind::Variable)
    return std::nullopt;
  Tensor gradient = static_cast<Variable &>(record).slot()->gradient();
  return gradient.empty() ? std::nullopt : std::optional<Tensor>(std::move(gradient));
}

void EagerTensor::clearGrad(std::source_location where) const {
  Record &record = require(record_, "clearGrad", where);
  if (record.kind == RecordKind::Variable)
    static_cast<Variable &>(record).slot()->clear();
}

Gradients EagerTensor::backward(ExecutionEngine &engine, std::source_location where) const {
  return eager::backward(engine, *this, nullptr, where);
}
Gradients EagerTensor::backwardWith(ExecutionEngine &engine, const Tensor &seed, std::source_location where) const {
  return eager::backward(engine, *this, &seed, where);
}

void EagerTensor::copyOnly(DType dtype, void *out, const std::source_location &where) const {
  eager::located(where, [&] {
    detail::TensorAccess::copyOnly(tenferro::valueOf(require(record_, "item", where), "item"), dtype, out);
  });
}

EagerTensor EagerTensor::detach(std::source_location where) const {
  Record &record = require(record_, "detach", where);
  return eager::located(where, [&] {
    // While a function is recorded, the value is the one of each run.
    if (eager::StagingFrame *frame = eager::threadState.staging ? eager::StagingFrame::of(*record.state) : nullptr) {
      const EagerTensor *operands[] = {this};
      return frame->apply(core::OpKind::Detach, operands, {}, where);
    }
    return EagerTensor(new eager::ConstantLeaf(*record.state, tenferro::valueOf(record, "detach"), record.where));
  });
}

namespace {

void assignTo(Record &record, const Tensor &value) {
  Failure failure;
  failure.op = "assign";
  failure.argument = "value";
  if (record.kind != RecordKind::Variable) {
    failure.kind = ErrorKind::InvalidArgument;
    failure.argument = "this";
    failure.message = "expects a variable, but this tensor is a constant or a result";
    raise(std::move(failure));
  }
  if (value.dtype() != record.type.dtype) {
    failure.kind = ErrorKind::DTypeMismatch;
    failure.message = "expects the variable's dtype " + std::string(name(record.type.dtype)) + ", but got " +
                      std::string(name(value.dtype()));
    failure.dtypes = {record.type.dtype, value.dtype()};
    raise(std::move(failure));
  }
  if (!(value.shape() == record.type.shape)) {
    failure.kind = ErrorKind::ShapeMismatch;
    failure.message = "expects the variable's shape " + record.type.shape.str() + ", but got " + value.shape().str();
    failure.shapes = {record.type.shape, value.shape()};
    raise(std::move(failure));
  }
  static_cast<Variable &>(record).assign(value);
}

void requireRuntime(const Record &record, const Record &source) {
  if (source.state == record.state)
    return;
  Failure failure;
  failure.kind = ErrorKind::ContextMismatch;
  failure.op = "assign";
  failure.message = "expects tensors of one runtime, but got runtimes " + std::to_string(record.state->id) + " and " +
                    std::to_string(source.state->id);
  failure.ids = {record.state->id, source.state->id};
  raise(std::move(failure));
}

} // namespace

void EagerTensor::assign(const Tensor &value, std::source_location where) const {
  eager::located(where, [&] { assignTo(require(record_, "assign", where), value); });
}

void EagerTensor::assign(const EagerTensor &value, std::source_location where) const {
  eager::located(where, [&] {
    Record &record = require(record_, "assign", where);
    Record &source = require(value.record_, "assign", where);
    requireRuntime(record, source);
    assignTo(record, tenferro::valueOf(source, "assign"));
  });
}

std::optional<Tensor> Gradients::of(const EagerTensor &variable) const {
  const uint64_t id = variable.id();
  for (const Entry &entry : entries_)
    if (entry.id == id)
      return entry.gradient;
  return std::nullopt;
}

} // namespace tenferro
