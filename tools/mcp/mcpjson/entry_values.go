package mcpjson

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// whole returns a number that has no fraction.
func whole(v any) (n int64, ok bool) {
	number, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	if n, err := strconv.ParseInt(number.String(), 10, 64); err == nil {
		return n, true
	}
	f, err := number.Float64()
	if err != nil || f != math.Trunc(f) {
		return 0, false
	}
	if math.Abs(f) >= math.MaxInt64 {
		return math.MaxInt64, f > 0
	}
	return int64(f), true
}

// text returns a string of the entry, "" if it is missing.
func (e *entry) text(key string) string { return e.textAt(key, e.values[key]) }

func (e *entry) textAt(path string, v any) string {
	text, ok := v.(string)
	if !ok && v != nil {
		e.skip(path, "the value is not a string; write it in double quotes")
	}
	return text
}

func (e *entry) boolean(key string) bool {
	v, given := e.values[key]
	b, ok := v.(bool)
	if given && !ok {
		e.hint(key, "the value has no effect; write true or false")
	}
	return b
}

func (e *entry) list(key string) []string { return e.listAt(key, e.values[key]) }

func (e *entry) listAt(path string, v any) []string {
	values, ok := v.([]any)
	if !ok && v != nil {
		e.skip(path, `the value is not a list of strings; write ["one", "two"]`)
	}
	var texts []string
	for i, element := range values {
		at := strictjson.AppendIndex(path, i)
		if element == nil {
			e.skip(at, "null is not a string; take it out")
		}
		texts = append(texts, e.textAt(at, element))
	}
	return texts
}

// object returns an object of strings with its variables replaced. What names a member, such
// as "a header", for the case that allowed refuses its name.
func (e *entry) object(key, what string, allowed func(name string) bool) map[string]string {
	v, given := e.values[key]
	if !given {
		return nil
	}
	values, ok := v.(map[string]any)
	if !ok {
		e.skip(key, `the value is not an object of strings; write {"NAME": "value"}`)
		return nil
	}
	texts := make(map[string]string, len(values))
	seen := make(map[string]bool, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		path := strictjson.AppendKey(key, name)
		switch {
		case key == "headers" && seen[strings.ToLower(name)]:
			e.skip(path, "the header is there twice, in upper and lower case; write it once")
		case !allowed(name):
			e.skip(path, what+" cannot have that name")
		case values[name] == nil:
			e.skip(path, `null is not a string; take it out or write ""`)
		default:
			texts[name] = e.expanded(path, e.textAt(path, values[name]))
		}
		seen[strings.ToLower(name)] = true
	}
	return texts
}

// expanded returns a text with its variables replaced.
func (e *entry) expanded(path, text string) string {
	x := expand(text, e.lookup)
	unusable := strings.ContainsRune(x.text, 0)
	if strings.HasPrefix(path, "headers") {
		unusable = strings.ContainsAny(x.text, "\x00\r\n")
	}
	switch {
	case x.fault != "":
		e.skip(path, x.fault)
	case unusable:
		e.skip(path, "the value holds a control character that cannot be passed on; take it out")
	case x.hint != "":
		e.hint(path, x.hint)
	}
	return x.text
}

// isToken reports whether name can be the name of an HTTP header.
func isToken(name string) bool {
	for _, c := range []byte(name) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return name != ""
}
