package tooltest

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// Run runs one call of t through a real registry, pool and executor, under the
// permissions of s, and returns its outcome. Neither gates nor role tables hide t.
//
// A nil session means a new one from [NewSession] in the current directory, which Run
// closes before it returns; an error of closing it becomes the outcome's error. If
// the tool cannot be registered, Run returns an outcome with that error. For a tool whose
// calls the host executes, give a session and supply the outcome with its Supply.
func Run(ctx context.Context, t pegboard.Tool, s *pegboard.Session, input string) (out pegboard.Outcome) {
	c := pegboard.Call{ID: "call-1", Input: json.RawMessage(input)}
	if s == nil {
		own, err := NewSession("")
		if err != nil {
			return failedOutcome(c, err)
		}
		defer func() { closeOwn(own, &out) }()
		s = own
	}
	p, err := poolOf(t, s)
	if err != nil {
		return failedOutcome(c, err)
	}
	c.Name = t.Info().Name
	var e pegboard.Executor
	return e.Run(ctx, p, c)[0]
}

// poolOf returns a pool that contains only t, if t is declared in s.
func poolOf(t pegboard.Tool, s *pegboard.Session) (*pegboard.Pool, error) {
	var r pegboard.Registry
	if err := r.Add(t); err != nil {
		return nil, err
	}
	return r.AssemblePool(s, pegboard.PoolConfig{Gates: openGates(), Roles: openTables()}), nil
}

// openGates enable every well-known tool.
func openGates() pegboard.Gates {
	return pegboard.Gates{
		PowerShell: true, Resources: true, StructuredOutput: true,
		Features: []pegboard.Feature{
			pegboard.FeatureLSP, pegboard.FeatureWorktrees, pegboard.FeatureTeams, pegboard.FeatureCron,
			pegboard.FeatureMonitors, pegboard.FeatureConfig, pegboard.FeatureWorkflows,
		},
	}
}

// openTables exclude no tool from any role.
func openTables() *pegboard.RoleTables {
	return &pegboard.RoleTables{Async: []string{"*"}, Coordinator: []string{"*"}}
}

// failedOutcome returns the outcome of a call for which there is no pool.
func failedOutcome(c pegboard.Call, err error) pegboard.Outcome {
	return pegboard.Outcome{
		Call:   &c,
		Result: &pegboard.Result{Parts: []pegboard.Part{{Text: err.Error()}}, IsError: true},
		Err:    &pegboard.CallError{Tool: c.Name, CallID: c.ID, Stage: pegboard.StageAdmit, Err: err},
	}
}

// closeOwn closes a session that Run has opened. If something of the tool is still
// running, the tool has failed.
func closeOwn(s *pegboard.Session, out *pegboard.Outcome) {
	if err := closeSession(s); err != nil && out.Err == nil {
		err = fmt.Errorf("close the session: %w", err)
		out.Err = &pegboard.CallError{Tool: out.Call.ToolName(), CallID: out.Call.ID, Stage: pegboard.StageResult, Err: err}
	}
}
