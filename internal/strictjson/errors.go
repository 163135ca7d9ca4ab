package strictjson

import (
	"bytes"
	"fmt"
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

// prependPath puts the place of an enclosing value before that of err.
func prependPath(segment string, err error) error {
	switch e := err.(type) { //nolint:errorlint // made in this package, never wrapped
	case *SyntaxError:
		e.Path = Join(segment, e.Path)
	case *DuplicateKeyError:
		e.Path = Join(segment, e.Path)
	}
	return err
}

func invalidUTF8(data []byte) error {
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
