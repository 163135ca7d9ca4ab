package schema

import (
	"bytes"
	"reflect"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
)

// A Filler decodes JSON objects into structs of one type, faster than encoding/json and with
// the same result. It supports fields that are strings, booleans, numbers and pointers to
// them. A nil Filler supports no struct.
type Filler struct{ fields []plainField }

// A plainField is a field of a struct.
type plainField struct {
	name  []byte
	index int // in the struct; -1 for a type with its own decoder
}

// FillerOf returns the Filler of t, or nil if encoding/json decodes t in a way that a Filler
// does not support.
func FillerOf(t reflect.Type) *Filler {
	if t.Kind() != reflect.Struct || decoderOf(t) != decodesPlain {
		return nil
	}
	f := &Filler{}
	for i := range t.NumField() {
		field := t.Field(i)
		if field.Anonymous {
			return nil // fields of the embedded struct count as fields of t
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

// isPlainName reports whether encoding/json accepts the name in a tag.
func isPlainName(name string) bool {
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}

// field returns the index in f.fields of the field with exactly that name, or -1.
func (f *Filler) field(name []byte) int {
	for i := range f.fields {
		if bytes.Equal(f.fields[i].name, name) {
			return i
		}
	}
	return -1
}

// Fill decodes the object in text, which the schema of the struct must accept. If it returns
// false, the content of the struct is undefined.
func (f *Filler) Fill(into reflect.Value, text []byte) bool {
	if f == nil {
		return false
	}
	s := jsonscan.Scanner{Text: text}
	s.Next()
	if text[s.Pos] != '{' {
		return false
	}
	for s.Pos++; s.More(); {
		key, value := s.Value(), s.Value()
		i := f.field(key[1 : len(key)-1])
		if i < 0 || f.fields[i].index < 0 {
			return false // encoding/json accepts keys in other letter case and with escapes
		}
		if !fill(into.Field(f.fields[i].index), value) {
			return false
		}
	}
	return true
}

// fill decodes the text of a value.
func fill(v reflect.Value, text []byte) bool {
	switch v.Kind() {
	case reflect.String:
		if text[0] != '"' {
			return false
		}
		v.SetString(jsonscan.Unquote(text))
		return true
	case reflect.Bool:
		v.SetBool(text[0] == 't')
		return text[0] == 't' || text[0] == 'f'
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, err := strconv.ParseInt(string(text), 10, v.Type().Bits())
		v.SetInt(n)
		return err == nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n, err := strconv.ParseUint(string(text), 10, v.Type().Bits())
		v.SetUint(n)
		return err == nil
	case reflect.Float32, reflect.Float64:
		n, err := strconv.ParseFloat(string(text), v.Type().Bits())
		v.SetFloat(n)
		return err == nil
	case reflect.Pointer:
		if text[0] == 'n' || decoderOf(v.Type().Elem()) != decodesPlain {
			return false
		}
		v.Set(reflect.New(v.Type().Elem()))
		return fill(v.Elem(), text)
	}
	return false
}
