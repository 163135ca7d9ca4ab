package definition

import (
	"context"
	"encoding/json"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A Caller makes a call. Tool is the name that the server has for the tool, and input a JSON
// object that the tool's schema accepts. It must not keep input.
type Caller func(ctx context.Context, c *pegboard.Call, tool string, input json.RawMessage) (*pegboard.Result, error)

// A Server holds facts about the server whose tools are read.
type Server struct {
	Name string // as it is attached
	// Trusted means that the server is believed where its hints make a call look harmless.
	// No hint lets a call run unasked.
	Trusted bool
	// AlwaysLoad means that the model sees the definitions from the start, except those
	// whose _meta says otherwise.
	AlwaysLoad bool
	// Timeout is how long a call may take; 0 means no limit.
	Timeout time.Duration
	// MirrorsInput means that the connection repeats parts of the input in HTTP headers, as
	// version 2026-07-28 of the protocol says. The names of these headers must then be valid.
	MirrorsInput bool
}

// info returns the facts of an entry that never change.
func (s Server) info(e *entry) pegboard.Info {
	i := pegboard.Info{Name: e.name, Title: e.title, MaxResult: MaxResult, Timeout: s.Timeout}
	if s.AlwaysLoad {
		i.Loading = pegboard.LoadAlways
	}
	return i.WithAnnotations(e.annotations).WithMeta(e.meta)
}

// traits returns those of every call of a tool with these hints. The target is the server, so
// that calls of several servers run at the same time, and calls of one server in their order.
//
// Calls of tools with readOnlyHint run at the same time, too: a false hint can disorder only
// the effects on the server itself. All other traits for an untrusted server are the
// protocol's defaults, whatever its hints say.
func (s Server) traits(h hints) pegboard.Traits {
	target := policy.Target{Kind: policy.Resource, Value: "mcp:" + s.Name}
	t := pegboard.Traits{Concurrency: pegboard.PerTarget, Destructive: true, OpenWorld: true}
	if h.reads() {
		target.Access, t.Concurrency = policy.Read, pegboard.Shared
	}
	if s.Trusted {
		t.ReadOnly, t.Destructive = h.reads(), h.destroys()
		t.OpenWorld = h.openWorld != no
		t.Idempotent = h.idempotent == yes
	}
	t.Targets = []policy.Target{target}
	return t
}

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
