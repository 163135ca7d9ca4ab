package strictjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// SyntaxError says where a text stops being JSON.
type SyntaxError struct {
	Offset int    // in bytes from the start, of the first that does not fit; the length if the text ends too early
	Path   string // of the value around it, such as items[2].name; "" at the root or where that is unknown
	Msg    string // what is wrong and what to do
}

// Error returns the message for a model.
func (e *SyntaxError) Error() string {
	at := ""
	if e.Path != "" {
		at = " in " + e.Path
	}
	return fmt.Sprintf("not valid JSON at byte %d%s: %s", e.Offset, at, e.Msg)
}

// DuplicateKeyError names a key that an object has twice.
type DuplicateKeyError struct {
	Path string // of the object, "" for the root
	Key  string // after unescaping
}

// Error returns the message for a model.
func (e *DuplicateKeyError) Error() string {
	at := ""
	if e.Path != "" {
		at = " in " + e.Path
	}
	return fmt.Sprintf("key %s appears twice%s; send it once", Quote(e.Key), at)
}

// LimitError says that a text is longer or deeper than allowed.
type LimitError struct {
	Unit  string // "bytes" or "levels"
	Limit int    // the most that is allowed
}

// Error returns the message for a model.
func (e *LimitError) Error() string {
	if e.Unit == "bytes" {
		return fmt.Sprintf("the JSON text is longer than %d bytes; send less at a time", e.Limit)
	}
	return fmt.Sprintf("the JSON value nests deeper than %d levels; send a flatter one", e.Limit)
}

// within puts the place of an enclosing value before that of err.
func within(segment string, err error) error {
	switch e := err.(type) { //nolint:errorlint // made in this package, never wrapped
	case *SyntaxError:
		e.Path = Join(segment, e.Path)
	case *DuplicateKeyError:
		e.Path = Join(segment, e.Path)
	}
	return err
}

func invalidText(data []byte) error {
	offset := 0
	for {
		r, size := utf8.DecodeRune(data[offset:])
		if r == utf8.RuneError && size <= 1 {
			break
		}
		offset += size
	}
	return &SyntaxError{Offset: offset, Msg: "the text is not UTF-8 here; send it again in UTF-8"}
}

// explain says why json.Valid refused data.
func explain(data []byte, l Limits) error {
	if len(strings.TrimSpace(string(data))) == 0 {
		return &SyntaxError{Msg: "the text is empty; send a JSON object, {} if there is nothing to say"}
	}
	var syntax *json.SyntaxError
	var discarded any
	if err := json.Unmarshal(data, &discarded); !errors.As(err, &syntax) {
		return &SyntaxError{Msg: "the text cannot be read; send one JSON object"}
	}
	cause := syntax.Error()
	if strings.Contains(cause, "max depth") {
		return &LimitError{Unit: "levels", Limit: l.Depth}
	}
	if strings.Contains(cause, "unexpected end") {
		return &SyntaxError{Offset: len(data), Msg: unfinished(data)}
	}
	offset := max(int(syntax.Offset)-1, 0)
	found, _ := utf8.DecodeRune(data[offset:])
	for _, p := range problems {
		if strings.Contains(cause, p.cause) {
			return &SyntaxError{Offset: offset, Msg: strings.ReplaceAll(p.msg, "%", strconv.QuoteRune(found))}
		}
	}
	return &SyntaxError{Offset: offset, Msg: strconv.QuoteRune(found) + " does not belong here; send the object again as valid JSON"}
}

// problems words the causes that encoding/json gives, % being the character
// found. The first that fits counts.
var problems = []struct{ cause, msg string }{
	{"after top-level value", "there is more text after the value; send one JSON object and nothing else"},
	{"'\\n' in string literal", `a line break inside a string; write it as \n`},
	{"'\\t' in string literal", `a tab inside a string; write it as \t`},
	{"in string literal", `the control character % inside a string; write it as an escape`},
	{"in string escape", `the backslash before % starts no escape; write \\ for a backslash`},
	{`in \u`, `\u needs four hexadecimal digits, found %; write the character itself`},
	{"beginning of object key", "found % where a key in double quotes is wanted; remove a comma too many or quote the key"},
	{"after object key:value", "found % where a comma or } is wanted; check the quotes and commas before it"},
	{"after object key", "found % where a colon is wanted after the key; check the quotes before it"},
	{"after array element", "found % where a comma or ] is wanted; check the quotes and commas before it"},
	{"beginning of value", "found % where a value is wanted; send an object, list, text in double quotes, number, true, false or null"},
	{"in literal", "found % inside a word; only true, false and null stand without quotes"},
	{"in numeric literal", "found % inside a number; write it in decimal, such as 12 or 0.5"},
}

// unfinished says what a text that ends too early ends in.
func unfinished(data []byte) string {
	inside := false
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			inside = !inside
		case '\\':
			i++
		}
	}
	if inside {
		return "the text ends inside a string; send the whole object again"
	}
	return "the text ends before the value is complete; send the whole object again"
}
