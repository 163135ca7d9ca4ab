package pegboard

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// View returns what a user interface shows of c, before it runs or while it does. It may
// be called at any time, for a call of an event, a [Question] or an [Outcome] as well, and
// for one whose tool or input turns out to be wrong. It asks the tool each time, and a
// panic of the tool counts as no answer.
func (c *Call) View() View {
	info, tr, lines := c.describe()
	kind := tr.Kind.known()
	v := View{Title: cmp.Or(OneLine(lines.Title), info.title(), "a tool without a name"), Kind: kind, Folds: tr.Folding.folds(kind)}
	if o := info.Origin; o.External() {
		v.Title = OneLine(o.Source + ": " + v.Title)
	}
	objects := c.objects(tr)
	if v.Before = OneLine(lines.Before); v.Before == "" {
		v.Before = OneLine(v.Title + " " + objects)
	}
	switch v.While = OneLine(lines.While); {
	case v.While != "":
	case kind == KindOther || objects == "":
		v.While = OneLine("Running " + v.Title + " " + objects)
	default:
		v.While = OneLine(callKinds[kind].while + " " + objects)
	}
	return v
}

// describe returns what is known of c at this moment, and what its tool says of it.
func (c *Call) describe() (info *Info, tr Traits, lines Lines) {
	info = &Info{Name: c.Name}
	if c.state == nil || c.state.pool == nil {
		return info, tr, lines
	}
	e, ok := c.state.pool.lookup(c.Name)
	if !ok {
		return info, tr, lines
	}
	if tr = c.state.traits; tr.isZero() { // not asked yet, or the tool says nothing
		_ = goroutine.Try(func() error { tr = e.tool.Traits(c); return nil })
	}
	_ = goroutine.Try(func() error { lines = e.tool.Lines(c); return nil })
	return &e.info, tr, lines
}

// objects lists what c acts on, without guesses. At most three are named.
func (c *Call) objects(tr Traits) string {
	ts := tr.Targets
	if c.state != nil && c.state.targets != nil {
		ts = c.state.targets
	}
	var names []string
	more := 0
	for _, t := range ts {
		switch {
		case t.Shell.Guess || t.Value == "":
		case len(names) == 3:
			more++
		case t.Kind == TargetPath:
			names = append(names, c.ShortPath(t.Value))
		case t.Kind == TargetHost:
			names = append(names, t.shown())
		default:
			names = append(names, t.Value)
		}
	}
	text := strings.Join(names, ", ")
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
