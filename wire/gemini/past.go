package gemini

import (
	"encoding/json"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire/internal/history"
)

// pastContent is an entry of a request's contents. One that cannot be read has the
// role Other, which leaves it alone.
type pastContent struct {
	fields    jsonobject.Object
	parts     []json.RawMessage
	role      history.Role
	functions []function // one for each part
}

// function is what a part says of a call.
type function struct {
	kind history.Kind
	id   string // of a call or result; may be empty
	name string
}

func parsePast(raw json.RawMessage) (c pastContent, ok bool) {
	fields, ok := parseOnce(raw)
	if !ok || !json.Valid(raw) { // something may follow the object
		return c, false
	}
	c.fields = fields
	role, isText := fields.Text("role")
	switch {
	case role == "model":
		c.role = history.Model
	case role == "user", role == "function", fields.Get("role") == nil, isText && role == "":
		c.role = history.User
	default:
		return pastContent{}, false
	}
	parts := fields.Get("parts")
	if parts != nil && (string(parts) == "null" || json.Unmarshal(parts, &c.parts) != nil) {
		return pastContent{}, false
	}
	for _, p := range c.parts {
		f, ok := readFunction(p)
		if !ok {
			return pastContent{}, false
		}
		c.functions = append(c.functions, f)
	}
	return c, true
}

// readFunction says what a part is to a call. Everything that is not known is content.
func readFunction(part json.RawMessage) (f function, ok bool) {
	fields, ok := parseOnce(part)
	if !ok {
		return f, false
	}
	for _, kind := range []history.Kind{history.Call, history.Result} {
		_, raw := functionIn(fields, kind)
		if raw == nil {
			continue
		}
		o, ok := parseOnce(raw)
		if !ok {
			return f, false
		}
		f.kind = kind
		f.id, _ = o.Text("id")
		f.name, _ = o.Text("name")
		return f, true
	}
	if isThought(fields) {
		f.kind = history.Lead
	}
	return f, true
}

// functionIn returns what a part says of a call, or nil, and the member that says it.
// Requests may use either way to write the names of members.
func functionIn(part jsonobject.Object, kind history.Kind) (member string, raw json.RawMessage) {
	members := []string{"functionCall", "function_call"}
	if kind == history.Result {
		members = []string{"functionResponse", "function_response"}
	}
	for _, member := range members {
		if raw := part.Get(member); raw != nil && string(raw) != "null" {
			return member, raw
		}
	}
	return "", nil
}
