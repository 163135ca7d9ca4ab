package pegboard

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/toolname"
)

// InvalidTool stands for a tool that its source described but that could not be
// built. [Registry.Attach] quarantines it with reason, so that a bridge hands
// over a whole list at once, good and bad. [Registry.Add] refuses it.
func InvalidTool(name string, reason error) Tool {
	if reason == nil {
		reason = errors.New("no reason was given")
	}
	return unusable{name: name, reason: reason}
}

type unusable struct {
	Tool
	name   string
	reason error
}

func (u unusable) Info() Info { return Info{Name: u.name} }

// attached gives an external tool the name and identity it has here.
type attached struct {
	Tool
	info Info
}

func (t attached) Info() Info { return t.info }

func (t attached) Declare(s *Session) (Declaration, bool) {
	d, ok := t.Tool.Declare(s)
	d.Name = t.info.Name
	return d, ok
}

func attach(source string, t Tool) (entry, error) {
	e, err := probe(t)
	raw := e.info.Name
	e.info.Origin = Origin{Source: source, Tool: raw}
	if err != nil {
		return e, err
	}
	e.info.Name, e.info.server = toolname.Exposed(source, raw), toolname.Server(source)
	e.info.spelled = toolname.Prefix + source + "__" + raw
	e.info.Aliases = nil // an external tool cannot take further names
	e.tool = attached{Tool: t, info: e.info}
	return e, nil
}

// probe takes the copy of a tool's facts. It calls the two stages that need no
// call once, since a wrapper around nothing satisfies the interface too and
// would otherwise panic in mid-conversation.
func probe(t Tool) (e entry, err error) {
	if t == nil {
		return entry{}, &BuildError{Field: "Tool", Err: errors.New("is nil")}
	}
	if u, ok := t.(unusable); ok {
		return entry{info: u.Info()}, u.reason
	}
	if err := goroutine.Try(func() error { e.info = t.Info(); return nil }); err != nil {
		return entry{}, &BuildError{Field: "Info", Err: err}
	}
	if err := checkName(e.info.Name); err != nil {
		return e, &BuildError{Tool: e.info.Name, Field: "Info.Name", Err: err}
	}
	if err := goroutine.Try(func() error { t.input(); return nil }); err != nil {
		return e, &BuildError{Tool: e.info.Name, Field: "Tool", Err: fmt.Errorf("is not made by Build: %w", err)}
	}
	for _, a := range e.info.Aliases {
		if err := checkName(a); err != nil {
			return e, &BuildError{Tool: e.info.Name, Field: "Info.Aliases", Err: err}
		}
	}
	e.info.Aliases = slices.Clone(e.info.Aliases)
	e.tool = t
	return e, nil
}

// entry is a tool with the copy of its fixed facts that decisions use. It is
// never written to once it is registered.
type entry struct {
	tool Tool
	info Info
	decl *Declaration // what the tool declares in every session, or nil if it must be asked in each
	late *Declaration // decl, deferred
}

// fix remembers the declaration of a tool that has one for all sessions. t is
// the tool as it was handed over.
func (e *entry) fix(t Tool) {
	if c, ok := t.(interface{ constant() bool }); ok && c.constant() {
		if e.decl, _ = e.declare(nil); e.decl != nil {
			late := *e.decl
			late.Deferred = true
			e.late = &late
		}
	}
}

// waiting returns d, which is a declaration of the tool, as it is while it waits for
// a search, or while it does not.
func (e *entry) waiting(d *Declaration, waits bool) *Declaration {
	switch {
	case d.Deferred == waits:
		return d
	case d == e.decl:
		return e.late
	case d == e.late:
		return e.decl
	}
	other := *d
	other.Deferred = waits
	return &other
}

func (e *entry) excluded(reason string) Exclusion {
	return Exclusion{Name: e.info.Name, Origin: e.info.Origin, Reason: reason, aliases: e.info.Aliases}
}

// declare returns what the model is told of the tool in s, or why it is told
// nothing.
func (e *entry) declare(s *Session) (d *Declaration, why string) {
	d, on := new(Declaration), false
	if err := goroutine.Try(func() error { *d, on = e.tool.Declare(s); return nil }); err != nil {
		return nil, "declaring it: " + err.Error()
	}
	if !on {
		return nil, "disabled in this session"
	}
	d.Name, d.Deferred = e.info.Name, false // a call by what the model was told must find the tool
	return d, ""
}
