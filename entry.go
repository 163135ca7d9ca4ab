package pegboard

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/toolname"
)

// An entry is a registered tool with a copy of its facts, which decisions use. It is
// never written to after registration.
type entry struct {
	tool     Tool
	info     Info
	output   *outputSpec
	ofPool   bool         // of PoolConfig.With, and not registered
	compares bool         // its calls may be the same, see Tool.Equivalent
	decl     *Declaration // the declaration for every session, or nil if the tool is asked in each
	deferred *Declaration // decl, deferred
	// redefined is set if the definition of an external tool is not the one that is expected.
	redefined *redefinition
}

// newEntry checks a tool and copies its facts. It calls Info and input, since a wrapper
// around a nil Tool would otherwise panic in mid-conversation.
func newEntry(t Tool) (e entry, err error) {
	if t == nil {
		return entry{}, &BuildError{Field: "Tool", Err: errors.New("is nil")}
	}
	if u, ok := t.(invalidTool); ok {
		return entry{info: u.Info()}, u.reason
	}
	if err := goroutine.Try(func() error { e.info = t.Info(); return nil }); err != nil {
		return entry{}, &BuildError{Field: "Info", Err: err}
	}
	if err := checkName(e.info.Name); err != nil {
		return e, &BuildError{Tool: e.info.Name, Field: "Info.Name", Err: err}
	}
	if err := goroutine.Try(func() error { t.input(); e.output = t.output(); return nil }); err != nil {
		return e, &BuildError{Tool: e.info.Name, Field: "Tool", Err: fmt.Errorf("is not made by Build: %w", err)}
	}
	for _, a := range e.info.Aliases {
		if err := checkName(a); err != nil {
			return e, &BuildError{Tool: e.info.Name, Field: "Info.Aliases", Err: err}
		}
	}
	e.info.Aliases = slices.Clone(e.info.Aliases)
	e.tool = t
	e.compares = mayCompare(t) && !e.info.Polls && !e.info.Supplied && !e.info.RequiresGuard
	return e, nil
}

// mayCompare reports whether Equivalent of t may be true. It says no for most tools, and
// spares their calls the comparison.
func mayCompare(t Tool) bool {
	c, ok := t.(interface{ compares() bool })
	return !ok || c.compares()
}

// checkRuleNames returns an error if no rule can name the tool. The exposed name of an
// external tool needs no check: it is folded to letters, digits, _ and -.
func (e *entry) checkRuleNames() error {
	for _, name := range append([]string{e.info.Name}, e.info.Aliases...) {
		r, err := ParseRule(Deny, name)
		if err == nil && (r.Tool != name || strings.Contains(name, "*")) {
			err = errors.New("a rule of this text is not about this tool alone")
		}
		if err != nil {
			return &BuildError{Tool: e.info.Name, Field: "Info.Name", Err: fmt.Errorf("no rule could name %q: %w", name, err)}
		}
	}
	return nil
}

// newExternalEntry is newEntry for a tool of a source.
func newExternalEntry(source string, t Tool) (entry, error) {
	e, err := newEntry(t)
	raw := e.info.Name
	e.info.Origin = Origin{Source: source, Tool: raw}
	if err != nil {
		return e, err
	}
	e.info.Name, e.info.server = toolname.Exposed(source, raw), toolname.Server(source)
	e.info.spelled = toolname.Prefix + source + "__" + raw
	e.compares = false   // what it says of itself is not trusted
	e.info.Aliases = nil // an external tool cannot claim further names
	e.tool = externalTool{Tool: t, info: e.info}
	return e, nil
}

// cacheDeclaration stores the declaration of a tool that has the same one in every
// session. T is the tool as it was handed over.
func (e *entry) cacheDeclaration(t Tool) {
	if c, ok := t.(interface{ constant() bool }); ok && c.constant() {
		if e.decl, _ = e.declare(Scope{}); e.decl != nil {
			deferred := *e.decl
			deferred.Deferred = true
			e.deferred = &deferred
		}
	}
}

// declare returns the declaration of the tool, or why there is none.
func (e *entry) declare(s Scope) (d *Declaration, why string) {
	d, ok := new(Declaration), false
	if err := goroutine.Try(func() error { *d, ok = e.tool.Declare(s); return nil }); err != nil {
		return nil, "declaring it: " + err.Error()
	}
	if !ok {
		return nil, "disabled in this session"
	}
	d.Name, d.Deferred = e.info.Name, false // a call by the declared name must find the tool
	return d, ""
}

// withDeferred returns d, a declaration of the tool, with Deferred set to deferred.
func (e *entry) withDeferred(d *Declaration, deferred bool) *Declaration {
	switch {
	case d.Deferred == deferred:
		return d
	case d == e.decl:
		return e.deferred
	case d == e.deferred:
		return e.decl
	}
	other := *d
	other.Deferred = deferred
	return &other
}

// exclusion returns the tool as one that is not in a pool.
func (e *entry) exclusion(reason string) Exclusion {
	return Exclusion{Name: e.info.Name, Origin: e.info.Origin, Reason: reason, aliases: e.info.Aliases}
}

// An externalTool has the exposed name and the origin of a source's tool.
type externalTool struct {
	Tool
	info Info
}

// Info implements [Tool].
func (t externalTool) Info() Info { return t.info }

// Declare implements [Tool].
func (t externalTool) Declare(s Scope) (Declaration, bool) {
	d, ok := t.Tool.Declare(s)
	d.Name = t.info.Name
	return d, ok
}

// InvalidTool stands for a tool that its source described but that could not be built.
// [Registry.Attach] quarantines it with reason, so that a bridge hands over a whole list
// at once, valid and invalid tools. [Registry.Add] refuses it.
func InvalidTool(name string, reason error) Tool {
	if reason == nil {
		reason = errors.New("no reason was given")
	}
	return invalidTool{name: name, reason: reason}
}

type invalidTool struct {
	Tool
	name   string
	reason error
}

// Info implements [Tool].
func (t invalidTool) Info() Info { return Info{Name: t.name} }

// fingerprint identifies the definition of an external tool. That of a tool that cannot declare
// itself without a session is the same whatever it declares.
func (e *entry) fingerprint() string {
	d := e.decl
	if d == nil {
		if d, _ = e.declare(Scope{}); d == nil {
			d = &Declaration{}
		}
	}
	return fingerprintOf(d, &e.info)
}
