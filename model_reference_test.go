package pegboard_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// errPlanned is the error of whatever is to fail in a plan.
var errPlanned = errors.New("as planned")

// A fate is how a call ends.
type fate struct {
	stage pegboard.Stage // where it failed; empty if it did not
	is    []error        // what its error wraps
	says  string         // what it tells the model, if it succeeds
	fails bool           // its result describes a failure
	inner []fate         // of the calls that it made

	mended bool // its input was
}

func failed(stage pegboard.Stage, is ...error) fate { return fate{stage: stage, is: is, fails: true} }

// foresee says how the calls of a plan end that nobody disturbs: one after the
// other, on paper. It is written after the documentation and shares nothing with
// the executor.
func foresee(p plan) (fates []fate) {
	paper := paper{files: map[string]string{}}
	for _, message := range [][]planned{p} {
		fates = append(fates, paper.message(message)...)
	}
	return fates
}

// paper is what the calls of a plan leave behind.
type paper struct {
	files map[string]string
	left  []deed // what goes on in the background
}

func (p *paper) message(calls []planned) (fates []fate) {
	ids := map[string]bool{}
	for _, c := range calls {
		if ids[c.id] {
			fates = append(fates, failed(pegboard.StageAdmit, pegboard.ErrDuplicate))
			continue
		}
		ids[c.id] = true
		f := p.call(c)
		f.mended = c.tool != "Nothing" && c.Look && (c.spelling == "fenced" || c.spelling == "lost")
		fates = append(fates, f)
	}
	return fates
}

func (p *paper) call(c planned) fate {
	if refused := p.refuse(c); refused.fails {
		return refused
	}
	f := p.work(c)
	switch {
	case c.Post == "block" && f.stage == "":
		return failed(pegboard.StageResult, errPlanned)
	case c.Post == "block" && c.Ends == "deaf": // who has the outcome must know that it goes on
		return failed(f.stage, errPlanned, pegboard.ErrDetached)
	case c.Post == "block":
		return failed(f.stage, errPlanned)
	case c.Post == "replace" && !f.fails:
		f.says = "replaced"
	}
	return f
}

// refuse says why a call does not run, or nothing.
func (p *paper) refuse(c planned) fate {
	switch {
	case c.tool == "Nothing":
		return failed(pegboard.StageLookup, pegboard.ErrUnknownTool)
	case c.spelling == "cut", c.spelling != "" && !c.Look: // what a model did not write, writes nothing
		return failed(pegboard.StageDecode, pegboard.ErrInvalidInput)
	}
	for _, held := range p.left {
		if held.conflicts(c.deed) {
			return failed(pegboard.StageTargets, pegboard.ErrDetached)
		}
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
		return fate{}
	case c.Person == "no":
		return failed(pegboard.StagePermission, pegboard.ErrDenied)
	}
	return failed(pegboard.StagePermission, pegboard.ErrDenied, pegboard.ErrExpired)
}

// work does what the tool does.
func (p *paper) work(c planned) fate {
	if c.tool == "Script" {
		return fate{says: "played", inner: p.message(c.inner())}
	}
	f := fate{}
	for _, r := range c.Reads {
		f.says += p.files[r] + ";"
	}
	if c.Ends == "deaf" { // it writes when it returns
		p.left = append(p.left, c.deed)
		return failed(pegboard.StageCall, pegboard.ErrDetached, pegboard.ErrTimeout)
	}
	for _, x := range c.Writes {
		p.files[x] += c.id
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
func (f fate) check(t *testing.T, o pegboard.Outcome, what func() string) {
	t.Helper()
	require.Equal(t, f.fails, o.Result.IsError, "%s: %v, %s\n%s", o.Call.ID, o.Err, o.Result.Text(), what())
	require.Equal(t, f.mended, len(o.Repairs) > 0, "%s: %v\n%s", o.Call.ID, o.Repairs, what())
	if f.stage == "" {
		require.NoError(t, o.Err, "%s\n%s", o.Call.ID, what())
	} else {
		var ce *pegboard.CallError
		require.ErrorAs(t, o.Err, &ce, "%s\n%s", o.Call.ID, what())
		require.Equal(t, f.stage, ce.Stage, "%s: %v\n%s", o.Call.ID, o.Err, what())
	}
	for _, err := range f.is {
		require.ErrorIs(t, o.Err, err, "%s\n%s", o.Call.ID, what())
	}
	if !f.fails {
		require.Equal(t, f.says, o.Result.Text(), "%s\n%s", o.Call.ID, what())
	}
}
