package strictjson

import (
	"bytes"
	"encoding/json"

	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
)

// A decoder builds the value of a text that json.Valid accepted and that is UTF-8.
type decoder struct {
	scan   jsonscan.Scanner
	copied string // the text, for strings without escapes and numbers to share
	depth  int    // levels left
	limit  int    // levels allowed
}

// value reads one value with the space before it.
func (w *decoder) value() (any, error) {
	w.scan.Next()
	switch w.scan.Text[w.scan.Pos] {
	case '{':
		return w.object()
	case '[':
		return w.list()
	case '"':
		s, err := w.string()
		if err != nil {
			return nil, err
		}
		return s, nil
	case 't':
		w.scan.Value()
		return true, nil
	case 'f':
		w.scan.Value()
		return false, nil
	case 'n':
		w.scan.Value()
		return nil, nil
	default:
		start := w.scan.Pos
		w.scan.Value()
		return json.Number(w.copied[start:w.scan.Pos]), nil
	}
}

func (w *decoder) object() (any, error) {
	if err := w.enter(); err != nil {
		return nil, err
	}
	object := map[string]any{}
	for w.scan.More() {
		key, err := w.string()
		if err != nil {
			return nil, err
		}
		v, err := w.value()
		if err != nil {
			return nil, prependPath(AppendKey("", key), err)
		}
		size := len(object)
		if object[key] = v; len(object) == size {
			return nil, &DuplicateKeyError{Key: key}
		}
	}
	w.leave()
	return object, nil
}

func (w *decoder) list() (any, error) {
	if err := w.enter(); err != nil {
		return nil, err
	}
	list := []any{}
	for w.scan.More() {
		v, err := w.value()
		if err != nil {
			return nil, prependPath(AppendIndex("", len(list)), err)
		}
		list = append(list, v)
	}
	w.leave()
	return list, nil
}

// enter steps over the bracket that opens an object or list.
func (w *decoder) enter() error {
	if w.depth == 0 {
		return &LimitError{Unit: "levels", Limit: w.limit}
	}
	w.depth--
	w.scan.Pos++
	return nil
}

// leave steps over the bracket that closes an object or list.
func (w *decoder) leave() {
	w.depth++
	w.scan.Pos++
}

// string reads a string, which is a part of the copy unless it has an escape.
func (w *decoder) string() (string, error) {
	start := w.scan.Pos
	literal := w.scan.Value()
	if bytes.IndexByte(literal, '\\') < 0 {
		return w.copied[start+1 : w.scan.Pos-1], nil
	}
	if i := jsonscan.IndexLoneSurrogate(literal); i >= 0 {
		return "", &SyntaxError{
			Offset: start + i,
			Msg: string(literal[i:i+len(`\uXXXX`)]) + " is half a character without its other half; " +
				"write the character itself",
		}
	}
	return jsonscan.Unquote(literal), nil
}
