package dialect

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// The limits of OpenAI for strict schemas. Source: OpenAI's guide to structured outputs.
const (
	maxProperties     = 5000
	maxNesting        = 10
	maxCharacters     = 120_000
	maxEnum           = 1000
	longEnum          = 250
	maxLongEnumLength = 15_000
)

// openAISize holds the amounts that OpenAI limits in a schema.
type openAISize struct {
	properties, characters, enum int
}

// withinOpenAI returns a refusal of a strict schema that is above the limits.
func withinOpenAI(root *jsonobject.Tree) error {
	var s openAISize
	if err := s.add(root); err != nil {
		return err
	}
	d := depths{doc: root, known: map[*jsonobject.Tree]int{}}
	switch levels := d.of(root); {
	case s.properties > maxProperties:
		return &RefusalError{Reason: fmt.Sprintf("it has %d properties; strict schemas have at most %d", s.properties, maxProperties)}
	case levels > maxNesting:
		return &RefusalError{Reason: fmt.Sprintf("it is nested more than %d levels deep; strict schemas are not", maxNesting)}
	case s.characters > maxCharacters:
		return &RefusalError{Reason: fmt.Sprintf("its names and values have %d characters; those of strict schemas have at most %d", s.characters, maxCharacters)}
	case s.enum > maxEnum:
		return &RefusalError{Reason: fmt.Sprintf("it lists %d values; strict schemas list at most %d", s.enum, maxEnum)}
	}
	return nil
}

// add counts in a schema and in the schemas below it.
func (s *openAISize) add(o *jsonobject.Tree) error {
	if o == nil {
		return nil
	}
	long := 0
	enum := o.List("enum")
	for _, v := range enum {
		text, isText := v.(string)
		if !isText {
			text = string(jsonobject.Encode(v))
		}
		long += utf8.RuneCountInString(text)
	}
	s.characters += long
	s.enum += len(enum)
	if len(enum) > longEnum && long > maxLongEnumLength {
		return &RefusalError{Reason: fmt.Sprintf("a list of %d values has %d characters; strict schemas have at most %d", len(enum), long, maxLongEnumLength)}
	}
	for _, keyword := range []string{"properties", "$defs"} {
		named := o.Child(keyword)
		if keyword == "properties" {
			s.properties += named.Len()
		}
		for name, value := range named.All() {
			s.characters += utf8.RuneCountInString(name)
			below, _ := value.(*jsonobject.Tree)
			if err := s.add(below); err != nil {
				return err
			}
		}
	}
	for _, v := range slices.Concat(o.List("anyOf"), []any{o.Child("items")}) {
		below, _ := v.(*jsonobject.Tree)
		if err := s.add(below); err != nil {
			return err
		}
	}
	return nil
}

// depths counts nested objects and lists. It follows references, but not one that leads back.
type depths struct {
	doc   *jsonobject.Tree
	known map[*jsonobject.Tree]int
}

// of returns the number of levels of a schema.
func (d *depths) of(s *jsonobject.Tree) int {
	if s == nil {
		return 0
	}
	if levels, ok := d.known[s]; ok {
		return levels
	}
	d.known[s] = 0
	deepest := 0
	if ref := s.Text("$ref"); strings.HasPrefix(ref, "#") {
		v, _ := d.doc.Find(ref)
		target, _ := v.(*jsonobject.Tree)
		deepest = d.of(target)
	}
	for _, v := range s.List("anyOf") {
		alternative, _ := v.(*jsonobject.Tree)
		deepest = max(deepest, d.of(alternative))
	}
	if properties := s.Child("properties"); properties != nil {
		below := 0
		for _, v := range properties.All() {
			value, _ := v.(*jsonobject.Tree)
			below = max(below, d.of(value))
		}
		deepest = max(deepest, 1+below)
	}
	if items := s.Child("items"); items != nil {
		deepest = max(deepest, 1+d.of(items))
	}
	d.known[s] = deepest
	return deepest
}

// An alternativeList holds each alternative once. It treats null separately.
type alternativeList struct {
	schemas []any
	null    bool
	texts   map[string]bool
	ofNull  string
}

// add adds a schema, or its alternatives if it has nothing else. Nil adds nothing.
func (l *alternativeList) add(schema *jsonobject.Tree) {
	if schema == nil {
		return
	}
	if nested := schema.List("anyOf"); nested != nil && schema.Len() == 1 {
		for _, v := range nested {
			if one, ok := v.(*jsonobject.Tree); ok {
				l.add(one)
			}
		}
		return
	}
	switch text := string(jsonobject.Encode(schema)); {
	case text == l.ofNull:
		l.null = true
	case !l.texts[text]:
		l.texts[text] = true
		l.schemas = append(l.schemas, schema)
	}
}
