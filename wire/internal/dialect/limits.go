package dialect

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// Limits of OpenAI's strict schemas (contracts 3.2, "Strict subset").
const (
	maxProperties     = 5000
	maxNesting        = 10
	maxCharacters     = 120_000
	maxEnum           = 1000
	longEnum          = 250
	maxLongEnumLength = 15_000
)

// A Use is what the strict schemas of one request to Anthropic share (contracts
// 3.1, "Strict mode limits").
type Use struct {
	Tools    int
	Optional int // parameters that are not required
	Unions   int // parameters of more than one type
}

// MaxUse is what one request may use.
func MaxUse() Use { return Use{Tools: 20, Optional: 24, Unions: 16} }

// UseOf returns what a schema in the dialect [AnthropicStrict] uses. What a
// reference leads to counts each time.
func UseOf(schema json.RawMessage) Use {
	u := Use{Tools: 1}
	if doc, err := decode(schema); err == nil {
		c := useCount{doc: doc, known: map[*jsonobject.Tree]Use{}}
		of := c.of(doc)
		u.Optional, u.Unions = of.Optional, of.Unions
	}
	return u
}

// Add adds more to u if both together are within the limits, and reports whether
// they are.
func (u *Use) Add(more Use) bool {
	sum, limit := u.plus(more), MaxUse()
	if sum.Tools > limit.Tools || sum.Optional > limit.Optional || sum.Unions > limit.Unions {
		return false
	}
	*u = sum
	return true
}

// plus stops at a number far beyond the limits, so that none is too large.
func (u Use) plus(more Use) Use {
	const enough = 1 << 20
	return Use{
		Tools:    min(u.Tools+more.Tools, enough),
		Optional: min(u.Optional+more.Optional, enough),
		Unions:   min(u.Unions+more.Unions, enough),
	}
}

type useCount struct {
	doc   *jsonobject.Tree
	known map[*jsonobject.Tree]Use // of schemas that references lead to
}

// of counts in a schema that is not recursive.
func (c *useCount) of(s *jsonobject.Tree) (u Use) {
	if s == nil {
		return u
	}
	if known, ok := c.known[s]; ok {
		return known
	}
	c.known[s] = u // a schema that is recursive after all ends here
	if either, _ := s.Get("anyOf"); either != nil || len(s.List("type")) > 1 {
		u.Unions++
	}
	if ref := s.Text("$ref"); ref != "" {
		v, _ := c.doc.Find(ref)
		target, _ := v.(*jsonobject.Tree)
		u = u.plus(c.of(target))
	}
	for _, v := range s.List("anyOf") {
		alternative, _ := v.(*jsonobject.Tree)
		u = u.plus(c.of(alternative))
	}
	if properties := s.Child("properties"); properties != nil {
		u.Optional += properties.Len() - len(s.List("required"))
		for _, v := range properties.All() {
			value, _ := v.(*jsonobject.Tree)
			u = u.plus(c.of(value))
		}
	}
	u = u.plus(c.of(s.Child("items")))
	c.known[s] = u
	return u
}

// openAISize is what OpenAI counts in a schema.
type openAISize struct {
	properties, characters, enum int
}

// withinOpenAI checks the limits of a whole strict schema.
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

// add counts in a schema and all below it.
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

// depths counts levels of objects and lists, through references. A reference that
// leads back opens no new level.
type depths struct {
	doc   *jsonobject.Tree
	known map[*jsonobject.Tree]int
}

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
