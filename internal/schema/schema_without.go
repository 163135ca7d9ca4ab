package schema

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/internal/nearest"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// Without returns the schema of an input to which a program adds the named properties
// afterwards. It does not mention them, and it refuses them as unknown, in any letter case,
// also where s allows undeclared properties. It accepts every other input that s can accept
// once they are added. It may accept more: conditions of s on the properties are left out if
// they cannot be expressed without them.
//
// The error is about a name that s does not declare, or about a reference that cannot be
// followed.
func (s *Schema) Without(names []string) (*Schema, error) {
	declared := s.propertyNames()
	for _, name := range names {
		if !slices.Contains(declared, name) {
			return nil, undeclared(name, declared)
		}
	}
	decoded, err := jsonobject.Decode(s.raw, 0)
	if err != nil {
		return nil, fmt.Errorf("%w", err)
	}
	document, _ := decoded.(*jsonobject.Tree) // Compile accepts objects only
	root, err := newHider(document, names).root()
	if err != nil {
		return nil, err
	}
	public, err := Compile(jsonobject.Encode(root))
	if err != nil {
		return nil, err
	}
	for _, name := range public.propertyNames() {
		if slices.Contains(names, name) {
			return nil, errNotFollowed
		}
	}
	public.hidden = slices.Concat(s.hidden, names)
	public.acceptor = public.acceptor.refusing(public.hidden)
	return public, nil
}

// Hidden returns the properties that the schema is without. The caller must not change the list.
func (s *Schema) Hidden() []string { return s.hidden }

// propertyNames returns the properties that s, or a schema that it applies to the same value,
// names or requires.
func (s *Schema) propertyNames() []string {
	names := map[string]bool{}
	for _, part := range closure(s.root, inPlace) {
		for name := range part.Properties {
			names[name] = true
		}
		for _, name := range part.Required {
			names[name] = true
		}
	}
	return slices.Collect(maps.Keys(names))
}

// hiddenKeys returns a problem for each hidden property in v that is not among the known
// problems.
func (s *Schema) hiddenKeys(v any, known []Problem) (found []Problem) {
	object, _ := v.(map[string]any)
	for key := range object {
		if !slices.ContainsFunc(s.hidden, func(name string) bool { return strings.EqualFold(name, key) }) {
			continue
		}
		p := unknownProperty("", key, s.propertyNames())
		start, _, _ := strings.Cut(p.Message, ";")
		if !slices.ContainsFunc(known, func(k Problem) bool { return strings.HasPrefix(k.Message, start+";") }) {
			found = append(found, p)
		}
	}
	return found
}

// refusing returns an acceptor of the objects that a accepts and that have none of the names.
func (a *acceptor) refusing(names []string) *acceptor {
	if len(a.either) > 0 || len(a.properties)+len(names) > maxDeclared {
		return &acceptor{}
	}
	own := *a
	own.properties = slices.Clone(a.properties)
	for _, name := range names {
		own.properties = append(own.properties, property{name: []byte(name), value: &acceptor{}})
	}
	return &own
}

func undeclared(name string, all []string) error {
	text := "the input has no property " + strictjson.Quote(name)
	switch likely := nearest.Names(name, all, 1); {
	case len(likely) > 0:
		text += "; did you mean " + strictjson.Quote(likely[0]) + "?"
	case len(all) > 0:
		text += "; the properties are " + listNames(all)
	}
	return errors.New(text)
}

var errNotFollowed = errors.New("the schema refers to itself in a way that cannot be followed; write the properties at its root")
