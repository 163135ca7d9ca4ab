package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/internal/nearest"
)

// A keyword is one part of the tag jsonschema, such as minimum=1 or required.
type keyword struct {
	name, value string
	hasValue    bool
}

func (k keyword) String() string {
	if k.hasValue {
		return k.name + "=" + k.value
	}
	return k.name
}

// keywordsOf returns the parts of the tag jsonschema. As in the library, a backslash before a
// comma makes it a part of the value.
func keywordsOf(tag reflect.StructTag) []keyword {
	text := tag.Get("jsonschema")
	if text == "" {
		return nil
	}
	var parts []string
	joined := false
	for part := range strings.SplitSeq(text, ",") {
		if joined {
			last := parts[len(parts)-1]
			parts[len(parts)-1] = strings.TrimSuffix(last, `\`) + "," + part
		} else {
			parts = append(parts, part)
		}
		joined = strings.HasSuffix(part, `\`)
	}
	all := make([]keyword, len(parts))
	for i, part := range parts {
		all[i].name, all[i].value, all[i].hasValue = strings.Cut(part, "=")
	}
	return all
}

// hasWord reports whether the tag jsonschema has a keyword without a value.
func hasWord(tag reflect.StructTag, word string) bool {
	return slices.Contains(keywordsOf(tag), keyword{name: word})
}

// A form is the form of a keyword's value.
type form int

const (
	anyText form = iota
	noValue
	aNumber
	aCount // a whole number that is not negative
	onlyTrue
)

// forms holds the keywords of the tag jsonschema.
var forms = map[string]form{
	"required": noValue, "nullable": noValue,
	"title": anyText, "description": anyText, "type": anyText, "anchor": anyText, "format": anyText, "pattern": anyText,
	"default": anyText, "example": anyText, "enum": anyText,
	"oneof_required": anyText, "anyof_required": anyText, "oneof_ref": anyText, "anyof_ref": anyText, "oneof_type": anyText, "anyof_type": anyText,
	"minLength": aCount, "maxLength": aCount, "minItems": aCount, "maxItems": aCount,
	"minimum": aNumber, "maximum": aNumber, "exclusiveMinimum": aNumber, "exclusiveMaximum": aNumber, "multipleOf": aNumber,
	"uniqueItems": onlyTrue, "readOnly": onlyTrue, "writeOnly": onlyTrue,
}

// repeatable holds the keywords that a tag may have several times.
var repeatable = []string{"default", "example", "enum", "oneof_required", "anyof_required"}

// check returns an error if the keyword, whose form is known, has a value of another form.
func (k keyword) check() error {
	want, example, ok := "", k.name+"=1", true
	switch forms[k.name] {
	case noValue:
		want, example, ok = "no value", k.name, !k.hasValue
	case aNumber:
		want, ok = "a number", isNumber(k.value)
	case aCount:
		_, err := strconv.ParseUint(k.value, 10, 31)
		want, ok = "a whole number", err == nil
	case onlyTrue:
		want, example, ok = "the value true", k.name+"=true", k.value == "true"
	case anyText:
		want, example, ok = "a value", k.name+"=…", k.hasValue
	}
	if ok {
		return nil
	}
	return fmt.Errorf("%s wants %s: %s", k, want, example)
}

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil && json.Valid([]byte(text))
}

const commaAdvice = `a comma inside a text is written \\, and the tag jsonschema_description:"…" takes any text`

// unknownKeyword returns the error for a part of the tag that is no keyword.
func unknownKeyword(k keyword) error {
	name := strings.TrimSpace(k.name)
	if _, known := forms[name]; known {
		return fmt.Errorf("%q begins or ends with a space; write %s", k.name, keyword{name: name, value: k.value, hasValue: k.hasValue})
	}
	text := fmt.Sprintf("%q is no keyword; ", k.String())
	names := make([]string, 0, len(forms))
	for known := range forms {
		names = append(names, known)
	}
	slices.Sort(names)
	if likely := nearest.Names(name, names, 1); k.hasValue && len(likely) > 0 {
		return fmt.Errorf("%sdid you mean %s=%s? (%s)", text, likely[0], k.value, commaAdvice)
	}
	return fmt.Errorf("%s%s", text, commaAdvice)
}

// checkTags returns an error for the first part of a field's tags that has no meaning,
// whatever the type of the field is.
func checkTags(tag reflect.StructTag) error {
	if err := checkTagKeys(tag); err != nil {
		return err
	}
	if err := checkEnum(tag); err != nil {
		return err
	}
	seen := map[string]bool{}
	for i, k := range keywordsOf(tag) {
		if i == 0 && k == (keyword{name: "-"}) {
			return nil
		}
		_, known := forms[k.name]
		var err error
		switch {
		case !known:
			err = unknownKeyword(k)
		case seen[k.name] && !slices.Contains(repeatable, k.name):
			err = fmt.Errorf("%s is given twice", k.name)
		default:
			err = k.check()
		}
		if err != nil {
			return fmt.Errorf("the tag jsonschema: %w", err)
		}
		seen[k.name] = true
	}
	return nil
}

// barsAsEnum writes a value with bars as several values, each of which may have a comma.
var barsAsEnum = strings.NewReplacer("|", ",enum=", ",", `\\,`)

// checkEnum refuses an enum whose only value is a list with bars. Bars in one of several values are
// meant, and so are those that separate nothing.
func checkEnum(tag reflect.StructTag) error {
	var all []keyword
	for _, k := range keywordsOf(tag) {
		if k.name == "enum" {
			all = append(all, k)
		}
	}
	if len(all) != 1 || !strings.Contains(all[0].value, "|") || slices.Contains(strings.Split(all[0].value, "|"), "") {
		return nil
	}
	return fmt.Errorf("the tag jsonschema: %s is a single value; write enum=%s", all[0], barsAsEnum.Replace(all[0].value))
}

// checkTagKeys refuses keywords that are tags of their own, and misspelt tags.
func checkTagKeys(tag reflect.StructTag) error {
	for rest := string(tag); strings.TrimSpace(rest) != ""; {
		key, after, ok := strings.Cut(strings.TrimLeft(rest, " "), `:"`)
		quoted, err := strconv.QuotedPrefix(`"` + after)
		if !ok || err != nil || strings.ContainsAny(key, " \"") {
			return fmt.Errorf("the tag `%s` is malformed; write key:\"value\" pairs with a space between them", tag)
		}
		rest = after[len(quoted)-1:]
		value := quoted[1 : len(quoted)-1]
		if _, known := forms[key]; known {
			if key == "description" {
				return fmt.Errorf(`the tag description:"…" has no meaning; write jsonschema_description:"%s"`, value)
			}
			return fmt.Errorf(`the tag %s:"…" has no meaning; write jsonschema:"%s=%s"`, key, key, value)
		}
		schemaTags := []string{"jsonschema", "jsonschema_description", "jsonschema_extras"}
		if strings.HasPrefix(key, "jsonschema") && !slices.Contains(schemaTags, key) {
			return fmt.Errorf("the tag %s has no meaning; write %s", key, strings.Join(schemaTags, " or "))
		}
	}
	for extra := range strings.SplitSeq(tag.Get("jsonschema_extras"), ",") {
		if extra != "" && !strings.Contains(extra, "=") {
			return fmt.Errorf("the tag jsonschema_extras: %q is no keyword=value; "+`a comma inside a text is written \\,`, extra)
		}
	}
	return nil
}

// members holds the members of a schema that keywords set, unless they have the same name.
// The keywords with the member "" are not in the schema of the property.
var members = map[string]string{
	"required": "", "nullable": "", "oneof_required": "", "anyof_required": "", "anchor": "$anchor", "example": "examples",
	"oneof_ref": "oneOf", "oneof_type": "oneOf", "anyof_ref": "anyOf", "anyof_type": "anyOf",
}

// keywordsOfType holds the keywords that depend on the type of the property.
var keywordsOfType = map[string]string{
	"string":  "minLength, maxLength, pattern, format, enum, example, default",
	"integer": "minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, enum, example, default",
	"number":  "minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, enum, example, default",
	"boolean": "default",
	"array":   "minItems, maxItems, uniqueItems, default, and the keywords of its items",
}

// checkEffects returns an error for the first keyword of a tag that the schema of the
// property does not contain: it has no meaning for the type.
func checkEffects(tag reflect.StructTag, property any) error {
	schema, ok := property.(*jsonobject.Tree)
	if !ok {
		return nil
	}
	schema = valueSchema(tag, schema)
	keywords := keywordsOf(tag)
	for _, k := range keywords {
		member, named := members[k.name]
		if !named {
			member = k.name
		}
		if member == "" || k.name == "-" {
			continue
		}
		same := 0
		for _, other := range keywords {
			if other.name == k.name {
				same++
			}
		}
		from := schema
		if !from.Has(member) {
			from = schema.Child("items")
		}
		list := k.name == "enum" || k.name == "example"
		if !from.Has(member) || list && len(from.List(member)) != same || k.name == "default" && same > 1 && schema.Text("type") != "array" {
			return noEffect(k, schema.Text("type"))
		}
	}
	return nil
}

func noEffect(k keyword, kind string) error {
	if kind == "" {
		kind = "of any type or of a struct"
	}
	possible := keywordsOfType[kind]
	if possible == "" {
		return fmt.Errorf("the tag jsonschema: %s has no meaning for a property %s", k, kind)
	}
	return fmt.Errorf("the tag jsonschema: %s has no meaning for a property of type %s; it can have %s", k, kind, possible)
}
