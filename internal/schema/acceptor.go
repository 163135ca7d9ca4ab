package schema

import (
	"bytes"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// kinds is a set of kinds of JSON values that their text distinguishes.
type kinds uint8

const (
	nulls kinds = 1 << iota
	booleans
	texts
	integers // numbers without fraction and exponent
	decimals // other numbers; 1.0 counts as one, although JSON Schema takes it for an integer
	lists
	objects

	containers = lists | objects
	allKinds   = nulls | booleans | texts | integers | decimals | containers
)

// An acceptor recognises values that one schema accepts. The empty acceptor recognises none.
// Another acceptor has all kinds of values that the schema accepts, except decimals that are
// integers.
type acceptor struct {
	kinds kinds
	// either, if not empty, holds acceptors of which one must accept the value; the fields
	// below are then unused. At most one of them accepts objects or lists, so no object or
	// list is read twice.
	either []*acceptor

	bounds     *jsonschema.Schema // the schema with the bounds of numbers, lengths and counts
	listed     [][]byte           // the JSON texts of the allowed values; nil if all are allowed
	items      *acceptor
	properties []property
	required   uint64    // a bit for each of the properties
	additional *acceptor // for undeclared keys; nil if they are not allowed
}

type property struct {
	name  []byte
	value *acceptor
}

// isListed reports whether the value with that text is allowed by enum or const.
func (a *acceptor) isListed(text []byte) bool {
	for _, one := range a.listed {
		if bytes.Equal(one, text) {
			return true
		}
	}
	return a.listed == nil
}

// hasTextBounds reports whether the schema restricts the content of strings.
func (a *acceptor) hasTextBounds() bool {
	return a.bounds.Pattern != nil || a.bounds.MinLength != -1 || a.bounds.MaxLength != -1
}

func (a *acceptor) acceptsText(text []byte) bool {
	b := a.bounds
	return within(b.MinLength, utf8.RuneCount(text), b.MaxLength) && (b.Pattern == nil || b.Pattern.Match(text))
}

// within reports whether n is within bounds. A bound of -1 does not limit n.
func within(low, n, high int) bool {
	return (low == -1 || n >= low) && (high == -1 || n <= high)
}

func (a *acceptor) acceptsNumber(number []byte) bool {
	b := a.bounds
	if b.Minimum == nil && b.ExclusiveMinimum == nil && b.Maximum == nil && b.ExclusiveMaximum == nil {
		return true // without an allocation
	}
	n, ok := new(big.Rat).SetString(string(number))
	return ok &&
		(b.Minimum == nil || n.Cmp(b.Minimum) >= 0) &&
		(b.ExclusiveMinimum == nil || n.Cmp(b.ExclusiveMinimum) > 0) &&
		(b.Maximum == nil || n.Cmp(b.Maximum) <= 0) &&
		(b.ExclusiveMaximum == nil || n.Cmp(b.ExclusiveMaximum) < 0)
}

// A role is the effect of a field of a compiled schema. Roles are combined as bits.
type role uint8

const (
	checksValue    role = 1 << iota // the field checks the value itself
	appliesSchemas                  // the field applies other schemas to the value
	unknown                         // the field may refuse values that an acceptor would accept
	ignored        role = 0
)

// roles holds the roles of the fields of a compiled schema. Other fields are unknown if they
// are set, and so are fields that a later version adds. The ignored fields are names, or
// only qualify another field: where Format is asserted, the field format is set.
var roles = map[string]role{
	"Location": ignored, "Draft": ignored, "meta": ignored, "vocab": ignored, "enumError": ignored,
	"RecursiveAnchor": ignored, "DynamicAnchor": ignored, "dynamicAnchors": ignored, "Format": ignored,
	"MinContains": ignored, "MaxContains": ignored, "ContainsEval": ignored,

	"Types": checksValue, "Constant": checksValue, "Enum": checksValue, "MinLength": checksValue, "MaxLength": checksValue, "Pattern": checksValue,
	"Minimum": checksValue, "ExclusiveMinimum": checksValue, "Maximum": checksValue, "ExclusiveMaximum": checksValue,
	"Properties": checksValue, "Required": checksValue, "AdditionalProperties": checksValue, "MinProperties": checksValue, "MaxProperties": checksValue,
	"Items": checksValue, "Items2020": checksValue, "MinItems": checksValue, "MaxItems": checksValue,

	"Ref": appliesSchemas, "AllOf": appliesSchemas, "AnyOf": appliesSchemas, "OneOf": appliesSchemas,
}

// rolesIn returns the roles of all fields that s sets.
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

// An acceptorBuilder turns a compiled schema, which may be recursive, into acceptors.
type acceptorBuilder struct {
	built    map[*jsonschema.Schema]*acceptor // some are not complete yet
	anything *acceptor
}

func acceptorOf(root *jsonschema.Schema) *acceptor {
	anything := &acceptor{kinds: allKinds, bounds: &jsonschema.Schema{
		MinLength: -1, MaxLength: -1, MinItems: -1, MaxItems: -1, MinProperties: -1, MaxProperties: -1,
	}}
	anything.items, anything.additional = anything, anything
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
	case does == appliesSchemas:
		b.buildChoice(a, s)
	case does == checksValue, does == ignored:
		b.buildPlain(a, s)
	}
	return a
}

