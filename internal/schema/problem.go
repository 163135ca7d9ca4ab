package schema

import (
	"cmp"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// A Problem is one fault of an input.
type Problem struct {
	Path    string // of the value, such as items[2].name; "" for the root
	Message string // the fault and the expected value, for a model
}

// String returns the path and the message.
func (p Problem) String() string {
	if p.Path == "" {
		return p.Message
	}
	return p.Path + ": " + p.Message
}

// Below reports whether the value is a property of the input, or a part of it.
func (p Problem) Below(property string) bool {
	rest, ok := strings.CutPrefix(p.Path, strictjson.AppendKey("", property))
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// comparePaths compares paths, numbers in them by value: items[2] precedes items[10].
func comparePaths(a, b string) int {
	for a != "" && b != "" {
		n, m := digits(a), digits(b)
		if n > 0 && m > 0 && n != m {
			return cmp.Compare(n, m)
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

// digits returns the number of digits at the start of s.
func digits(s string) int {
	return len(s) - len(strings.TrimLeft(s, "0123456789"))
}
