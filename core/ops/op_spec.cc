#include "core/ops/op_spec.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <string>

namespace berth {
namespace {

struct TypeSet {
  std::string_view name;
  std::vector<DType> types;
};

const std::vector<TypeSet>& TypeSets() {
  static const std::vector<TypeSet> kSets = {
      {"number",
       {BERTH_FLOAT, BERTH_DOUBLE, BERTH_INT32, BERTH_UINT8, BERTH_INT16, BERTH_INT8,
        BERTH_COMPLEX64, BERTH_INT64, BERTH_QINT8, BERTH_QUINT8, BERTH_QINT32,
        BERTH_BFLOAT16, BERTH_QINT16, BERTH_QUINT16, BERTH_UINT16, BERTH_COMPLEX128,
        BERTH_HALF, BERTH_UINT32, BERTH_UINT64}},
      {"real",
       {BERTH_FLOAT, BERTH_DOUBLE, BERTH_INT32, BERTH_UINT8, BERTH_INT16, BERTH_INT8,
        BERTH_INT64, BERTH_BFLOAT16, BERTH_UINT16, BERTH_HALF, BERTH_UINT32,
        BERTH_UINT64}},
      {"floating", {BERTH_HALF, BERTH_BFLOAT16, BERTH_FLOAT, BERTH_DOUBLE}},
      {"inexact",
       {BERTH_BFLOAT16, BERTH_HALF, BERTH_FLOAT, BERTH_DOUBLE, BERTH_COMPLEX64,
        BERTH_COMPLEX128}},
      {"index", {BERTH_INT32, BERTH_INT64}},
      {"index16", {BERTH_INT16, BERTH_INT32, BERTH_INT64}},
  };
  return kSets;
}

// Reads one spec text from left to right. A mistake is remembered, and every later read
// does nothing, so that the grammar below reads without error handling.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool failed() const { return failed_; }
  bool AtEnd() {
    SkipSpace();
    return failed_ || pos_ == text_.size();
  }
  void Fail() { failed_ = true; }
  std::string Place() const {
    return "'" + std::string(text_) + "' at " + std::to_string(pos_);
  }

  bool NextIs(char c) { return !AtEnd() && text_[pos_] == c; }
  bool TryTake(std::string_view token) {
    SkipSpace();
    if (failed_ || !text_.substr(pos_).starts_with(token)) return false;
    pos_ += token.size();
    return true;
  }
  void Take(std::string_view token) {
    if (!TryTake(token)) Fail();
  }
  // A name, a keyword or a number.
  std::string_view Word() {
    SkipSpace();
    const size_t begin = pos_;
    while (pos_ < text_.size() && IsWordChar(text_[pos_])) ++pos_;
    if (pos_ == begin) Fail();
    return text_.substr(begin, pos_ - begin);
  }
  int64_t Int() {
    const std::string_view word = Word();
    int64_t value = 0;
    const auto [end, error] =
        std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) Fail();
    return value;
  }
  float Float() {
    const std::string word(Word());
    char* end = nullptr;
    const float value = std::strtof(word.c_str(), &end);
    if (end != word.c_str() + word.size()) Fail();
    return value;
  }
  DType Type() {
    const std::optional<DType> type = ParseDType(Word());
    if (!type) Fail();
    return type.value_or(BERTH_INVALID_DTYPE);
  }
  // 'text' with \n, \t, \\ and \'.
  std::string Quoted() {
    Take("'");
    std::string out;
    while (!failed_ && pos_ < text_.size() && text_[pos_] != '\'') {
      char c = text_[pos_++];
      if (c == '\\' && pos_ < text_.size()) {
        c = text_[pos_++];
        if (c == 'n') c = '\n';
        if (c == 't') c = '\t';
      }
      out += c;
    }
    if (!failed_ && pos_ < text_.size()) {
      ++pos_;
    } else {
      Fail();
    }
    return out;
  }
  // The items between `open` and `close`, split by commas; `item` reads one.
  template <typename F>
  void Items(std::string_view open, std::string_view close, F item) {
    Take(open);
    if (TryTake(close)) return;
    do {
      item();
    } while (!failed_ && TryTake(","));
    Take(close);
  }

 private:
  static bool IsWordChar(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' ||
           c == '-' || c == '+';
  }
  void SkipSpace() {
    while (pos_ < text_.size() && (text_[pos_] == ' ' || text_[pos_] == '\n')) ++pos_;
  }

  std::string_view text_;
  size_t pos_ = 0;
  bool failed_ = false;
};

Shape ReadShape(Reader& in) {
  if (in.TryTake("?")) return Shape::UnknownRank();
  Shape shape;
  in.Items("[", "]", [&] { shape.AddDim(in.Int()); });
  return shape;
}

// uint8[255, 0]: a vector of bytes is all that defaults need.
Tensor ReadTensor(Reader& in) {
  std::vector<int64_t> values;
  in.Take("uint8");
  in.Items("[", "]", [&] { values.push_back(in.Int()); });
  Result<Tensor> tensor =
      Tensor::Allocate(BERTH_UINT8, Shape({static_cast<int64_t>(values.size())}));
  if (!tensor.ok()) {
    in.Fail();
    return {};
  }
  std::transform(values.begin(), values.end(), tensor->mutable_data<uint8_t>(),
                 [](int64_t value) { return static_cast<uint8_t>(value); });
  return *std::move(tensor);
}

