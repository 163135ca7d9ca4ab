package pegboard

import "sync/atomic"

// A Scope is what a tool knows of the pool that it declares itself for, see [Tool] and
// [Definition].Prompt. The zero Scope has no session and no tools.
type Scope struct {
	// Session is the one that the pool is for. It is nil when a registry compares the tools
	// of a source with its earlier ones.
	Session *Session

	pool  *Pool        // nil while it is not known which tools are in it
	tool  *Info        // the tool that declares itself
	asked *atomic.Bool // set when the tool asks what is in the pool; nil if nobody wants to know
}

// Has reports whether a built-in tool of that name or alias is in the pool, so that a text
// for the model may name it. A narrower pool, as [Pool.Resolve] and [Pool.Restrict] make
// it, has texts of its own. External tools are never reported: the definitions of the
// built-in tools do not change with them, so that the provider's prompt cache stays valid.
func (s Scope) Has(name string) bool {
	s.note()
	return s.pool != nil && s.pool.hasBuiltin(name)
}

// CanRun reports whether calls of the tool itself may make calls of that built-in tool with
// [Call.Run]. These are the other tools of the pool, and for REPL those that [Gates] hide
// behind it.
func (s Scope) CanRun(name string) bool {
	s.note()
	if s.pool == nil || s.tool == nil || s.tool.answersTo(name) {
		return false
	}
	return s.pool.behind(s.tool.Name).hasBuiltin(name)
}

func (s Scope) note() {
	if s.asked != nil {
		s.asked.Store(true)
	}
}
