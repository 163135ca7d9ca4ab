package anthropic

import (
	"bytes"
	"encoding/json"
	"errors"
)

// object is a JSON object that keeps the order of its members and the bytes of
// their values, so that what is not changed goes back as it came.
type object []member

type member struct {
	name  string
	value json.RawMessage
}

var errNoObject = errors.New("not a JSON object")

func parseObject(raw []byte) (object, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, errNoObject
	}
	o := object{}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		text, _ := name.(string) // the decoder accepts nothing else here
		m := member{name: text}
		if err := dec.Decode(&m.value); err != nil {
			return nil, err
		}
		o = append(o, m)
	}
	_, err := dec.Token()
	return o, err
}

// get returns the value of a member, or nil.
func (o object) get(name string) json.RawMessage {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// text returns the value of a member if it is a string.
func (o object) text(name string) (s string, ok bool) {
	raw := o.get(name)
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	return s, json.Unmarshal(raw, &s) == nil
}

// set replaces a member in its place, or adds it at the end.
func (o *object) set(name string, value json.RawMessage) {
	for i, m := range *o {
		if m.name == name {
			(*o)[i].value = value
			return
		}
	}
	*o = append(*o, member{name, value})
}

func (o object) encode() json.RawMessage {
	var b []byte
	for i, m := range o {
		b = append(b, "{,"[min(i, 1)])
		b = append(b, quote(m.name)...)
		b = append(b, ':')
		b = append(b, m.value...)
	}
	if len(o) == 0 {
		b = append(b, '{')
	}
	return append(b, '}')
}

// list encodes a JSON array of values that are encoded already.
func list(values []json.RawMessage) json.RawMessage {
	size := len("[]")
	for _, v := range values {
		size += len(v) + len(",")
	}
	b := append(make([]byte, 0, size), '[')
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, v...)
	}
	return append(b, ']')
}

// quote encodes a string. Unlike json.Marshal it leaves <, > and & alone, which
// are common in what models write and read.
func quote(s string) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// isObject reports whether raw is a valid JSON object.
func isObject(raw []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(raw, " \t\r\n"), []byte("{")) && json.Valid(raw)
}
