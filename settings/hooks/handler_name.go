package hooks

import (
	"fmt"
	"path/filepath"
)

// name returns what identifies the hook to a person and to the model. It holds no command and
// no address, which may hold secrets.
func (h *Handler) name() string {
	name := h.Event + " hook"
	if h.Matcher != "" {
		name += fmt.Sprintf(" %q", h.Matcher)
	}
	if h.Path != "" {
		name += " of " + filepath.Base(h.Path)
	}
	return name
}

// same reports whether h and o are one handler of one set.
func (h *Handler) same(o *Handler) bool {
	return h.Event == o.Event && h.Path == o.Path && h.Offset == o.Offset && h.identity == o.identity
}
