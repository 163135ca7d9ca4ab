package files_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// TestImpossibleChangesRunNoHooks: what cannot be written is refused before hooks and rules, unless
// the refusal would tell what the rules keep from the model.
func TestImpossibleChangesRunNoHooks(t *testing.T) {
	t.Parallel()
	patch := func(section string) map[string]any {
		return map[string]any{"input": "*** Begin Patch\n" + section + "\n*** End Patch"}
	}
	multi := map[string]any{"file_path": "f", "edits": []any{map[string]any{"old_string": "zzz", "new_string": "y"}}}
	at := func(path string) map[string]any {
		return map[string]any{"file_path": path, "old_string": "a", "new_string": "b"}
	}
	for _, tt := range []struct {
		name  string
		set   policy.RuleSet
		o     files.WriteOptions
		tool  string
		input map[string]any
		says  string // of the refusal before hooks; empty: it is decided
	}{
		{name: "edit", tool: "Edit", input: at("f"), says: "was not read"},
		{name: "several edits", o: files.WriteOptions{AllowUnread: true}, tool: "MultiEdit", input: multi, says: "edits[0]"},
		{name: "patch", tool: "apply_patch", input: patch("*** Update File: f\n@@\n-zzz\n+y"), says: "The hunk"},
		{name: "patch of two", tool: "apply_patch", input: patch("*** Delete File: f\n*** Delete File: none"), says: "No file was changed"},
		{name: "denied", set: policy.RuleSet{Deny: []string{"Edit(f)"}}, tool: "Edit", input: at("f")},
		{name: "reading denied", set: policy.RuleSet{Deny: []string{"Read(f)"}}, tool: "Edit", input: at("f")},
		{name: "one denied", set: policy.RuleSet{Deny: []string{"Edit(f)"}}, tool: "apply_patch", input: patch("*** Delete File: f\n*** Delete File: none")},
		{name: "of the host", o: files.WriteOptions{ConfigDirs: []string{"."}}, tool: "Edit", input: at("f")},
		{name: "outside", tool: "Edit", input: at("../f")},
		{name: "not there outside", tool: "Edit", input: at("../none")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hooks := 0
			g := newGround(t, pegboard.SessionConfig{
				Permissions: rules(t, tt.set),
				Hooks: pegboard.Hooks{Pre: func(context.Context, *pegboard.HookCall) (policy.Decision, error) {
					hooks++
					return policy.Decision{Behavior: policy.Deny, Reason: "decided"}, nil
				}},
			}, files.Edit(tt.o), files.MultiEdit(tt.o), files.ApplyPatch(tt.o))
			g.put(t, "f", "a\n")
			require.NoError(t, os.WriteFile(filepath.Join(g.dir, "../f"), []byte("a\n"), 0o600))
			out := g.call(t.Context(), t, tt.tool, tt.input)
			if tt.says == "" {
				require.ErrorIs(t, out.Err, pegboard.ErrDenied)
				require.Equal(t, 1, hooks)
				require.NotContains(t, out.Result.Text(), "not read")
				require.NotContains(t, out.Result.Text(), "does not exist")
				return
			}
			require.ErrorIs(t, out.Err, pegboard.ErrInvalidInput)
			require.Contains(t, out.Result.Text(), tt.says)
			require.Zero(t, hooks)
		})
	}
}

// TestRefusedBeforeTheDecisionCountsAsShown: the model repeats an edit after the text that it was
// shown.
func TestRefusedBeforeTheDecisionCountsAsShown(t *testing.T) {
	t.Parallel()
	g := editable(t)
	g.put(t, "f", "a\n")
	g.read(t, map[string]any{"file_path": "f"})
	g.put(t, "f", "b\n")
	require.ErrorContains(t, g.edit(t, "f", "a", "c").Err, "What is there now")
	require.NoError(t, g.edit(t, "f", "b", "c").Err)
}

// TestWhatIsKnownOutsideIsExplained: the user has let the model read the file.
func TestWhatIsKnownOutsideIsExplained(t *testing.T) {
	t.Parallel()
	asked := 0
	g := newGround(t, pegboard.SessionConfig{Ask: func(context.Context, *pegboard.Question) (policy.Decision, error) {
		asked++
		return policy.Decision{Behavior: policy.Allow}, nil
	}})
	require.NoError(t, os.WriteFile(filepath.Join(g.dir, "../f"), []byte("a\n"), 0o600))
	g.read(t, map[string]any{"file_path": "../f"})
	require.ErrorIs(t, g.edit(t, "../f", "zzz", "c").Err, pegboard.ErrInvalidInput)
	require.Equal(t, 1, asked, "about reading it")
}
