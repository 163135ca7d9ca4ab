package shell

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// A describedTool is a line of the prompt about a tool that code calls, with its input and its
// value.
type describedTool struct{ name, input, value string }

// describedTools returns the tools that are told to the model: those of listed, which are
// REPLOptions.Describe, by their definitions, then those of the table that none of them answers to.
func describedTools(listed []pegboard.Tool, s pegboard.Scope) (all []describedTool) {
	table := replTools()
	for _, t := range listed {
		info := t.Info()
		table = slices.DeleteFunc(table, func(known describedTool) bool {
			return known.name == info.Name || slices.Contains(info.Aliases, known.name)
		})
		if !s.CanRun(info.Name) {
			continue
		}
		if d, ok := describe(t, s); ok {
			all = append(all, d)
		}
	}
	for _, known := range table {
		if s.CanRun(known.name) {
			all = append(all, known)
		}
	}
	return all
}

// describe returns the line of a tool. A tool that cannot declare itself has none.
func describe(t pegboard.Tool, s pegboard.Scope) (line describedTool, ok bool) {
	var d pegboard.Declaration
	if err := goroutine.Try(func() error { d, ok = t.Declare(pegboard.Scope{Session: s.Session}); return nil }); err != nil || !ok {
		return describedTool{}, false
	}
	input, names := inputOf(d.InputSchema)
	line = describedTool{name: d.Name, input: input}
	if i := slices.IndexFunc(replTools(), func(known describedTool) bool { return known.takes(d.Name, names) }); i >= 0 {
		line.value = replTools()[i].value
		return line, true
	}
	line.value = pegboard.OneLine(d.About)
	if value := outputOf(d.OutputSchema); value != "" {
		line.value += " Returns " + value + "."
	}
	return line, true
}

// takes reports whether a tool of the table has that name and no properties but these, so that what
// the table knows of its value holds.
func (d describedTool) takes(name string, properties []string) bool {
	if d.name != name {
		return false
	}
	for property := range strings.SplitSeq(strings.Trim(d.input, "{}"), ",") {
		if !slices.Contains(properties, strings.TrimRight(strings.TrimSpace(property), "?")) {
			return false
		}
	}
	return true
}

// The most that a line shows of a schema, which a server may have written. Our choice.
const (
	maxShownProperties = 30
	maxShownChoices    = 10
)

// anyProperties are keywords by which an input may have properties that are not declared.
var anyProperties = []string{"$ref", "allOf", "anyOf", "oneOf", "patternProperties", "if", "dependentSchemas"}

// inputOf words the properties of an input, the required ones first, and returns their names.
// Properties that are not declared, or too many, are "...".
func inputOf(schema []byte) (text string, names []string) {
	object, err := jsonobject.Parse(schema)
	if err != nil {
		return "{...}", nil
	}
	properties, err := jsonobject.Parse(object.Get("properties"))
	if err != nil || len(properties) == 0 {
		if further, err := jsonobject.Parse(object.Get("additionalProperties")); err == nil && len(further) > 0 ||
			slices.ContainsFunc(anyProperties, func(keyword string) bool { return object.Get(keyword) != nil }) {
			return "{...}", nil
		}
		return "{}", nil
	}
	required := stringsOf(object.Get("required"))
	var must, may []string
	for _, p := range properties {
		names = append(names, p.Name)
		name := pegboard.OneLine(p.Name)
		if slices.Contains(required, p.Name) {
			must = append(must, name+typeOf(p.Value))
		} else {
			may = append(may, name+"?"+typeOf(p.Value))
		}
	}
	return "{" + strings.Join(upTo(maxShownProperties, append(must, may...)), ", ") + "}", names
}

// upTo returns the first of a list, and "..." in place of the others.
func upTo(most int, list []string) []string {
	if len(list) <= most {
		return list
	}
	return append(slices.Clone(list[:most]), "...")
}

// outputOf words the properties of the value of a tool; "" if they are not known.
func outputOf(schema []byte) string {
	text, names := inputOf(schema)
	if len(names) == 0 {
		return ""
	}
	return strings.ReplaceAll(text, "?", "") // the marks of optional parts
}

// typeOf returns the choices for a property in words, or "" if there are no choices.
func typeOf(schema []byte) string {
	object, err := jsonobject.Parse(schema)
	if err != nil {
		return ""
	}
	if choices := upTo(maxShownChoices, stringsOf(object.Get("enum"))); len(choices) > 0 {
		for i := range choices {
			choices[i] = pegboard.OneLine(choices[i])
		}
		return ": " + strings.Join(choices, "|")
	}
	return ""
}

// stringsOf returns a list of strings; nil for anything else.
func stringsOf(raw []byte) (list []string) {
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}
