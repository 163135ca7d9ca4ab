package strictjson

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// A SyntaxError is the first place where a text is not JSON.
type SyntaxError struct {
	Offset int    // of the first wrong byte; the length if the text ends too early
	Path   string // of the value around it, such as items[2].name; "" at the root or if unknown
	Msg    string // the fault and the remedy
}

// Error returns the message for a model.
func (e *SyntaxError) Error() string {
	at := ""
	if e.Path != "" {
		at = " in " + e.Path
	}
	return fmt.Sprintf("not valid JSON at byte %d%s: %s", e.Offset, at, e.Msg)
}

// A DuplicateKeyError names a key that an object repeats.
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

// A LimitError means that a text is too long or nests too deep.
type LimitError struct {
	Unit  string // "bytes" or "levels"
	Limit int    // the allowed maximum
}

// Error returns the message for a model.
func (e *LimitError) Error() string {
	if e.Unit == "bytes" {
		return fmt.Sprintf("the JSON text is longer than %d bytes; send less at a time", e.Limit)
	}
	return fmt.Sprintf("the JSON value nests deeper than %d levels; send a flatter one", e.Limit)
}

// prependPath prepends the path of an enclosing value to the path of err.
func prependPath(segment string, err error) error {
	switch e := err.(type) { //nolint:errorlint // errors of this package, never wrapped
	case *SyntaxError:
		e.Path = Join(segment, e.Path)
	case *DuplicateKeyError:
		e.Path = Join(segment, e.Path)
	}
	return err
}

func invalidUTF8(data []byte) error {
	return &SyntaxError{Offset: IndexInvalidUTF8(data), Msg: "the text is not UTF-8 here; send it again in UTF-8"}
}

// IndexInvalidUTF8 returns the offset of the first byte that is not UTF-8, or the length of
// data if all of it is.
func IndexInvalidUTF8(data []byte) int {
	offset := 0
	for offset < len(data) {
		r, size := utf8.DecodeRune(data[offset:])
		if r == utf8.RuneError && size <= 1 {
			break
		}
		offset += size
	}
	return offset
}

// explain returns the reason why json.Valid refused data.
func explain(data []byte, l Limits) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return &SyntaxError{Msg: "the text is empty; send a JSON object, {} if there is nothing to say"}
	}
	fault := FindFault(data)
	switch {
	case fault == nil:
		return &SyntaxError{Msg: "the text cannot be read; send one JSON object"}
	case fault.TooDeep:
		return &LimitError{Unit: "levels", Limit: l.Depth}
	}
	return &SyntaxError{Offset: fault.Offset, Msg: fault.What + "; " + fault.Advice}
}
