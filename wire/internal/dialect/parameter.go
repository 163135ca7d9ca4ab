package dialect

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// Parameters maps the names of a tool's parameters in an API to those that the tool
// declares. It holds only names that differ; nil maps each name to itself. A parameter is a
// property of the schema's root.
type Parameters map[string]string

// ToTool returns the input of a call with the names that the tool declares. An input that is
// not an object, or has no name to map, is returned as it is.
func (p Parameters) ToTool(input json.RawMessage) json.RawMessage { return renameMembers(input, p) }

// ToAPI is the reverse of ToTool.
func (p Parameters) ToAPI(input json.RawMessage) json.RawMessage {
	reverse := make(Parameters, len(p))
	for api, own := range p {
		reverse[own] = api
	}
	return renameMembers(input, reverse)
}

func renameMembers(input json.RawMessage, names map[string]string) json.RawMessage {
	if len(names) == 0 || !json.Valid(input) { // the decoder of the tool refuses input that is not JSON
		return input
	}
	o, err := jsonobject.Parse(input)
	if err != nil {
		return input
	}
	changed := false
	for i := range o {
		if to, ok := names[o[i].Name]; ok {
			o[i].Name, changed = to, true
		}
	}
	if !changed {
		return input
	}
	return o.Encode()
}

// Encode returns p as JSON, for [DecodeParameters]. It is nil if p is empty.
func (p Parameters) Encode() []byte {
	if len(p) == 0 {
		return nil
	}
	text, _ := json.Marshal(map[string]string(p)) // a map of strings has JSON
	return text
}

// DecodeParameters returns the Parameters that Encode wrote.
func DecodeParameters(text []byte) (p Parameters) {
	if len(text) > 0 {
		_ = json.Unmarshal(text, &p) // Encode wrote it
	}
	return p
}

// takesParameter reports whether an API takes the name of a parameter. Anthropic's Messages
// API accepts 1 to 64 letters, digits, _, . and -. The Gemini API accepts letters, digits
// and _, and no digit at the start (Google's Go SDK, FunctionDeclaration).
func (d Dialect) takesParameter(name string) bool {
	switch d {
	case Anthropic, AnthropicStrict:
		return fits(name, '.', '-')
	case GeminiSchema, GeminiJSON:
		return fits(name) && letter(name[0])
	}
	return true
}

// renameParameters gives the parameters whose names the API refuses other names, and tells
// in their descriptions the names that other texts use for them.
func (r *root) renameParameters(to Dialect) (Parameters, error) {
	properties := r.schema.Child("properties")
	var p Parameters
	toAPI := map[string]string{}
	for own := range properties.All() {
		if to.takesParameter(own) {
			continue
		}
		if err := r.mayRename(own); err != nil {
			return nil, err
		}
		api := freeParameter(own, func(name string) bool { return properties.Has(name) || p[name] != "" })
		if p == nil {
			p = Parameters{}
		}
		p[api], toAPI[own] = own, api
	}
	if p == nil {
		return nil, nil
	}
	renamed := &jsonobject.Tree{}
	for own, value := range properties.All() {
		api, ok := toAPI[own]
		if !ok {
			api = own
		} else if o, isObject := value.(*jsonobject.Tree); isObject {
			o = o.Without()
			o.Set("description", strings.TrimSpace(o.Text("description")+fmt.Sprintf(" Other texts call it %q.", own)))
			value = o
		}
		renamed.Set(api, value)
	}
	r.schema, r.changed = r.schema.Without(), true
	r.schema.Set("properties", renamed)
	if required := stringsOf(r.schema.List("required")); len(required) > 0 {
		for i, own := range required {
			if api, ok := toAPI[own]; ok {
				required[i] = api
			}
		}
		r.schema.Set("required", anyOf(required))
	}
	return p, nil
}

// mayRename returns an error if another part of the schema uses the name of a parameter.
func (r *root) mayRename(own string) error {
	refusal := &RefusalError{At: own, Reason: "the API does not take this name of a parameter, and another part of the schema refers to it; use letters, digits and _"}
	for _, keyword := range []string{"dependentRequired", "dependentSchemas", "dependencies", "if", "then", "else", "propertyNames", "patternProperties"} {
		if r.schema.Has(keyword) {
			return refusal
		}
	}
	if strings.Contains(string(jsonobject.Encode(r.schema)), `"#/properties/`) {
		return refusal
	}
	return nil
}

// maxParameter is the maximum length of a parameter's name, in bytes.
const maxParameter = 64

// freeParameter returns a name that every API takes and that is not taken. Characters that
// some API refuses become _. A name that is then taken, or too long, ends in a hash.
func freeParameter(own string, taken func(string) bool) string {
	folded := strings.Map(func(c rune) rune {
		if c < 0x80 && c != '-' && nameByte(byte(c)) {
			return c
		}
		return '_'
	}, own)
	if !letter((folded + "0")[0]) {
		folded = "_" + folded
	}
	if len(folded) <= maxParameter && !taken(folded) {
		return folded
	}
	for salted := own; ; salted += "\x00" {
		sum := sha256.Sum256([]byte(salted))
		suffix := "_" + hex.EncodeToString(sum[:])[:12]
		if name := folded[:min(len(folded), maxParameter-len(suffix))] + suffix; !taken(name) {
			return name
		}
	}
}

// fits reports whether name has 1 to 64 letters, digits, _ and others.
func fits(name string, others ...byte) bool {
	for i := range len(name) {
		c := name[i]
		ok := letter(c) || c >= '0' && c <= '9'
		for _, other := range others {
			ok = ok || c == other
		}
		if !ok {
			return false
		}
	}
	return name != "" && len(name) <= maxParameter
}
