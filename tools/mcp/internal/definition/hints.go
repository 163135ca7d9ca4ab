package definition

import "github.com/seed49eaa51d/pegboard/internal/jsonobject"

// hints are the annotations of a tool about the effects of its calls. They are claims of its
// server.
type hints struct{ readOnly, destructive, idempotent, openWorld hint }

// A hint is a boolean that may be absent. Values of another type count as absent.
type hint int

const (
	unsaid hint = iota
	yes
	no
)

// readHints returns the hints in annotations, an object or nothing.
func readHints(annotations jsonobject.Object) hints {
	read := func(name string) hint {
		switch string(annotations.Get(name)) {
		case "true":
			return yes
		case "false":
			return no
		}
		return unsaid
	}
	return hints{
		readOnly: read("readOnlyHint"), destructive: read("destructiveHint"),
		idempotent: read("idempotentHint"), openWorld: read("openWorldHint"),
	}
}

// reads reports whether a call only reads. Hints that contradict each other do not count.
func (h hints) reads() bool { return h.readOnly == yes && h.destructive != yes }

// destroys reports whether the effects of a call may be impossible to undo, which is the
// protocol's default.
func (h hints) destroys() bool { return !h.reads() && h.destructive != no }
