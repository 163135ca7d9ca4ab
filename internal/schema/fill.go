package schema

import (
	"bytes"
	"reflect"
	"strconv"
	"strings"
)

// A Filler fills structs of one type with what encoding/json would put into
// them. It knows strings, booleans and numbers, and leaves what is rare to
// encoding/json. Nil knows nothing.
type Filler struct{ fields []plainField }

// plainField is a field that encoding/json fills by its kind.
type plainField struct {
	name  []byte
	index int
}

// FillerOf returns the Filler of t, or nil if encoding/json has its own ways with
// it.
func FillerOf(t reflect.Type) *Filler {
	if t.Kind() != reflect.Struct || decoderOf(t) != decodesPlain {
		return nil
	}
	f := &Filler{}
	for i := range t.NumField() {
		field := t.Field(i)
		if field.Anonymous {
			return nil // its fields count as those of t
		}
		tag := field.Tag.Get("json")
		if !field.IsExported() || tag == "-" {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		if name == "" {
			name = field.Name
		}
		if !isPlainName(name) || strings.Contains(options, "string") || f.field([]byte(name)) >= 0 {
			return nil
		}
		index := i
		if decoderOf(field.Type) != decodesPlain {
			index = -1
		}
		f.fields = append(f.fields, plainField{name: []byte(name), index: index})
	}
	return f
}

// isPlainName reports whether encoding/json takes a tag's name as it is.
func isPlainName(name string) bool {
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}

// field returns the place of a field that is called just so, or -1.
func (f *Filler) field(name []byte) int {
	for i := range f.fields {
		if bytes.Equal(f.fields[i].name, name) {
			return i
		}
	}
	return -1
}

// Fill stores the object in text, which a schema of the struct accepts. False
// means that it did not, and what is in the struct then means nothing.
func (f *Filler) Fill(into reflect.Value, text []byte) bool {
	if f == nil {
		return false
	}
	r := reading{text: text}
	r.space()
	if !r.word("{") {
		return false
	}
	for first := true; r.another('}', first); first = false {
		r.space()
		key, ok := r.plainString()
		i := f.field(key)
		if !ok || i < 0 || f.fields[i].index < 0 {
			return false // encoding/json also takes a key of other letter case
		}
		r.space()
		if !r.word(":") {
			return false
		}
		r.space()
		if !r.fill(into.Field(f.fields[i].index)) {
			return false
		}
	}
	return r.peek() == '}'
}

// fill stores the value that comes next.
func (r *reading) fill(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String:
		text, ok := r.unescaped()
		v.SetString(text)
		return ok
	case reflect.Bool:
		v.SetBool(r.peek() == 't')
		return r.word("true") || r.word("false")
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, err := strconv.ParseInt(string(r.numeral()), 10, v.Type().Bits())
		v.SetInt(n)
		return err == nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n, err := strconv.ParseUint(string(r.numeral()), 10, v.Type().Bits())
		v.SetUint(n)
		return err == nil
	case reflect.Float32, reflect.Float64:
		n, err := strconv.ParseFloat(string(r.numeral()), v.Type().Bits())
		v.SetFloat(n)
		return err == nil
	case reflect.Pointer:
		if r.peek() == 'n' || decoderOf(v.Type().Elem()) != decodesPlain {
			return false
		}
		v.Set(reflect.New(v.Type().Elem()))
		return r.fill(v.Elem())
	}
	return false
}

// plainString steps over a string without escapes, of a text that is valid, and
// returns what it says.
func (r *reading) plainString() (content []byte, ok bool) {
	if r.peek() != '"' {
		return nil, false
	}
	r.pos++
	n := bytes.IndexByte(r.text[r.pos:], '"')
	if n < 0 {
		return nil, false
	}
	content = r.text[r.pos : r.pos+n]
	r.pos += n + 1
	return content, bytes.IndexByte(content, '\\') < 0
}

// unescaped steps over a string, of a text that is valid, and returns what it says.
func (r *reading) unescaped() (text string, ok bool) {
	start := r.pos
	if content, ok := r.plainString(); ok {
		return string(content), true
	}
	r.pos = start
	content, _, ok := r.string()
	if !ok {
		return "", false
	}
	return resolveEscapes(content)
}

// numeral steps over a number and returns its text.
func (r *reading) numeral() []byte {
	start := r.pos
	for r.pos < len(r.text) && (r.text[r.pos] >= '0' && r.text[r.pos] <= '9' || bytes.IndexByte([]byte("+-.eE"), r.text[r.pos]) >= 0) {
		r.pos++
	}
	return r.text[start:r.pos]
}