bool ReadBool(Reader& in) {
  const std::string_view word = in.Word();
  if (word != "true" && word != "false") in.Fail();
  return word == "true";
}

AttrValue ReadList(std::string_view kind, Reader& in) {
  ListAttr list;
  in.Items("[", "]", [&] {
    if (kind == "int") {
      list.i.push_back(in.Int());
    } else if (kind == "float") {
      list.f.push_back(in.Float());
    } else if (kind == "string") {
      list.s.push_back(in.Quoted());
    } else if (kind == "type") {
      list.type.push_back(in.Type());
    } else {
      in.Fail();
    }
  });
  return AttrValue::OfList(std::move(list));
}

AttrValue ReadDefault(const std::string& kind, Reader& in) {
  if (kind == "string") return AttrValue::String(in.Quoted());
  if (kind == "int") return AttrValue::Int(in.Int());
  if (kind == "float") return AttrValue::Float(in.Float());
  if (kind == "bool") return AttrValue::Bool(ReadBool(in));
  if (kind == "type") return AttrValue::Type(in.Type());
  if (kind == "shape") return AttrValue::OfShape(ReadShape(in));
  if (kind == "tensor") return AttrValue::OfTensor(ReadTensor(in));
  if (kind.starts_with("list(")) {
    return ReadList(std::string_view(kind).substr(5, kind.size() - 6), in);
  }
  in.Fail();
  return {};
}

// "{float, int32}", "{'SAME', 'VALID'}", "index" or a plain kind; gives the kind.
std::string ReadKind(Reader& in, AttrSchema* attr) {
  if (in.TryTake("list(")) {
    std::string inner = ReadKind(in, attr);
    in.Take(")");
    return "list(" + inner + ")";
  }
  if (in.TryTake("{")) {
    if (in.NextIs('\'')) {
      do {
        attr->allowed_strings.push_back(in.Quoted());
      } while (in.TryTake(","));
      in.Take("}");
      return "string";
    }
    do {
      attr->allowed_types.push_back(in.Type());
    } while (in.TryTake(","));
    in.Take("}");
    return "type";
  }
  std::string word(in.Word());
  for (const TypeSet& set : TypeSets()) {
    if (word != set.name) continue;
    attr->allowed_types = set.types;
    return "type";
  }
  static constexpr std::string_view kKinds[] = {"string", "int",   "float",  "bool",
                                                "type",   "shape", "tensor", "func"};
  if (std::find(std::begin(kKinds), std::end(kKinds), word) == std::end(kKinds)) {
    in.Fail();
  }
  return word;
}

std::vector<AttrSchema> ReadAttrs(Reader& in) {
  std::vector<AttrSchema> attrs;
  while (!in.AtEnd()) {
    AttrSchema& attr = attrs.emplace_back();
    attr.name = in.Word();
    in.Take(":");
    attr.type = ReadKind(in, &attr);
    if (in.TryTake(">=")) attr.minimum = in.Int();
    if (in.TryTake("=")) attr.default_value = ReadDefault(attr.type, in);
    if (!in.AtEnd()) in.Take(";");
  }
  return attrs;
}

ArgSchema ReadArg(Reader& in, const OpSchema& schema) {
  ArgSchema arg;
  arg.name = in.Word();
  in.Take(":");
  arg.is_ref = in.TryTake("Ref(");
  std::string word(in.Word());
  if (in.TryTake("*")) {
    arg.number_attr = word;
    if (schema.FindAttr(word) == nullptr) in.Fail();
    word = in.Word();
  }
  if (const AttrSchema* attr = schema.FindAttr(word); attr != nullptr) {
    (attr->type == "list(type)" ? arg.type_list_attr : arg.type_attr) = word;
  } else {
    arg.dtype = ParseDType(word).value_or(BERTH_INVALID_DTYPE);
    if (arg.dtype == BERTH_INVALID_DTYPE) in.Fail();
  }
  if (arg.is_ref) in.Take(")");
  return arg;
}

}  // namespace

Result<OpSchema> ParseOpSpec(const OpSpec& spec) {
  OpSchema schema;
  schema.name = spec.name;
  schema.shape_fn = spec.shape;
  schema.is_stateful = (spec.flags & kStateful) != 0;
  schema.is_commutative = (spec.flags & kCommutative) != 0;
  schema.is_aggregate = (spec.flags & kAggregate) != 0;
  schema.allows_uninitialized_input = (spec.flags & kUninitializedInput) != 0;
  schema.deprecated_since = spec.deprecated_since;
  schema.deprecation = spec.deprecation;

  Reader attrs(spec.attrs);
  schema.attrs = ReadAttrs(attrs);
  if (attrs.failed()) {
    return Internal("op " + schema.name + ": bad attributes " + attrs.Place());
  }
  Reader in(spec.signature);
  bool outputs = false;
  while (!in.AtEnd()) {
    if (!outputs && in.TryTake("->")) {
      outputs = true;
      continue;
    }
    auto& args = outputs ? schema.outputs : schema.inputs;
    args.push_back(ReadArg(in, schema));
    if (!in.AtEnd() && !in.TryTake(",")) {
      if (outputs) in.Fail();
      in.Take("->");
      outputs = true;
    }
  }
  if (in.failed()) {
    return Internal("op " + schema.name + ": bad signature " + in.Place());
  }
  return schema;
}

}  // namespace berth
