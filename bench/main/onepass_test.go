package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/seed49eaa51d/pegboard/bench/harness"
)

// onePass decodes Input and checks its whole schema (types, required, no other
// property, no property twice) in one pass over the bytes. It is the physical
// floor: no reflection, no intermediate value. Escaped strings and numbers that
// are not plain integers go to encoding/json.
func onePass(b []byte) (in harness.Input, err error) {
	i := 0
	ws := func() {
		for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
			i++
		}
	}
	eat := func(c byte) bool {
		ws()
		if i < len(b) && b[i] == c {
			i++
			return true
		}
		return false
	}
	str := func() ([]byte, bool, bool) { // raw contents, has escapes, ok
		if !eat('"') {
			return nil, false, false
		}
		start, esc := i, false
		for ; i < len(b); i++ {
			switch c := b[i]; {
			case c == '"':
				i++
				return b[start : i-1], esc, true
			case c == '\\':
				esc = true
				i++
			case c < 0x20:
				return nil, false, false
			}
		}
		return nil, false, false
	}
	bad := func(what string) (harness.Input, error) {
		return in, fmt.Errorf("%s at byte %d", what, i)
	}
	if !eat('{') {
		return bad("want an object")
	}
	seen := 0
	for !eat('}') {
		if seen != 0 && !eat(',') {
			return bad("want a comma")
		}
		key, _, ok := str()
		if !ok || !eat(':') {
			return bad("want a key")
		}
		ws()
		bit := 0
		switch string(key) {
		case "path":
			bit = 1
			raw, esc, ok := str()
			if !ok {
				return bad("path: want a string")
			}
			if esc {
				if err := json.Unmarshal(append(append([]byte{'"'}, raw...), '"'), &in.Path); err != nil {
					return in, err
				}
			} else {
				in.Path = string(raw)
			}
		case "limit":
			bit = 2
			neg := i < len(b) && b[i] == '-'
			if neg {
				i++
			}
			start, n := i, 0
			for i < len(b) && b[i] >= '0' && b[i] <= '9' && i-start < 18 {
				n = n*10 + int(b[i]-'0')
				i++
			}
			if i == start || (i < len(b) && (b[i] == '.' || b[i] == 'e' || b[i] == 'E')) {
				return bad("limit: want an integer")
			}
			if neg {
				n = -n
			}
			in.Limit = n
		case "recursive":
			bit = 4
			switch {
			case bytes.HasPrefix(b[i:], []byte("true")):
				in.Recursive, i = true, i+4
			case bytes.HasPrefix(b[i:], []byte("false")):
				i += 5
			default:
				return bad("recursive: want a boolean")
			}
		default:
			return bad("unknown property")
		}
		if seen&bit != 0 {
			return bad("property twice")
		}
		seen |= bit
	}
	if ws(); i != len(b) {
		return bad("trailing data")
	}
	if seen != 7 {
		return bad("missing required property")
	}
	return in, nil
}
