package tooltest_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func TestCheckView(t *testing.T) { //nolint:tparallel // the cases take no time
	t.Parallel()
	denied := &pegboard.CallError{Tool: "Edit", Stage: pegboard.StagePermission, Err: pegboard.ErrDenied}
	text := []pegboard.Part{{Text: "one two"}, {Text: "three", Title: "A page", Source: "https://example.com/a"}}
	broken := map[string]bool{}
	for _, tt := range []struct {
		name   string
		result pegboard.Result
		err    error
		rule   string
		got    string
	}{
		{name: "empty"},
		{name: "words of all parts", result: pegboard.Result{Parts: text, SearchText: "two page\nthree", Line: "Found example.com/a"}},
		{name: "another word", result: pegboard.Result{Parts: text, SearchText: "one four"}, rule: tooltest.RuleViewSearch, got: `Result.SearchText has "four"`},
		{name: "a short number may be a count", result: pegboard.Result{Parts: text, Line: "Read 120,000 lines of a-file"}},
		{name: "a path of the input", result: pegboard.Result{Parts: text, Line: "Read src/main.go."}},
		{name: "a path from elsewhere", result: pegboard.Result{Parts: text, Line: "Read (/etc/shadow-)"}, rule: tooltest.RuleViewLine, got: `"/etc/shadow-"`},
		{name: "long words", result: pegboard.Result{Parts: text, Line: "Straightforwardly done"}},
		{name: "a diff", result: pegboard.Result{Diffs: []pegboard.Diff{{Path: "/w/src/main.go"}}}},
		{name: "a diff of a call that was denied", err: denied, result: pegboard.Result{Diffs: []pegboard.Diff{{Path: "/w/src/main.go"}}}, rule: tooltest.RuleViewDiffs, got: "did not run"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := pegboard.Outcome{Call: &pegboard.Call{Name: "Edit", Input: []byte(`{"path":"src/main.go"}`)}, Result: &tt.result, Err: tt.err}
			err := tooltest.CheckView(o)
			if tt.rule == "" {
				require.NoError(t, err)
				return
			}
			broken[tt.rule] = true
			require.Equal(t, []string{tt.rule}, rulesOf(t, err))
			require.ErrorContains(t, err, tt.got)
		})
	}
	requireRules(t, "check_view.go", tooltest.ViewRules(), broken)
	require.NoError(t, tooltest.CheckView(pegboard.Outcome{}))
}

// TestCheckViewKnowsWhatACallWrites has a diff of another file than the targets say.
func TestCheckViewKnowsWhatACallWrites(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := tooltest.NewSession(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	for path, ok := range map[string]bool{dir + "/a.txt": true, dir + "/b.txt": false} {
		tool := tooltest.StandIn(traitsFrom(func(_ *pegboard.Call, tr *pegboard.Traits) {
			tr.ReadOnly, tr.Targets[0].Access = false, pegboard.AccessWrite
		}), tooltest.Reply{Result: &pegboard.Result{Diffs: []pegboard.Diff{{Path: path}}}})
		out := tooltest.Run(t.Context(), tool, s, goodInput)
		require.NoError(t, out.Err)
		if err := tooltest.CheckView(out); ok {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, "there is a diff of "+path)
		}
	}
}

func ExampleCheckView() {
	account := func(line string) pegboard.Tool {
		return tooltest.NewFake("Account", tooltest.Reply{Result: &pegboard.Result{
			Parts: []pegboard.Part{{Text: "The account is open."}}, Line: line,
		}})
	}
	for _, line := range []string{"The account is open", "Account DE02-1203-0000 is open"} {
		fmt.Println(tooltest.CheckView(tooltest.Run(context.Background(), account(line), nil, `{}`)))
	}
	// Output:
	// <nil>
	// a line tells no more: Result.Line has "DE02-1203-0000", and neither the parts nor the input do (input {}); a person and the model must know the same of what came of a call
}
