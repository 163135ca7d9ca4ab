package definition

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

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
