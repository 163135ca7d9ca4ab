package dialect

import "github.com/seed49eaa51d/pegboard/internal/jsonobject"

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
