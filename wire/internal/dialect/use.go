package dialect

import (
	"encoding/json"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// A Use counts the parts of the strict schemas of one request that Anthropic limits. Source:
// Anthropic's documentation of strict tool use.
type Use struct {
	Tools    int // strict tools
	Optional int // parameters that are not required
	Unions   int // parameters of more than one type
}

// MaxUse returns the limits of one request.
func MaxUse() Use { return Use{Tools: 20, Optional: 24, Unions: 16} }

// UseOf returns the use of a schema in the dialect [AnthropicStrict]. The schema that a
// reference leads to counts for each reference.
func UseOf(schema json.RawMessage) Use {
	u := Use{Tools: 1}
	if doc, err := decode(schema); err == nil {
		c := useCount{doc: doc, known: map[*jsonobject.Tree]Use{}}
		of := c.of(doc)
		u.Optional, u.Unions = of.Optional, of.Unions
	}
	return u
}

// Add adds more to u if the sum is within the limits. It reports whether it is.
func (u *Use) Add(more Use) bool {
	sum, limit := u.plus(more), MaxUse()
	if sum.Tools > limit.Tools || sum.Optional > limit.Optional || sum.Unions > limit.Unions {
		return false
	}
	*u = sum
	return true
}

// plus returns the sum of both. It stops far above the limits, so that no number overflows.
func (u Use) plus(more Use) Use {
	const enough = 1 << 20
	return Use{
		Tools:    min(u.Tools+more.Tools, enough),
		Optional: min(u.Optional+more.Optional, enough),
		Unions:   min(u.Unions+more.Unions, enough),
	}
}

// A useCount counts the use of the schemas of one document.
type useCount struct {
	doc   *jsonobject.Tree
	known map[*jsonobject.Tree]Use // the use of the schemas that were counted
}

// of returns the use of a schema that is not recursive.
func (c *useCount) of(s *jsonobject.Tree) (u Use) {
	if s == nil {
		return u
	}
	if known, ok := c.known[s]; ok {
		return known
	}
	c.known[s] = u // the end for a schema that is recursive after all
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
