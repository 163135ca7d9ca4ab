//go:build unix

package pegboard_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestCommandsAreNotGivenPipesUnasked: to read a named pipe may wait for ever, and to write one
// reaches another program. A tool that reads files itself refuses them, so it may try.
func TestCommandsAreNotGivenPipesUnasked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	cat := pegboard.Target{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "cat", Shell: pegboard.ShellFacts{Simple: true, ReadOnly: true, EditsOnly: true}}
	tree := pathTo(pegboard.AccessRead, "pipe")
	tree.Tree = true
	for _, tt := range []struct {
		name    string
		targets []pegboard.Target
		set     pegboard.RuleSet
		want    pegboard.Behavior
	}{
		{name: "read by a command", targets: []pegboard.Target{cat, pathTo(pegboard.AccessRead, "pipe")}, want: pegboard.Ask},
		{name: "written by a command", targets: []pegboard.Target{cat, pathTo(pegboard.AccessWrite, "pipe")}, want: pegboard.Ask},
		{name: "a file", targets: []pegboard.Target{cat, pathTo(pegboard.AccessWrite, "f")}, want: pegboard.Allow},
		{name: "searched by a command", targets: []pegboard.Target{cat, tree}, want: pegboard.Allow},
		{name: "read by a tool", targets: []pegboard.Target{pathTo(pegboard.AccessRead, "pipe")}, want: pegboard.Allow},
		{name: "written by a tool", targets: []pegboard.Target{pathTo(pegboard.AccessWrite, "pipe")}, want: pegboard.Allow},
		{name: "with a rule", targets: []pegboard.Target{cat, pathTo(pegboard.AccessRead, "pipe")}, set: pegboard.RuleSet{Allow: []string{"Read(./pipe)"}}, want: pegboard.Allow},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: tt.targets}}
			s := session(t, pegboard.SessionConfig{Dir: dir, Permissions: rules(t, pegboard.ModeAcceptEdits, tt.set)})
			got := judge(t, a.pool(t, s))
			require.Equal(t, tt.want, got.behavior, got.reason)
			if tt.want == pegboard.Ask {
				require.Contains(t, got.reason, pipe+" is a pipe, a socket or a device")
			}
		})
	}
}
