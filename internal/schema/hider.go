package schema

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// flatKeywords are the keywords of a plain object that are about no property but those that
// they name.
var flatKeywords = []string{"type", "properties", "required", "additionalProperties", "title", "description", "$comment", "$schema", "$id"}

// flatObject returns the object at the root of a document, or the one that the root is a reference
// to, without definitions. The error is about a keyword that may speak of its properties.
func flatObject(document *jsonobject.Tree) (*jsonobject.Tree, error) {
	root := document.Without(definitionsKey, "definitions")
	if target, _ := document.Find(root.Text("$ref")); root.Has("$ref") && root.Without("$ref", "$schema", "$id").Len() == 0 {
		object, ok := target.(*jsonobject.Tree)
		if !ok || object.Has("$id") {
			return nil, errNotFollowed
		}
		merged := root.Without("$ref")
		for keyword, value := range object.All() {
			merged.Set(keyword, value)
		}
		root = merged
	}
	for keyword := range root.All() {
		if !slices.Contains(flatKeywords, keyword) {
			return nil, fmt.Errorf("the schema has %s at its root, which may be about the property; write the input as one object that has its properties in \"properties\", and nothing else that speaks of them", strictjson.Quote(keyword))
		}
	}
	return root, nil
}

// anyReference matches the members of a schema that refer to a part of it.
var anyReference = regexp.MustCompile(`"\$(?:ref|dynamicRef|recursiveRef)":"([^"]*)"`)

// addDefinitions adds to root the definitions of a document that root refers to, and no others: they
// may be about the properties. The error is about a reference that leads elsewhere, such as to the
// whole input.
func addDefinitions(root, document *jsonobject.Tree) error {
	for pending := []any{root}; len(pending) > 0; pending = pending[1:] {
		for _, m := range anyReference.FindAllSubmatch(jsonobject.Encode(pending[0]), -1) {
			key, name, _ := strings.Cut(strings.TrimPrefix(string(m[1]), "#/"), "/")
			name, _, _ = strings.Cut(name, "/")
			name = unescape(name)
			definition, ok := document.Child(key).Get(name)
			switch {
			case root.Child(key).Has(name):
			case !ok || key != definitionsKey && key != "definitions":
				return errNotFollowed
			default:
				kept := root.Child(key).Without()
				kept.Set(name, definition)
				root.Set(key, kept)
				pending = append(pending, definition)
			}
		}
	}
	if _, again := root.Find(document.Text("$ref")); again { // it has the properties
		return errNotFollowed
	}
	return nil
}

var errNotFollowed = errors.New("the schema refers to the input as a whole, or in a way that cannot be followed; write the properties at its root")
