package pegboard_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// errPlanned is the error of whatever is to fail in a plan.
var errPlanned = errors.New("as planned")

// expected is how a call of a plan ends when nothing disturbs it.
type expected struct {
	stage pegboard.Stage // where it failed; empty if it did not
	is    []error        // what its error wraps
	says  string         // what it tells the model, if it succeeds
	fails bool           // its result describes a failure
	inner []expected     // of the calls that it made
	same  string         // the id of the call whose outcome it has, too

	repaired bool // its input was repaired
}

func failed(stage pegboard.Stage, is ...error) expected {
	return expected{stage: stage, is: is, fails: true}
}

// foresee returns how each call of a plan ends when nothing disturbs it. Each: every call
// runs for itself.
func foresee(p plan, each bool) []expected {
	ref := reference{files: map[string]string{}, each: each}
	return ref.message(p, false)
}

// reference takes the calls of a plan one after the other. It is written after the
// documentation and shares no code with the executor.
type reference struct {
	files map[string]string // what calls have written
	left  []action          // calls that go on in the background, and keep their keys
	each  bool              // no call is answered by the one before it
}

// message takes the calls of a message, or those of a script.
func (r *reference) message(calls []planned, script bool) (foreseen []expected) {
	ids := map[string]bool{}
	twin := false // the call before has the id of another
	for i, c := range calls {
		if ids[c.id] {
			foreseen, twin = append(foreseen, failed(pegboard.StageAdmit, pegboard.ErrDuplicate)), true
			continue
		}
		ids[c.id] = true
		var f expected
		if before := c.before(calls[:i]); before != nil && !twin && !script && !r.each && !r.unreachable(c).fails {
			f = foreseen[i-1].again(before.id, c)
		} else {
			f = r.call(c)
		}
		twin = false
		f.repaired = c.tool != "Nothing" && c.Look && (c.spelling == "fenced" || c.spelling == "lost")
		foreseen = append(foreseen, f)
	}
	return foreseen
}

// before returns the last of calls if c is the same call, and is answered by it.
func (p planned) before(calls []planned) *planned {
	if len(calls) == 0 || !p.Look || p.spelling != "" || p.Rule == "deny" {
		return nil
	}
	last := calls[len(calls)-1]
	if last.tool != p.tool || last.spelling != "" || last.input() != p.input() {
		return nil
	}
	return &last
}

// again returns how c ends if the call before it, whose id is before, is the same and has
// ended as f.
func (f expected) again(before string, c planned) expected {
	if f.same == "" {
		f.same = before
	}
	if !f.fails && c.Post != "replace" {
		f.says = c.tool + " was not run again: a call before it in this message (" + f.same + ") is the same. The result of that call holds for both."
	}
	return f
}

func (r *reference) call(c planned) expected {
	if refused := r.refuse(c); refused.fails {
		return refused
	}
	f := r.work(c)
	switch {
	case c.Post == "block" && f.stage == "":
		return failed(pegboard.StageResult, errPlanned)
	case c.Post == "block" && c.Ends == "deaf": // the outcome says that the call goes on
		return failed(f.stage, errPlanned, pegboard.ErrDetached)
	case c.Post == "block":
		return failed(f.stage, errPlanned)
	case c.Post == "replace" && !f.fails:
		f.says = "replaced"
	}
	return f
}

// unreachable says why a call does not get to a decision, or nothing.
func (r *reference) unreachable(c planned) expected {
	switch {
	case c.tool == "Nothing":
		return failed(pegboard.StageLookup, pegboard.ErrUnknownTool)
	case c.spelling == "cut", c.spelling != "" && !c.Look: // only read-only calls run on a repaired input
		return failed(pegboard.StageDecode, pegboard.ErrInvalidInput)
	}
	for _, held := range r.left {
		if held.conflicts(c.action) {
			return failed(pegboard.StageTargets, pegboard.ErrDetached)
		}
	}
	return expected{}
}

// refuse says why a call does not run, or nothing.
func (r *reference) refuse(c planned) expected {
	if refused := r.unreachable(c); refused.fails {
		return refused
	}
	switch {
	case c.Valid == "no":
		return failed(pegboard.StageValidate, pegboard.ErrInvalidInput, errPlanned)
	case c.Pre == "error":
		return failed(pegboard.StageHook, pegboard.ErrDenied, errPlanned)
	case c.Pre == "panic":
		return failed(pegboard.StageHook, pegboard.ErrDenied, pegboard.ErrPanic)
	case c.Pre == "late":
		return failed(pegboard.StageHook, pegboard.ErrDenied, pegboard.ErrTimeout)
	case c.Pre == "deny", c.Rule == "deny":
		return failed(pegboard.StagePermission, pegboard.ErrDenied)
	case c.Pre != "ask" && c.Rule != "ask", c.Person == "yes":
		return expected{}
	case c.Person == "no":
		return failed(pegboard.StagePermission, pegboard.ErrDenied)
	}
	return failed(pegboard.StagePermission, pegboard.ErrDenied, pegboard.ErrExpired)
}

// work does what the tool does.
func (r *reference) work(c planned) expected {
	if c.tool == "Script" {
		return expected{says: "played", inner: r.message(c.inner(), true)}
	}
	f := expected{}
	for _, x := range c.Reads {
		f.says += r.files[x] + ";"
	}
	if c.Ends == "deaf" { // it writes when it returns
		r.left = append(r.left, c.action)
		return failed(pegboard.StageCall, pegboard.ErrDetached, pegboard.ErrTimeout)
	}
	for _, x := range c.Writes {
		r.files[x] += c.id
	}
	switch c.Ends {
	case "error":
		return failed(pegboard.StageCall, errPlanned)
	case "panic", "goexit":
		return failed(pegboard.StageCall, pegboard.ErrPanic)
	case "hang":
		return failed(pegboard.StageCall, pegboard.ErrTimeout)
	case "flagged":
		f.fails = true
	case "":
		if f.says == "" {
			f.says = "nothing"
		}
	}
	return f
}

// check holds an outcome against what was foreseen.
func (f expected) check(t *testing.T, o pegboard.Outcome, what func() string) {
	t.Helper()
	require.Equal(t, f.fails, o.Result.IsError, "%s: %v, %s\n%s", o.Call.ID, o.Err, o.Result.Text(), what())
	require.Equal(t, f.repaired, len(o.Repairs) > 0, "%s: %v\n%s", o.Call.ID, o.Repairs, what())
	if f.stage == "" {
		require.NoError(t, o.Err, "%s\n%s", o.Call.ID, what())
	} else {
		var ce *pegboard.CallError
		require.ErrorAs(t, o.Err, &ce, "%s\n%s", o.Call.ID, what())
		require.Equal(t, f.stage, ce.Stage, "%s: %v\n%s", o.Call.ID, o.Err, what())
	}
	same := ""
	if o.SameAs != nil {
		same = o.SameAs.ID
	}
	require.Equal(t, f.same, same, "%s\n%s", o.Call.ID, what())
	for _, err := range f.is {
		require.ErrorIs(t, o.Err, err, "%s\n%s", o.Call.ID, what())
	}
	if !f.fails {
		require.Equal(t, f.says, o.Result.Text(), "%s\n%s", o.Call.ID, what())
	}
}