// buildChoice makes a accept the values that one of the schemas in s accepts. It leaves a
// empty if one of them is unknown, or if two accept objects or lists: then both affect the
// check of the keys, whichever accepts the value.
func (b *acceptorBuilder) buildChoice(a *acceptor, s *jsonschema.Schema) {
	parts := inPlace(s)
	if len(parts) > 1 && len(parts) != len(s.AnyOf) && len(parts) != len(s.OneOf) {
		return // all of them must accept the value
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

// buildPlain makes a the acceptor of s, which applies no other schema to the value. It
// leaves a empty if it does not understand all of s.
func (b *acceptorBuilder) buildPlain(a *acceptor, s *jsonschema.Schema) {
	filled := acceptor{kinds: kindsOf(s.Types), bounds: s, items: b.anything, additional: b.anything}
	_, tuple := s.Items.([]*jsonschema.Schema)
	if tuple || !filled.readEnum(s) || !filled.readProperties(s) {
		return
	}
	if filled.kinds&containers == 0 && len(below(s)) > 0 {
		return // buildChoice relies on it that schemas of scalars do not affect the check of keys
	}
	// From here on other acceptors may refer to a, although it is not complete.
	*a = filled
	if items := itemSchema(s, 0); items != nil {
		a.items = b.acceptor(items)
	}
	if s.AdditionalProperties == false {
		a.additional = nil
	} else if further, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
		a.additional = b.acceptor(further)
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

// readEnum reads enum or const. It reports whether the texts of the values identify them.
// It recognises numbers in one spelling only.
func (a *acceptor) readEnum(s *jsonschema.Schema) bool {
	for _, v := range slices.Concat(s.Enum, s.Constant) {
		switch v := v.(type) {
		case map[string]any, []any:
			return false
		case string:
			a.listed = append(a.listed, strictjson.AppendQuoted(nil, v))
		default:
			a.listed = append(a.listed, []byte(show(v))) // a number that show cuts equals no value
		}
		a.kinds &^= containers
	}
	return len(s.Enum) == 0 || len(s.Constant) == 0 // with both, a value must be in both
}

// maxDeclared is how many properties an acceptor can have.
const maxDeclared = 64

// readProperties reads the properties. It reports whether there are not too many and the
// required ones are among them.
func (a *acceptor) readProperties(s *jsonschema.Schema) bool {
	undeclared := func(name string) bool { return s.Properties[name] == nil }
	if len(s.Properties) > maxDeclared || slices.ContainsFunc(s.Required, undeclared) {
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
