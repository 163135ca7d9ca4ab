package pegboard

import (
	"encoding/json"
	"strings"
)

// WithAnnotations returns i with the title of the annotations of an external tool's
// definition, as MCP servers send them, if i has none: a server names a tool by its title,
// or else by the title of its annotations. It ignores values of another type, and all of
// annotations if that is not a JSON object. The other annotations say what a call does; of
// them Info remembers the text, so that a registry notices when it changes.
func (i Info) WithAnnotations(annotations json.RawMessage) Info {
	i.annotations = string(annotations)
	var a struct{ Title json.RawMessage }
	if json.Unmarshal(annotations, &a) != nil || strings.TrimSpace(i.Title) != "" {
		return i
	}
	if title := ""; json.Unmarshal(a.Title, &title) == nil && validText(title) {
		i.Title = title
	}
	return i
}

// WithMeta returns i changed by the _meta member of an external tool's definition, as MCP
// servers send it. It reads the keys that Claude Code documents, "anthropic/alwaysLoad",
// "anthropic/maxResultSizeChars" up to [MaxExternalResult] and
// "anthropic/requiresUserInteraction", and "anthropic/searchHint", which is not documented.
// It ignores values of another type, and all of meta if that is not a JSON object.
func (i Info) WithMeta(meta json.RawMessage) Info {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(meta, &members) // after an error there are no members
	read := func(name string, into any) bool {
		value, ok := members["anthropic/"+name]
		return ok && json.Unmarshal(value, into) == nil
	}
	var yes bool
	if read("alwaysLoad", &yes) && yes {
		i.Loading = LoadAlways
	} else if i.Loading == LoadAlways && string(members["anthropic/alwaysLoad"]) == "false" { // overrides the setting of its server
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
