package gemini

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// A step is one step of a path: to a member, or to an element.
type step struct {
	name    string
	index   int
	isIndex bool
}

var (
	errPath = errors.New("it is not a path to one argument")
	errDeep = errors.New("it is too deep")
)

// parsePath reads the part of RFC 9535 that names one value below the root, which is
// an object: $.a, $['a'], $["a"] and $.a[0].
func parsePath(path string) ([]step, error) {
	rest, ok := strings.CutPrefix(path, "$")
	if !ok {
		return nil, errPath
	}
	var steps []step
	for rest != "" {
		var s step
		switch {
		case strings.HasPrefix(rest, "['"), strings.HasPrefix(rest, `["`):
			s.name, rest, ok = quotedStep(rest[1:])
		case rest[0] == '[':
			var digits string
			digits, rest, ok = strings.Cut(rest[1:], "]")
			n, err := strconv.ParseUint(digits, 10, 31)
			s, ok = step{index: int(n), isIndex: true}, ok && err == nil
		default:
			s.name, rest, ok = dottedStep(rest)
		}
		if !ok || s.isIndex && len(steps) == 0 {
			return nil, errPath
		}
		if steps = append(steps, s); len(steps) >= strictjson.DefaultDepth {
			return nil, errDeep
		}
	}
	if len(steps) == 0 {
		return nil, errPath
	}
	return steps, nil
}

func dottedStep(s string) (name, rest string, ok bool) {
	if s[0] != '.' {
		return "", "", false
	}
	end := strings.IndexAny(s[1:], ".[")
	if end < 0 {
		return s[1:], "", len(s) > 1
	}
	return s[1 : 1+end], s[1+end:], end > 0
}

// quotedStep reads a name in quotes of either kind, and the bracket that follows.
func quotedStep(s string) (name, rest string, ok bool) {
	quote := s[0]
	text := []byte{'"'}
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == quote:
			rest, ok = strings.CutPrefix(s[i+1:], "]")
			ok = json.Unmarshal(append(text, '"'), &name) == nil && ok
			return name, rest, ok
		case c == '\\' && i+1 < len(s):
			i++
			if s[i] != '\'' { // JSON knows no such escape
				text = append(text, '\\')
			}
			text = append(text, s[i])
		case c == '"':
			text = append(text, '\\', '"')
		default:
			text = append(text, c)
		}
	}
	return "", "", false
}
