package pegboard

import (
	"encoding/json"
)

// WithMeta returns i with what the member _meta of an external tool's definition says,
// as MCP servers send it: "anthropic/alwaysLoad", "anthropic/maxResultSizeChars" up to
// [MaxExternalResult], "anthropic/requiresUserInteraction", and "anthropic/searchHint",
// which is not documented. What is not of the expected type is passed over, as is all
// of a text that is no JSON object.
func (i Info) WithMeta(meta json.RawMessage) Info {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(meta, &members) // without members nothing is said
	read := func(name string, into any) bool {
		value, ok := members["anthropic/"+name]
		return ok && json.Unmarshal(value, into) == nil
	}
	var yes bool
	if read("alwaysLoad", &yes) && yes {
		i.Loading = LoadAlways
	} else if i.Loading == LoadAlways && string(members["anthropic/alwaysLoad"]) == "false" { // what its server has for all
		i.Loading = LoadByPolicy
	}
	yes = false
	if read("requiresUserInteraction", &yes); yes {
		i.RequiresUser = true
	}
	var size float64
	if read("maxResultSizeChars", &size) && size >= 1 {
		i.MaxResult = int(min(size, MaxExternalResult))
	}
	var hint string
	if read("searchHint", &hint) && validText(hint) {
		i.Hint = hint
	}
	return i
}
