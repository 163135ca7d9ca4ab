package frontmatter

import (
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// A Value is a value of a head. The zero Value is null. The methods that decode it return an
// *Error if it is of another type.
type Value struct {
	node *yaml.Node
}

// Null reports whether nothing or null is written as the value.
func (v Value) Null() bool { return v.node == nil || isNull(v.scalar()) }

// Line returns the line of the value in the file, counted from 1. The zero Value has line 0.
func (v Value) Line() int {
	if v.node == nil {
		return 0
	}
	return lineOf(v.node)
}

// Text returns the text of a value that is no list and no map: of a number or a date, as it is
// written. That of null is empty.
func (v Value) Text() (string, error) {
	n := v.scalar()
	switch {
	case v.Null():
		return "", nil
	case n.Kind != yaml.ScalarNode:
		return "", v.wrong("a text")
	}
	return n.Value, nil
}

// Bool returns a value that is true or false, maybe in quotes. Null is false.
func (v Value) Bool() (bool, error) {
	n := v.scalar()
	if v.Null() {
		return false, nil
	}
	if n.Kind == yaml.ScalarNode {
		switch n.Value {
		case "true", "True", "TRUE":
			return true, nil
		case "false", "False", "FALSE":
			return false, nil
		}
	}
	return false, v.wrong("true or false")
}

// Int returns a whole number that is written in decimal digits, maybe in quotes. Null is 0. A
// number that begins with 0 and has more digits is an error, since it may be meant octal.
func (v Value) Int() (int, error) {
	n := v.scalar()
	if v.Null() {
		return 0, nil
	}
	if n.Kind == yaml.ScalarNode {
		digits := strings.TrimPrefix(n.Value, "-")
		if i, err := strconv.Atoi(n.Value); err == nil && (digits == "0" || digits[0] != '0') && n.Value[0] != '+' {
			return i, nil
		}
	}
	return 0, v.wrong("a whole number, in decimal digits")
}

// List returns the texts of a list, or the items of a text, see [SplitList]. An element of a list
// is one text whatever commas it has; space around it is cut, and empty ones are left out. Null
// is nil, an empty list or text is not nil.
func (v Value) List() ([]string, error) {
	n := v.scalar()
	switch {
	case v.Null():
		return nil, nil
	case n.Kind == yaml.ScalarNode:
		return SplitList(n.Value), nil
	case n.Kind != yaml.SequenceNode:
		return nil, v.wrong("a list, or a text with commas")
	}
	all := make([]string, 0, len(n.Content))
	for _, element := range n.Content {
		text, err := (Value{node: element}).Text()
		if err != nil {
			return nil, err
		}
		if text = strings.TrimSpace(text); text != "" {
			all = append(all, text)
		}
	}
	return all, nil
}

// SplitList splits a text at commas and blanks outside of parentheses and braces. One that is
// never closed holds the rest. The result is never nil.
func SplitList(text string) []string {
	all := []string{}
	start, depth := 0, 0
	end := func(at int) {
		if start < at {
			all = append(all, text[start:at])
		}
		start = at + 1
	}
	for i := range len(text) {
		switch c := text[i]; c {
		case '(', '{':
			depth++
		case ')', '}':
			depth = max(depth-1, 0)
		case ',', ' ', '\t', '\n', '\r':
			if depth == 0 {
				end(i)
			}
		}
	}
	end(len(text))
	return all
}

// JSON returns the value as JSON. The keys of maps keep their order. A number that JSON can
// write keeps its digits. A date is a string. The error says that a number is infinite or none.
func (v Value) JSON() (json.RawMessage, error) {
	if v.node == nil {
		return json.RawMessage("null"), nil
	}
	return appendJSON(nil, v.node)
}

func appendJSON(to []byte, n *yaml.Node) (_ []byte, err error) {
	n = followed(n)
	switch n.Kind {
	case yaml.MappingNode:
		to = append(to, '{')
		for key, value := range pairs(n) {
			if to[len(to)-1] != '{' {
				to = append(to, ',')
			}
			to = append(strictjson.AppendQuoted(to, key.Value), ':')
			if to, err = appendJSON(to, value); err != nil {
				return nil, err
			}
		}
		return append(to, '}'), nil
	case yaml.SequenceNode:
		to = append(to, '[')
		for i, element := range n.Content {
			if i > 0 {
				to = append(to, ',')
			}
			if to, err = appendJSON(to, element); err != nil {
				return nil, err
			}
		}
		return append(to, ']'), nil
	}
	return appendScalar(to, n)
}

// appendScalar is appendJSON for a value that is no list and no map.
func appendScalar(to []byte, n *yaml.Node) ([]byte, error) {
	switch tag := n.ShortTag(); tag {
	case "!!null":
		return append(to, "null"...), nil
	case "!!bool":
		return append(to, strings.ToLower(n.Value)...), nil
	case "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			return append(to, n.Value...), nil
		}
		var number any
		if err := n.Decode(&number); err != nil {
			return nil, errorAt(lineOf(n), "%s is not a number", strictjson.Quote(n.Value))
		}
		if f, ok := number.(float64); ok && (math.IsInf(f, 0) || math.IsNaN(f)) {
			return nil, errorAt(lineOf(n), "JSON has no number %s; put it into double quotes", strictjson.Quote(n.Value))
		}
		text, err := json.Marshal(number)
		if err != nil {
			return nil, errorAt(lineOf(n), "%s: %w", strictjson.Quote(n.Value), err)
		}
		return append(to, text...), nil
	}
	return strictjson.AppendQuoted(to, n.Value), nil
}

// wrong returns the error of a value of another type than want.
func (v Value) wrong(want string) error {
	return errorAt(v.Line(), "there is %s; write %s", describe(v.node), want)
}

// scalar returns the node, or that of its alias, or nil.
func (v Value) scalar() *yaml.Node {
	if v.node == nil {
		return nil
	}
	return followed(v.node)
}

// followed returns the node that an alias stands for. The tree was checked, so that no alias is
// part of itself.
func followed(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// pairs returns the keys and values of a map.
func pairs(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(followed(n.Content[i]), n.Content[i+1]) {
				return
			}
		}
	}
}

func isNull(n *yaml.Node) bool {
	return n == nil || n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// lineOf returns the line of a node in the file. The head begins in its second line.
func lineOf(n *yaml.Node) int { return n.Line + 1 }

// describe returns a short description of a value for a message.
func describe(n *yaml.Node) string {
	switch n = followed(n); n.Kind {
	case yaml.MappingNode:
		return "a map"
	case yaml.SequenceNode:
		return "a list"
	}
	if n.ShortTag() == "!!str" {
		return "the text " + strictjson.Quote(strictjson.Cut(n.Value))
	}
	return fmt.Sprintf("the value %s", strictjson.Cut(n.Value))
}
