package textcall

import (
	"encoding/json"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// jsonCalls returns the calls in a text that is one JSON value or several, with a comma, a
// semicolon or nothing between them. If strict is set, each call must have its input.
func jsonCalls(text string, strict bool) (calls []Call, ok bool) {
	for rest := strings.TrimSpace(text); ; {
		value, after, ok := firstValue(rest)
		if !ok {
			return nil, false
		}
		found, ok := callsIn(value, strict)
		if !ok || len(calls) > maxCalls {
			return nil, false
		}
		calls = append(calls, found...)
		rest = strings.TrimSpace(after)
		if rest == "" {
			return calls, true
		}
		if rest[0] == ',' || rest[0] == ';' {
			rest = strings.TrimSpace(rest[1:])
		}
	}
}

// firstValue returns the JSON object or array that a text begins with, and the rest.
func firstValue(text string) (value json.RawMessage, rest string, ok bool) {
	if !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") {
		return nil, "", false
	}
	dec := json.NewDecoder(strings.NewReader(text))
	if err := dec.Decode(&value); err != nil {
		return nil, "", false
	}
	return value, text[dec.InputOffset():], true
}

// callsIn returns the call that an object is, or those in an array.
func callsIn(value json.RawMessage, strict bool) (calls []Call, ok bool) {
	values := []json.RawMessage{value}
	if value[0] == '[' && json.Unmarshal(value, &values) != nil {
		return nil, false
	}
	for _, v := range values {
		c, ok := callOf(v, strict)
		if !ok {
			return nil, false
		}
		calls = append(calls, c)
	}
	return calls, len(calls) > 0
}

// callOf returns the call that an object is.
func callOf(value json.RawMessage, strict bool) (c Call, ok bool) {
	o, ok := jsonobject.ParseUnique(value)
	if !ok {
		return c, false
	}
	if inner := o.Get("function"); len(inner) > 0 && inner[0] == '{' { // as in a message of Chat Completions
		for _, m := range o {
			if m.Name != "function" && m.Name != "id" && m.Name != "type" {
				return c, false
			}
		}
		return namedCall(inner, strict)
	}
	return namedCall(value, strict)
}

// namedCall returns the call that an object with a name is.
func namedCall(value json.RawMessage, strict bool) (c Call, ok bool) {
	o, ok := jsonobject.ParseUnique(value)
	if !ok {
		return c, false
	}
	var input json.RawMessage
	inputs := 0
	for _, m := range o {
		switch m.Name {
		case "name", "function":
			name, isText := o.Text(m.Name)
			if !isText || c.Name != "" {
				return c, false
			}
			c.Name = name
		case "arguments", "parameters", "input", "args":
			input = m.Value
			inputs++
		case "id", "type":
		default:
			return c, false
		}
	}
	if c.Name == "" || inputs > 1 || inputs == 0 && strict {
		return c, false
	}
	c.Input, ok = inputOf(input)
	return c, ok && !isSchema(c.Input)
}

// inputOf returns the object that an input is, or whose text it is.
func inputOf(value json.RawMessage) (input json.RawMessage, ok bool) {
	switch {
	case len(value) == 0 || string(value) == "null":
		return json.RawMessage("{}"), true
	case value[0] == '"':
		var text string
		if json.Unmarshal(value, &text) != nil {
			return nil, false
		}
		value = json.RawMessage(text)
	}
	return value, jsonobject.Is(value)
}

// isSchema reports whether an input is the schema of one: a definition of a tool that the
// model repeats is no call.
func isSchema(input json.RawMessage) bool {
	o, _ := jsonobject.Parse(input) // it is an object
	kind, _ := o.Text("type")
	properties := o.Get("properties")
	return kind == "object" && len(properties) > 0 && properties[0] == '{'
}
