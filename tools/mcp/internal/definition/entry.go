package definition

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// An entry is one element of the tools that a server lists.
type entry struct {
	name, title, description string
	input, output            json.RawMessage // the schemas as they were sent; output may be empty
	annotations, meta        json.RawMessage // objects without repeated keys, or empty
	hints                    hints
	ui                       ui
	warnings                 []string
}

// readEntry returns the entry in raw. With an error, the entry has the members that were read
// before, so that the tool can be named.
//
// Members that decide about calls are read strictly: an object with a repeated key is an
// error, since readers differ on its meaning. In texts for people and for the model, each
// invalid character becomes U+FFFD.
func readEntry(raw json.RawMessage) (e entry, err error) {
	if !jsonobject.Is(raw) {
		return e, errors.New("the definition is not a JSON object")
	}
	members, ok := jsonobject.ParseUnique(raw)
	if !ok {
		members, _ = jsonobject.Parse(raw) // it has been found valid
	}
	e.name, _ = members.Text("name")
	switch {
	case !ok:
		return e, errors.New("the definition has a key twice")
	case e.name == "":
		return e, errors.New("the definition has no name")
	case len(e.name) > maxName:
		return e, fmt.Errorf("the name has %d bytes, at most %d are accepted", len(e.name), maxName)
	}
	if _, err := strictjson.Decode(members.Get("name"), strictjson.Limits{}); err != nil {
		return e, fmt.Errorf("name: %w", err)
	}
	annotations, err := object(members, "annotations")
	if err != nil {
		return e, err
	}
	meta, err := object(members, "_meta")
	if err != nil {
		return e, err
	}
	e.title = textOf(members, "title")
	e.description = textOf(members, "description")
	if annotations != nil {
		e.annotations, e.hints = annotations.Encode(), readHints(annotations)
	}
	if meta != nil {
		e.meta = meta.Encode()
	}
	e.ui = readUI(meta)
	if e.ui.warning != "" {
		e.warnings = append(e.warnings, e.ui.warning)
	}
	execution, _ := jsonobject.Parse(members.Get("execution"))
	if support, _ := execution.Text("taskSupport"); support == "required" {
		e.warnings = append(e.warnings, "its calls fail: the server takes them only as tasks, and this client does not support tasks")
	}
	if e.input = members.Get("inputSchema"); isAbsent(e.input) {
		return e, errors.New("the definition has no inputSchema")
	}
	if output := members.Get("outputSchema"); !isAbsent(output) {
		e.output = output
	}
	return e, nil
}

// about returns the description for the model. It is never empty.
func (e *entry) about() string {
	if text := cmp.Or(e.description, e.title); text != "" {
		return text
	}
	annotations, _ := jsonobject.Parse(e.annotations) // without them there is no title
	return cmp.Or(textOf(annotations, "title"), shown(e.name))
}

// textOf returns a member that is a text, cut for a model, or "" if it is blank.
func textOf(o jsonobject.Object, name string) string {
	text, _ := o.Text(name)
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return shown(text)
}

// object returns a member that is an object, or nil if it is absent or something else. An
// object with a repeated key, at any depth, is an error.
func object(members jsonobject.Object, name string) (jsonobject.Object, error) {
	raw := members.Get(name)
	if !jsonobject.Is(raw) {
		return nil, nil
	}
	canonical, err := strictjson.Canonical(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return jsonobject.Parse(canonical)
}

// isAbsent reports whether a member is left out, which null means, too.
func isAbsent(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// ui holds the member "ui" of a tool's _meta, which the extension MCP Apps defines.
type ui struct {
	appOnly  bool
	resource string // an address with the scheme ui, or ""
	warning  string // about a member that was not understood
}

// readUI returns the ui of a _meta. A visibility that does not name the model, or that is not
// understood, keeps the tool from it.
func readUI(meta jsonobject.Object) (u ui) {
	own, err := jsonobject.Parse(meta.Get("ui"))
	if err != nil {
		own = nil
	}
	u.resource = resourceURI(own, "resourceUri")
	if u.resource == "" { // the form of drafts of the extension
		u.resource = resourceURI(meta, "ui/resourceUri")
	}
	visibility := own.Get("visibility")
	if isAbsent(visibility) {
		return u
	}
	var to []string
	if err := json.Unmarshal(visibility, &to); err != nil {
		u.warning = "the model does not see it: _meta.ui.visibility is not a list of texts"
	}
	u.appOnly = !slices.Contains(to, "model")
	return u
}

func resourceURI(o jsonobject.Object, name string) string {
	uri, _ := o.Text(name)
	if !strings.HasPrefix(uri, "ui://") || len(uri) > MaxText {
		return ""
	}
	return uri
}
