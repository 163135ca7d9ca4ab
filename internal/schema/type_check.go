package schema

import (
	"cmp"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// checkType returns an error for the first field under t that encoding/json cannot decode or
// that a schema cannot describe.
func checkType(t reflect.Type) error {
	c := typeCheck{seen: map[reflect.Type]bool{}}
	return c.check(t, cmp.Or(t.Name(), t.String()))
}

// A typeCheck checks a type and the types in it.
type typeCheck struct {
	seen      map[reflect.Type]bool
	embedding []reflect.Type // the structs that embed the checked one
}

// check checks t at a path of Go names.
func (c *typeCheck) check(t reflect.Type, at string) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if c.seen[t] || decoderOf(t) != decodesPlain {
		return nil
	}
	c.seen[t] = true
	switch t.Kind() {
	case reflect.Struct:
		return c.checkStruct(t, at)
	case reflect.Map:
		if !isKey(t.Key()) {
			return fmt.Errorf("%s: the keys of %s are no strings; use a map with string keys", at, t)
		}
		return c.check(t.Elem(), at+"[]")
	case reflect.Slice, reflect.Array:
		return c.check(t.Elem(), at+"[]")
	case reflect.Interface:
		if t.NumMethod() > 0 {
			return fmt.Errorf("%s: JSON cannot say which %s to make; use a concrete type", at, t)
		}
	case reflect.Func, reflect.Chan, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer, reflect.Uintptr:
		return fmt.Errorf("%s: a %s has no JSON form; leave the field out with the tag json:\"-\"", at, t)
	}
	return nil
}

func (c *typeCheck) checkStruct(t reflect.Type, at string) error {
	if t == reflect.TypeFor[url.URL]() {
		return fmt.Errorf("%s: encoding/json does not read a url.URL from text; use a string", at)
	}
	if err := c.checkEmbedding(t, at); err != nil {
		return err
	}
	for _, f := range fieldsOf(t) {
		if f.name == "-" {
			return fmt.Errorf("%s.%s: a property cannot have the name -", at, f.Name)
		}
		if err := checkTags(f.Tag); err != nil {
			return fmt.Errorf("%s.%s: %w", at, f.Name, err)
		}
		if err := c.check(f.Type, at+"."+f.Name); err != nil {
			return err
		}
	}
	return nil
}

// checkEmbedding refuses embedded structs that cannot be flattened or that encoding/json
// cannot set.
func (c *typeCheck) checkEmbedding(t reflect.Type, at string) error {
	if slices.Contains(c.embedding, t) {
		return fmt.Errorf("%s: the type %s embeds itself", at, t)
	}
	c.embedding = append(c.embedding, t)
	for i := range t.NumField() {
		f := t.Field(i)
		path := at + "." + f.Name
		if _, options, _ := strings.Cut(f.Tag.Get("json"), ","); slices.Contains(strings.Split(options, ","), "inline") {
			return fmt.Errorf("%s: encoding/json knows no tag option inline; embed the struct", path)
		}
		inner, ok := embedded(f)
		if !ok || f.Tag.Get("json") == "-" {
			continue
		}
		if f.Type.Kind() == reflect.Pointer && !f.IsExported() {
			return fmt.Errorf("%s: encoding/json cannot set an embedded pointer of an unexported type; embed the struct", path)
		}
		if err := c.checkEmbedding(inner, path); err != nil {
			return err
		}
	}
	c.embedding = c.embedding[:len(c.embedding)-1]
	return nil
}

// isKey reports whether encoding/json decodes object keys into t.
func isKey(t reflect.Type) bool {
	switch k := t.Kind(); {
	case k == reflect.String, reflect.Int <= k && k <= reflect.Uint64:
		return true
	default:
		return reflect.PointerTo(t).Implements(textDecoderType)
	}
}

// typeNames gives each type its own name in a schema. The library would give the same name to
// types of the same name in two packages.
type typeNames struct {
	names map[reflect.Type]string
	types map[string]reflect.Type
}

func newTypeNames() *typeNames {
	return &typeNames{names: map[reflect.Type]string{}, types: map[string]reflect.Type{}}
}

// of returns the name of t, or "" if t gets no definition of its own. Unnamed structs get a
// name too, by which fixProperties finds them.
func (n *typeNames) of(t reflect.Type) string {
	if name, ok := n.names[t]; ok {
		return name
	}
	word := strings.Trim(strings.Map(wordRune, t.Name()), "_")
	if word == "" {
		if t.Kind() != reflect.Struct {
			return ""
		}
		word = "Object"
	}
	name := word
	for i := 2; n.types[name] != nil; i++ {
		name = word + strconv.Itoa(i)
	}
	n.names[t], n.types[name] = name, t
	return name
}

// wordRune replaces runes that would need an escape in a reference with an underscore.
func wordRune(r rune) rune {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return r
	default:
		return '_'
	}
}
