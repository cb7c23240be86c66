// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/mlir/parser.hpp"

#include <algorithm>

namespace vernier::import::mlir {

const Attribute* find(const Dictionary& dictionary, std::string_view name) {
  const auto entry =
      std::find_if(dictionary.begin(), dictionary.end(), [&](const NamedAttribute& named) { return named.name == name; });
  return entry == dictionary.end() ? nullptr : &entry->value;
}

Attribute Parser::parse_attribute() {
  check_depth(++depth_);
  const size_t position = cursor_.position();
  const char c = cursor_.peek();
  Attribute attribute;
  if (c == '"') {
    attribute.kind = Attribute::Kind::String;
    attribute.text = cursor_.string();
  } else if (c == '@') {
    cursor_.take("@");
    attribute.kind = Attribute::Kind::Symbol;
    attribute.text = cursor_.peek() == '"' ? cursor_.string() : std::string(cursor_.suffix());
  } else if (c == '#') {
    attribute = parse_hash();
  } else if (c == '[') {
    attribute = parse_array();
  } else if (c == '{') {
    attribute.kind = Attribute::Kind::Map;
    cursor_.take("{");
    attribute.entries = parse_dictionary("}");
  } else if (c == '-' || (c >= '0' && c <= '9')) {
    attribute = parse_number();
  } else if (c == '!' || c == '(') {
    attribute.kind = Attribute::Kind::Type;
    if (c == '(') {
      cursor_.skip_balanced();  // the type of a function: its arguments and results say it again
    } else {
      attribute.type = parse_type();
    }
  } else {
    attribute = parse_bare();
  }
  attribute.position = position;
  --depth_;
  return attribute;
}

/// 7, 7 : i32, or a float, which no operator of integers has.
Attribute Parser::parse_number() {
  Attribute attribute;
  if (const auto value = cursor_.integer()) {
    attribute.kind = Attribute::Kind::Integer;
    attribute.integer = *value;
  } else {
    cursor_.take("-");
    cursor_.word();
    if (cursor_.take("+") || cursor_.take("-")) cursor_.word();
  }
  if (cursor_.take(":")) attribute.type = parse_type();
  return attribute;
}

/// After "dense<" or "dense_resource<".
Attribute Parser::parse_dense(bool is_resource) {
  Attribute attribute;
  attribute.kind = Attribute::Kind::Dense;
  attribute.dense.is_resource = is_resource;
  const size_t begin = cursor_.position();
  if (cursor_.peek() != '>') cursor_.skip_balanced();
  const std::string_view body = source_.text().substr(begin, cursor_.position() - begin);
  attribute.dense.body = body.substr(0, body.find_last_not_of(" \t\r\n") + 1);
  cursor_.expect(">");
  cursor_.expect(":");
  attribute.dense.type = parse_type();
  return attribute;
}

/// After "array<".
Attribute Parser::parse_integers() {
  Attribute attribute;
  attribute.kind = Attribute::Kind::Integers;
  cursor_.word();
  if (cursor_.take(":")) {
    do {
      if (cursor_.take_word("true")) {
        attribute.integers.push_back(1);
      } else if (cursor_.take_word("false")) {
        attribute.integers.push_back(0);
      } else if (const auto value = cursor_.integer()) {
        attribute.integers.push_back(*value);
      } else {
        cursor_.skip_balanced();  // floats
      }
    } while (cursor_.take(","));
  }
  cursor_.expect(">");
  return attribute;
}

Attribute Parser::parse_array() {
  Attribute attribute;
  attribute.kind = Attribute::Kind::Array;
  cursor_.expect("[");
  if (cursor_.take("]")) return attribute;
  do {
    attribute.items.push_back(parse_attribute());
  } while (cursor_.take(","));
  cursor_.expect("]");
  return attribute;
}

/// #ALIAS, #tosa.rounding_mode<WORD>, #tosa<rounding_mode WORD> or another dialect's #NAME<...>. A list of NAME = VALUE
/// between the brackets is a dictionary.
Attribute Parser::parse_hash() {
  cursor_.expect("#");
  const std::string_view name = cursor_.suffix();
  Attribute attribute;
  if (const auto alias = attribute_aliases_.find(name); alias != attribute_aliases_.end()) {
    const size_t back = cursor_.position();
    cursor_.move_to(alias->second);
    attribute = parse_attribute();
    charge_expansion(cursor_.position() - alias->second);
    cursor_.move_to(back);
    return attribute;
  }
  if (!cursor_.take("<")) return attribute;
  const size_t begin = cursor_.position();
  std::string_view word = cursor_.word();
  if (const std::string_view second = cursor_.word(); !second.empty()) word = second;
  if (cursor_.take(">")) {
    attribute.kind = Attribute::Kind::Word;
    attribute.text = word;
    return attribute;
  }
  const bool is_dictionary = !word.empty() && cursor_.take("=");
  cursor_.move_to(begin);
  if (is_dictionary) {
    attribute.kind = Attribute::Kind::Map;
    attribute.entries = parse_dictionary(">");
    return attribute;
  }
  cursor_.skip_balanced();
  while (cursor_.take(",")) cursor_.skip_balanced();
  cursor_.expect(">");
  return attribute;
}

Attribute Parser::parse_bare() {
  Attribute attribute;
  if (cursor_.take("dense<")) return parse_dense(false);
  if (cursor_.take("dense_resource<")) return parse_dense(true);
  if (cursor_.take("array<")) return parse_integers();
  if (cursor_.take("loc(")) {
    cursor_.skip_balanced();
    while (cursor_.take(",")) cursor_.skip_balanced();
    cursor_.expect(")");
    return attribute;
  }
  if (cursor_.take("tensor<")) {
    attribute.kind = Attribute::Kind::Type;
    attribute.type = parse_tensor();
    return attribute;
  }
  const size_t position = cursor_.position();
  const std::string_view word = cursor_.word();
  if (word.empty()) cursor_.fail("expected the value of an attribute, found {}", cursor_.found());
  attribute.text = word;
  if (word == "true" || word == "false") {
    attribute.kind = Attribute::Kind::Boolean;
    attribute.integer = word == "true" ? 1 : 0;
    return attribute;
  }
  if (cursor_.take("<")) {  // of a form that no operator of TOSA has: sparse<...>, affine_map<...>
    cursor_.skip_balanced();
    while (cursor_.take(",")) cursor_.skip_balanced();
    cursor_.expect(">");
    if (cursor_.take(":")) attribute.type = parse_type();
    return attribute;
  }
  const bool is_type = word.size() > 1 && (word[0] == 'i' || word[0] == 'f') && word[1] >= '0' && word[1] <= '9';
  attribute.kind = is_type ? Attribute::Kind::Type : Attribute::Kind::Word;
  if (!is_type) return attribute;
  cursor_.move_to(position);
  attribute.type = parse_scalar();
  return attribute;
}

Dictionary Parser::parse_dictionary(std::string_view end) {
  Dictionary dictionary;
  if (cursor_.take(end)) return dictionary;
  do {
    std::string name = cursor_.peek() == '"' ? cursor_.string() : std::string(cursor_.word());
    if (name.empty()) cursor_.fail("expected the name of an attribute, found {}", cursor_.found());
    Attribute value;
    value.position = cursor_.position();
    if (cursor_.take("=")) value = parse_attribute();
    if (find(dictionary, name) != nullptr) source_.fail(value.position, "attribute '{}' is given twice", name);
    dictionary.push_back({std::move(name), std::move(value)});
  } while (cursor_.take(","));
  cursor_.expect(end);
  return dictionary;
}

/// <{...}> and {...}, one or both or none.
void Parser::parse_optional_dictionary(Dictionary& dictionary) {
  const auto add = [&](Dictionary more) {
    for (NamedAttribute& entry : more) dictionary.push_back(std::move(entry));
  };
  if (cursor_.take("<{")) {
    add(parse_dictionary("}"));
    cursor_.expect(">");
  }
  if (cursor_.take("{")) add(parse_dictionary("}"));
}

}  // namespace vernier::import::mlir
