package repair

import (
	"bytes"
	"fmt"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// Text repairs the text of an input so that strictjson decodes it, with the allowed kinds of
// repairs. If they do not suffice, or if the text needs no repair, it returns data itself
// and ok is false. It never changes data.
//
// Text does not repair an unfinished value, or a value followed by text that may belong to
// the input, such as a second object.
func Text(data []byte, allow Kinds) (repaired []byte, repairs []Repair, ok bool) {
	if len(data) > strictjson.DefaultBytes || isReadable(data) {
		return data, nil, false
	}
	body, fenced := data, false
	if allow.Has(CodeFence) {
		body, fenced = cutFence(data)
	}
	end := valueEnd(body)
	if end < 0 {
		return data, nil, false
	}
	if fenced {
		repairs = append(repairs, Repair{Kind: CodeFence, Note: "The code fence around the value was removed."})
	}
	value, rest := body[:end], bytes.TrimSpace(body[end:])
	if fenced {
		if rest, ok = bytes.CutPrefix(rest, []byte(fence)); !ok {
			return data, nil, false
		}
	}
	if len(bytes.TrimSpace(rest)) > 0 {
		if !allow.Has(TrailingText) || mayContinue(rest) {
			return data, nil, false
		}
		note := fmt.Sprintf("%d bytes of text after the value were cut.", len(rest))
		repairs = append(repairs, Repair{Kind: TrailingText, Note: note})
	}
	if allow.Has(ControlCharacters) {
		var count int
		if value, count = escapeControls(value); count > 0 {
			note := fmt.Sprintf("%d control characters in strings were written as escapes.", count)
			repairs = append(repairs, Repair{Kind: ControlCharacters, Note: note})
		}
	}
	if !isReadable(value) {
		return data, nil, false
	}
	return bytes.Clone(value), repairs, true
}

func isReadable(data []byte) bool {
	_, err := strictjson.Decode(data, strictjson.Limits{})
	return err == nil
}

const fence = "```"

// cutFence removes a fence at the start of data, with the name of a language.
func cutFence(data []byte) (body []byte, fenced bool) {
	body, fenced = bytes.CutPrefix(bytes.TrimSpace(data), []byte(fence))
	if !fenced {
		return data, false
	}
	return bytes.TrimLeftFunc(body, func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}), true
}

// valueEnd returns the end of the object or list at the start of data, or -1.
func valueEnd(data []byte) int {
	start := len(data) - len(bytes.TrimLeft(data, " \t\r\n"))
	if start == len(data) || data[start] != '{' && data[start] != '[' {
		return -1
	}
	depth, inside := 0, false
	for i := start; i < len(data); i++ {
		switch c := data[i]; {
		case inside && c == '\\':
			i++
		case c == '"':
			inside = !inside
		case inside:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// mayContinue reports whether rest, the text after a value, may belong to the input: after a
// bracket closed too early, or as a second value.
func mayContinue(rest []byte) bool {
	return bytes.ContainsAny(rest, `{["`) || bytes.HasPrefix(bytes.TrimLeft(rest, "}] \t\r\n"), []byte(","))
}

// escapeControls replaces the raw control characters in the strings of data with escapes,
// and returns their number. It leaves a character after a backslash, since the meaning of
// the two is not certain.
func escapeControls(data []byte) (repaired []byte, count int) {
	var out []byte
	copied, inside := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inside && c == '\\':
			i++
		case c == '"':
			inside = !inside
		case inside && c < ' ':
			quoted := strictjson.AppendQuoted(nil, string(rune(c)))
			out = append(out, data[copied:i]...)
			out = append(out, quoted[1:len(quoted)-1]...)
			copied = i + 1
			count++
			if len(out) > strictjson.DefaultBytes {
				return data, 0 // strictjson refuses so long a text
			}
		}
	}
	if count == 0 {
		return data, 0
	}
	return append(out, data[copied:]...), count
}
