package workflow

import (
	"errors"
	"fmt"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// meta describes a script. It is the first statement:
//
//	export const meta = { name: "review", description: "…", phases: ["Find", "Check"] }
//
// The word export may be missing. A phase is a text or an object with a title.
type meta struct {
	name, description string
	phases            []string
}

var errMeta = errors.New(`meta is an object of plain values, such as { name: "review", description: "Reviews a change", phases: ["Find", "Check"] }`)

// metaOf reads the first of the statements. A script without meta has the zero meta.
func metaOf(statements []ast.Statement) (m meta, err error) {
	if len(statements) == 0 {
		return meta{}, nil
	}
	declaration, ok := statements[0].(*ast.LexicalDeclaration)
	if !ok || declaration.Token != token.CONST || len(declaration.List) != 1 {
		return meta{}, nil
	}
	binding := declaration.List[0]
	if name, ok := binding.Target.(*ast.Identifier); !ok || name.Name.String() != "meta" {
		return meta{}, nil
	}
	object, ok := binding.Initializer.(*ast.ObjectLiteral)
	if !ok {
		return meta{}, errMeta
	}
	for _, property := range object.Value {
		key, value, ok := keyed(property)
		if !ok {
			return meta{}, errMeta
		}
		switch key {
		case "name":
			m.name, ok = textOf(value)
		case "description":
			m.description, ok = textOf(value)
		case "phases":
			m.phases, ok = phasesOf(value)
		}
		if !ok {
			return meta{}, fmt.Errorf("meta.%s: %w", key, errMeta)
		}
	}
	return m, nil
}

// keyed returns the key and the value of a property whose key is written out.
func keyed(p ast.Property) (key string, value ast.Expression, ok bool) {
	property, ok := p.(*ast.PropertyKeyed)
	if !ok || property.Computed || property.Kind != ast.PropertyKindValue {
		return "", nil, false
	}
	key, ok = textOf(property.Key)
	return key, property.Value, ok
}

func textOf(e ast.Expression) (string, bool) {
	switch e := e.(type) {
	case *ast.StringLiteral:
		return e.Value.String(), true
	case *ast.TemplateLiteral:
		if e.Tag == nil && len(e.Expressions) == 0 && len(e.Elements) == 1 && e.Elements[0].Valid {
			return e.Elements[0].Parsed.String(), true
		}
	}
	return "", false
}

func phasesOf(e ast.Expression) (phases []string, ok bool) {
	list, ok := e.(*ast.ArrayLiteral)
	if !ok {
		return nil, false
	}
	for _, entry := range list.Value {
		title, ok := textOf(entry)
		if object, is := entry.(*ast.ObjectLiteral); is {
			title, ok = titleOf(object)
		}
		if !ok {
			return nil, false
		}
		phases = append(phases, title)
	}
	return phases, true
}

func titleOf(object *ast.ObjectLiteral) (title string, ok bool) {
	for _, property := range object.Value {
		if key, value, known := keyed(property); known && key == "title" {
			title, ok = textOf(value)
		}
	}
	return title, ok
}
