package schema

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
)

var (
	jsonEncoderType = reflect.TypeFor[json.Marshaler]()
	textEncoderType = reflect.TypeFor[encoding.TextMarshaler]()
)

// CheckOutput returns an error for the first part of t that encoding/json can never encode,
// such as a func. It does not look into interfaces, or into types that encode themselves.
func CheckOutput(t reflect.Type) error {
	c := outputCheck{seen: map[reflect.Type]bool{}}
	return c.check(t, cmp.Or(t.Name(), t.String()))
}

// An outputCheck checks a type and the types in it.
type outputCheck struct{ seen map[reflect.Type]bool }

// check checks t at a path of Go names.
func (c outputCheck) check(t reflect.Type, at string) error {
	if c.seen[t] || encodesItself(t) {
		return nil
	}
	c.seen[t] = true
	switch t.Kind() {
	case reflect.Func, reflect.Chan, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer:
		return fmt.Errorf("%s: a %s has no JSON form; leave it out with the tag json:\"-\"", at, t)
	case reflect.Pointer:
		return c.check(t.Elem(), at)
	case reflect.Slice, reflect.Array:
		return c.check(t.Elem(), at+"[]")
	case reflect.Map:
		if k := t.Key().Kind(); k != reflect.String && (k < reflect.Int || k > reflect.Uintptr) && !t.Key().Implements(textEncoderType) {
			return fmt.Errorf("%s: the keys of %s are no strings; use a map with string keys", at, t)
		}
		return c.check(t.Elem(), at+"[]")
	case reflect.Struct:
		if embedsItself(t) {
			return nil // encoding/json does without the inner one
		}
		for _, f := range encodedFieldsOf(t) {
			if err := c.check(f.Type, at+"."+f.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// embedsItself reports whether t, which is embedded in others, embeds itself or one of them.
func embedsItself(t reflect.Type, others ...reflect.Type) bool {
	if slices.Contains(others, t) {
		return true
	}
	for i := range t.NumField() {
		if inner, ok := embedded(t.Field(i)); ok && embedsItself(inner, append(others, t)...) {
			return true
		}
	}
	return false
}

// encodesItself reports whether t, or a pointer to it, has a method that encodes it.
func encodesItself(t reflect.Type) bool {
	for _, t := range []reflect.Type{t, reflect.PointerTo(t)} {
		if t.Implements(jsonEncoderType) || t.Implements(textEncoderType) {
			return true
		}
	}
	return false
}
