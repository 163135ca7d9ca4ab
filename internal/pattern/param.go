package pattern

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Param is the "param:value" of a rule: a field of a call's input and the value it must have.
// Only deny and ask rules have one.
type Param struct {
	Name  string
	Value string // a star stands for any run of characters
}

// Parameter parses text as "param:value" by its form alone. The caller knows whether the tool
// has such a parameter; if not, the text is a specifier for [Parse]. The "domain:" of
// WebFetch and a ":*" at the end of a command are never parameters.
func Parameter(tool, text string) (Param, bool) {
	name, value, ok := strings.Cut(text, ":")
	name, value = strings.Trim(name, " \t"), strings.Trim(value, " \t")
	if !ok || name == "" || strings.ContainsFunc(name, notInName) {
		return Param{}, false
	}
	if tool == "WebFetch" && name == "domain" || isShell(tool) && strings.HasSuffix(text, ":*") {
		return Param{}, false
	}
	return Param{Name: name, Value: value}, true
}

func notInName(r rune) bool {
	return r != '_' && r != '-' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
}

// Check returns an error if a rule on tool cannot use p, because the tool's own specifier is
// about that field. Such a rule should be ignored with a warning.
func (p Param) Check(tool string) error {
	field, instead := "", ""
	switch tool {
	case "Bash", "PowerShell", "Monitor":
		field, instead = "command", tool+"(a command)"
	case "Read":
		field, instead = "file_path", "Read(a path)"
	case "Edit", "Write", "MultiEdit":
		field, instead = "file_path", "Edit(a path)"
	case "apply_patch":
		field, instead = "input", "Edit(a path)"
	case "NotebookEdit":
		field, instead = "notebook_path", "Edit(a path)"
	case "Grep", "Glob":
		field, instead = "path", "Read(a path)"
	case "WebFetch":
		field, instead = "url", "WebFetch(domain:a.host)"
	}
	if field == "" || p.Name != field {
		return nil
	}
	return fmt.Errorf("a rule on the parameter %s of %s is ignored: it would compare the text and not what the text means; write %s", p.Name, tool, instead)
}

// Matches reports whether a call's input, as the model wrote it, has the parameter with the
// value. A string is compared unquoted; a number, true, false and null by their JSON text.
// An object, an array and a missing parameter match no value.
func (p Param) Matches(input map[string]json.RawMessage) bool {
	raw, ok := input[p.Name]
	text := strings.TrimSpace(string(raw))
	if !ok || text == "" || text[0] == '{' || text[0] == '[' {
		return false
	}
	if text[0] == '"' {
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return false
		}
		text = s
	}
	return Name(p.Value, text)
}
