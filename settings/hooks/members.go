package hooks

import (
	"encoding/json"
	"fmt"
	"strings"
)

// members are the members of an object of an answer. A member of another type than the one
// that is asked for is a problem, and reads as if it were not there; so does null, which is
// none. Names are case-sensitive, and of several members of one name the last counts.
type members struct {
	path     string // of the object, as a prefix of its members' names
	values   map[string]json.RawMessage
	problems *[]error
}

// readMembers reads an object.
func readMembers(text []byte) (m members, err error) {
	m.problems = new([]error)
	return m, json.Unmarshal(text, &m.values)
}

func (m members) get(name string) json.RawMessage {
	if v := m.values[name]; string(v) != "null" {
		return v
	}
	return nil
}

// read reads a member into v and reports whether it is there and of the type wanted.
func (m members) read(name string, v any, wanted string) bool {
	text := m.get(name)
	if text == nil {
		return false
	}
	if err := json.Unmarshal(text, v); err != nil {
		*m.problems = append(*m.problems, fmt.Errorf("%s%s is not %s", m.path, name, wanted))
		return false
	}
	return true
}

func (m members) text(name string) (s string) {
	m.read(name, &s, "a string")
	return s
}

// flag returns a member that is true or false, and otherwise the default.
func (m members) flag(name string, otherwise bool) bool {
	v := otherwise
	if !m.read(name, &v, "true or false") {
		return otherwise
	}
	return v
}

func (m members) texts(name string) []string {
	var list []string
	if !m.read(name, &list, "a list of strings") {
		return nil
	}
	return list
}

// object returns a member that is an object. If it is missing, it has no members.
func (m members) object(name string) members {
	inner := members{path: m.path + name + ".", problems: m.problems}
	m.read(name, &inner.values, "an object")
	return inner
}

// word returns a member that is one of a few words, or "".
func (m members) word(name string, allowed ...string) string {
	word := m.text(name)
	if m.get(name) == nil {
		return ""
	}
	for _, a := range allowed {
		if word == a {
			return a
		}
	}
	*m.problems = append(*m.problems, fmt.Errorf("%s%s is none of %s", m.path, name, strings.Join(allowed, ", ")))
	return ""
}

func (m members) problem(format string, args ...any) {
	*m.problems = append(*m.problems, fmt.Errorf(format, args...))
}
