package schema

import (
	"maps"
	"reflect"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// role is what a part of a compiled schema does to a value. Roles add up.
type role uint8

const (
	judges  role = 1 << iota // by itself
	applies                  // has other schemas judge the value
	unknown                  // may refuse what an acceptor would accept
	ignored role = 0
)

// roles says what the fields of a compiled schema do. A field that is not here
// is unknown where it is set, and so is any that a later version adds. The
// ignored ones are names, or only tell how to read another field: it is the
// field format that is set where Format is asserted.
var roles = map[string]role{
	"Location": ignored, "Draft": ignored, "meta": ignored, "vocab": ignored, "enumError": ignored,
	"RecursiveAnchor": ignored, "DynamicAnchor": ignored, "dynamicAnchors": ignored, "Format": ignored,
	"MinContains": ignored, "MaxContains": ignored, "ContainsEval": ignored,

	"Types": judges, "Constant": judges, "Enum": judges, "MinLength": judges, "MaxLength": judges, "Pattern": judges,
	"Minimum": judges, "ExclusiveMinimum": judges, "Maximum": judges, "ExclusiveMaximum": judges,
	"Properties": judges, "Required": judges, "AdditionalProperties": judges, "MinProperties": judges, "MaxProperties": judges,
	"Items": judges, "Items2020": judges, "MinItems": judges, "MaxItems": judges,

	"Ref": applies, "AllOf": applies, "AnyOf": applies, "OneOf": applies,
}

// rolesIn returns all that s does.
func rolesIn(s *jsonschema.Schema) role {
	var all role
	fields := reflect.ValueOf(s).Elem()
	for i := range fields.NumField() {
		r, known := roles[fields.Type().Field(i).Name]
		switch {
		case !isSet(fields.Field(i)):
		case known:
			all |= r
		default:
			all |= unknown
		}
	}
	return all
}

func isSet(field reflect.Value) bool {
	switch field.Kind() {
	case reflect.Int:
		return field.Int() != -1
	case reflect.Map, reflect.Slice:
		return field.Len() > 0
	default:
		return !field.IsZero()
	}
}

// acceptorBuilder turns a compiled schema, which may be recursive, into
// acceptors.
type acceptorBuilder struct {
	built    map[*jsonschema.Schema]*acceptor // some of them not yet filled
	anything *acceptor
}

func acceptorOf(root *jsonschema.Schema) *acceptor {
	anything := &acceptor{kinds: allKinds, bounds: &jsonschema.Schema{
		MinLength: -1, MaxLength: -1, MinItems: -1, MaxItems: -1, MinProperties: -1, MaxProperties: -1,
	}}
	anything.items, anything.further = anything, anything
	b := acceptorBuilder{built: map[*jsonschema.Schema]*acceptor{}, anything: anything}
	return b.acceptor(root)
}

func (b *acceptorBuilder) acceptor(s *jsonschema.Schema) *acceptor {
	if a, ok := b.built[s]; ok {
		return a
	}
	a := &acceptor{}
	b.built[s] = a
	switch does := rolesIn(s); {
	case s.Always != nil && *s.Always:
		*a = *b.anything
	case does == applies:
		b.combine(a, s)
	case does == judges, does == ignored:
		b.fill(a, s)
	}
	return a
}

// combine makes a the choice between the schemas that s applies. It leaves a
// empty if one of them is not understood, or if two may have objects or lists:
// then each has a say in the keys, whichever accepts the value.
func (b *acceptorBuilder) combine(a *acceptor, s *jsonschema.Schema) {
	parts := inPlace(s)
	if len(parts) > 1 && len(parts) != len(s.AnyOf) && len(parts) != len(s.OneOf) {
		return // all of them must accept it
	}
	var choice acceptor
	for _, part := range parts {
		p := b.acceptor(part)
		rivals := choice.kinds&containers != 0 && p.kinds&containers != 0
		twice := len(s.OneOf) > 0 && choice.kinds&p.kinds != 0
		if p.kinds == 0 || rivals || twice {
			return
		}
		choice.kinds |= p.kinds
		choice.either = append(choice.either, p)
	}
	*a = choice
}

// fill makes a the acceptor of s, which applies no other schema to the value. It
// leaves a empty if not all that s says is understood.
func (b *acceptorBuilder) fill(a *acceptor, s *jsonschema.Schema) {
	filled := acceptor{kinds: kindsOf(s.Types), bounds: s, items: b.anything, further: b.anything}
	_, tuple := s.Items.([]*jsonschema.Schema)
	if tuple || !filled.list(s) || !filled.name(s) {
		return
	}
	if filled.kinds&containers == 0 && len(below(s)) > 0 {
		return // combine relies on it that such schemas have no say in keys
	}
	// From here on others may refer to a, before it has all its parts.
	*a = filled
	if items := itemSchema(s, 0); items != nil {
		a.items = b.acceptor(items)
	}
	if s.AdditionalProperties == false {
		a.further = nil
	} else if further, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
		a.further = b.acceptor(further)
	}
	for i, p := range a.properties {
		a.properties[i].value = b.acceptor(s.Properties[string(p.name)])
	}
}

var kindsOfTypes = map[string]kinds{
	"null": nulls, "boolean": booleans, "string": texts, "integer": integers,
	"number": integers | decimals, "array": lists, "object": objects,
}

func kindsOf(types []string) kinds {
	if len(types) == 0 {
		return allKinds
	}
	var all kinds
	for _, name := range types {
		all |= kindsOfTypes[name]
	}
	return all
}

// list reads enum or const. It reports whether it can tell the values by their
// text; of numbers it knows one way to write them.
func (a *acceptor) list(s *jsonschema.Schema) bool {
	for _, v := range slices.Concat(s.Enum, s.Constant) {
		switch v := v.(type) {
		case map[string]any, []any:
			return false
		case string:
			a.listed = append(a.listed, strictjson.AppendQuoted(nil, v))
		default:
			a.listed = append(a.listed, []byte(show(v))) // a number that is cut equals none
		}
		a.kinds &^= containers
	}
	return len(s.Enum) == 0 || len(s.Constant) == 0 // else a value has to be in both
}

// name reads the properties. It reports whether there are no more than bits, and
// what is required is among them.
func (a *acceptor) name(s *jsonschema.Schema) bool {
	undeclared := func(name string) bool { return s.Properties[name] == nil }
	if len(s.Properties) > 64 || slices.ContainsFunc(s.Required, undeclared) {
		return false
	}
	for i, name := range slices.Sorted(maps.Keys(s.Properties)) {
		a.properties = append(a.properties, property{name: []byte(name)})
		if slices.Contains(s.Required, name) {
			a.required |= 1 << i
		}
	}
	return true
}
