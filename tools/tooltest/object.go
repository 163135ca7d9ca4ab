package tooltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// An object is a JSON object that may contain a key twice.
type object []member

type member struct {
	key   string
	value json.RawMessage
}

// objectOf returns the fields ordered by key. The slice has no spare capacity, so
// that append copies it.
func objectOf(fields map[string]json.RawMessage) object {
	o := make(object, 0, len(fields))
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		o = append(o, member{key, fields[key]})
	}
	return o
}

func (o object) with(i int, m member) object {
	o = slices.Clone(o)
	o[i] = m
	return o
}

func (o object) String() string {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%s:%s", quoteKey(m.key), m.value)
	}
	b.WriteByte('}')
	return b.String()
}

func quoteKey(key string) string {
	b, err := json.Marshal(key)
	if err != nil { // impossible for a string
		return `""`
	}
	return string(b)
}
