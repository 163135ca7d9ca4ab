package shell_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// TestTheDirectoryCarriesOver runs lines one after the other. The last prints where
// it is.
func TestTheDirectoryCarriesOver(t *testing.T) {
	t.Parallel()
	needBash(t)
	tests := []struct {
		name    string
		lines   []string
		options shell.Options
		want    string // below the session's directory
		notes   string // on the line before the last
	}{
		{name: "it does", lines: []string{"cd sub"}, want: "sub"},
		{name: "and on", lines: []string{"cd sub", "cd deep"}, want: "sub/deep"},
		{name: "and back", lines: []string{"cd sub", "cd .."}},
		{name: "pushd", lines: []string{"pushd sub >/dev/null"}, want: "sub"},
		{name: "a failure", lines: []string{"cd sub; false"}, want: "sub"},
		{name: "exit", lines: []string{"cd sub; exit 3"}, want: "sub"},
		{name: "set -e", lines: []string{"cd sub; set -e; false; cd deep"}, want: "sub"},
		{name: "a trap of the line's own", lines: []string{"cd sub; trap 'echo bye' EXIT"}, want: "sub"},
		{name: "a trap and a variable that stays", lines: []string{"cd sub; readonly code=3; trap : EXIT"}, want: "sub"},
		{name: "a function named pwd", lines: []string{"cd sub; pwd() { echo /; }"}, want: "sub"},
		{name: "noclobber and xtrace", lines: []string{"cd sub; set -Cx"}, want: "sub"},
		{name: "no output", lines: []string{"cd sub; exec >&- 2>&-"}, want: "sub"},
		{name: "a trap that is left by exit", lines: []string{"trap 'echo bye' EXIT; cd sub; exit 3"}, want: "sub"},
		{name: "a trap that exits", lines: []string{"trap 'exit 4' EXIT; cd sub"}, want: "sub"},
		{name: "a trap and set -e", lines: []string{"trap 'echo bye' EXIT; set -e; cd sub; false; cd deep"}, want: "sub"},
		{name: "a trap and a cd that fails", lines: []string{"trap : EXIT; cd sub; cd none; exit"}, want: "sub"},
		{name: "a trap that moves", lines: []string{"cd sub; trap 'cd deep' EXIT; exit"}, want: "sub/deep"},
		{name: "a trap and a subshell", lines: []string{"trap 'echo bye' EXIT; (cd sub; exit); echo a | cd sub; exit"}},
		{name: "a trap and pushd", lines: []string{"trap 'echo bye' EXIT; pushd sub; pushd deep; popd; exit"}, want: "sub"},
		{name: "back", lines: []string{"cd sub", "cd -"}},
		{name: "back and forth", lines: []string{"cd sub", "cd -", "cd -"}, want: "sub"},
		{name: "back from a line of two", lines: []string{"cd sub && cd deep", "cd -"}, want: "sub"},
		{name: "back to where nobody was", lines: []string{"cd -"}},
		{name: "back from outside", lines: []string{"cd sub", "cd /", "cd -"}},
		{name: "back to a directory outside", lines: []string{"cd / && cd - && cd sub", "cd -"}},
		{name: "back without a directory to keep", lines: []string{"cd sub", "cd -"}, options: shell.Options{FixedDir: true}},
		{name: "a subshell", lines: []string{"(cd sub)"}},
		{name: "another program", lines: []string{"cd sub; exec true"}},
		{name: "an error of syntax", lines: []string{"cd sub\nif"}, want: "sub"},
		{name: "killed", lines: []string{"cd sub; kill -KILL $$"}},
		{name: "cut off by time", lines: []string{"cd sub; sleep 60"}, options: shell.Options{Timeout: 1e8, NoBackground: true}},
		{name: "outside", lines: []string{"cd /"}, notes: "outside the working directories"},
		{name: "outside from below", lines: []string{"cd sub", "cd /"}, notes: "outside the working directories"},
		{name: "through a link", lines: []string{"cd link"}, notes: "outside the working directories"},
		{name: "a blank and a quote", lines: []string{`cd "it's one"`}, want: "it's one"},
		{name: "in the background", lines: []string{"cd sub; exec sleep 1000"}, options: shell.Options{Timeout: 1e8}, notes: "directory changes made by the backgrounded command do not apply"},
		{name: "turned off", lines: []string{"cd sub"}, options: shell.Options{FixedDir: true}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := session(t, carryDir(t), "Bash")
			pool := poolOf(t, s, shell.Bash(tc.options))
			var ex pegboard.Executor
			var got shell.Output
			var before string
			for _, line := range tc.lines {
				before = s.Cwd()
				got = outputOf(t, ex.Run(t.Context(), pool, bashCall(t, line))[0])
			}
			switch {
			case tc.notes != "":
				require.Contains(t, got.Stderr, tc.notes)
			case s.Cwd() == before:
				require.NotContains(t, got.Stderr, "director", "nothing to note")
			default:
				require.Contains(t, got.Stderr, "The working directory is "+s.Cwd()+" now.")
			}
			require.Equal(t, filepath.Join(s.Dir(), tc.want), s.Cwd())
			require.Equal(t, filepath.Join(s.Dir(), tc.want), outputOf(t, ex.Run(t.Context(), pool, bashCall(t, "pwd"))[0]).Stdout)
		})
	}
}

// TestADirectoryThatIsGone leads back to the session's, and not to calls that all
// fail.
func TestADirectoryThatIsGone(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, carryDir(t), "Bash")
	pool := poolOf(t, s, shell.Bash(shell.Options{}))
	var ex pegboard.Executor
	ex.Run(t.Context(), pool, bashCall(t, "cd sub/deep"))
	require.NoError(t, os.RemoveAll(filepath.Join(s.Dir(), "sub")))
	require.ErrorContains(t, ex.Run(t.Context(), pool, bashCall(t, "pwd"))[0].Err, "is gone or leads outside by now. The working directory is "+s.Dir()+" again")
	require.Equal(t, s.Dir(), ex.Run(t.Context(), pool, bashCall(t, "pwd"))[0].Result.Text(), "it is told once")
}

// TestADirectoryThatLeadsElsewhere leads back, too: no line that reads its directory
// may read one outside.
func TestADirectoryThatLeadsElsewhere(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, carryDir(t), "Bash(cd:*)")
	var ex pegboard.Executor
	pool := poolOf(t, s, shell.Bash(shell.Options{}))
	ex.Run(t.Context(), pool, bashCall(t, "cd sub"))
	sub := filepath.Join(s.Dir(), "sub")
	require.NoError(t, os.RemoveAll(sub))
	require.NoError(t, os.Symlink(tempDir(t), sub))
	require.ErrorContains(t, ex.Run(t.Context(), pool, bashCall(t, "pwd -P"))[0].Err, "leads outside by now")
	require.Equal(t, s.Dir(), ex.Run(t.Context(), pool, bashCall(t, "pwd -P"))[0].Result.Text())
}

func bashCall(t *testing.T, line string) pegboard.Call {
	t.Helper()
	return pegboard.Call{Name: "Bash", Input: []byte(fmt.Sprintf(`{"command":%s}`, jsonOf(t, line)))}
}

// TestCallsOfAMessageFollowTheDirectory: a call is decided for the directory in which
// it runs, although it was looked at before the call ahead of it changed it.
func TestCallsOfAMessageFollowTheDirectory(t *testing.T) {
	t.Parallel()
	needBash(t)
	dir := carryDir(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "note"), []byte("above\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sub", "note"), []byte("below\n"), 0o600))
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Bash"}, Deny: []string{"Read(/sub/note)"}})
	require.NoError(t, err)
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: dir, Permissions: perms})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })

	var ex pegboard.Executor
	outs := ex.Run(t.Context(), poolOf(t, s, shell.Bash(shell.Options{})),
		bashCall(t, "cat note"), bashCall(t, "cd sub"), bashCall(t, "cat note"), bashCall(t, "cat ../note"), bashCall(t, "cd ..; pwd"), bashCall(t, "cat note"))
	require.Equal(t, "above", outs[0].Result.Text())
	require.ErrorIs(t, outs[2].Err, pegboard.ErrDenied, "it is sub/note by now")
	require.Equal(t, "above", outs[3].Result.Text())
	require.Equal(t, dir, outputOf(t, outs[4]).Stdout)
	require.Equal(t, "above", outs[5].Result.Text())
}

// TestADecidedCallStaysWhereItWasDecided: while a person is asked, another batch
// changes the directory.
func TestADecidedCallStaysWhereItWasDecided(t *testing.T) {
	t.Parallel()
	needBash(t)
	dir := carryDir(t)
	asked, answer := make(chan struct{}), make(chan struct{})
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Bash(cd:*)"}})
	require.NoError(t, err)
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: dir, Permissions: perms, Ask: func(context.Context, *pegboard.Question) (policy.Decision, error) {
		close(asked)
		<-answer
		return policy.Decision{Behavior: policy.Allow}, nil
	}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	pool := poolOf(t, s, shell.Bash(shell.Options{}))

	ended := starting(t.Context(), pool, "Bash", `{"command":"touch here; pwd"}`)
	<-asked
	var ex pegboard.Executor
	require.NoError(t, ex.Run(t.Context(), pool, bashCall(t, "cd sub"))[0].Err)
	close(answer)
	require.Equal(t, dir, (<-ended).Result.Text())
	require.FileExists(t, filepath.Join(dir, "here"))
	require.Equal(t, filepath.Join(dir, "sub"), ex.Run(t.Context(), pool, bashCall(t, "pwd"))[0].Result.Text(), "the newer change stands")
}

// TestAgentsHaveTheirOwnDirectory: nothing carries over in them, and they see
// nothing of the main session's.
func TestAgentsHaveTheirOwnDirectory(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, carryDir(t), "Bash")
	tool := shell.Bash(shell.Options{})
	var ex pegboard.Executor
	require.NoError(t, ex.Run(t.Context(), poolOf(t, s, tool), bashCall(t, "cd sub"))[0].Err)
	fork, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: "a"})
	require.NoError(t, err)
	outs := ex.Run(t.Context(), poolOf(t, fork, tool), bashCall(t, "pwd"), bashCall(t, "cd it*"), bashCall(t, "pwd"))
	require.Equal(t, s.Dir(), outs[0].Result.Text())
	require.Equal(t, s.Dir(), outs[2].Result.Text())
	require.NoError(t, fork.Close(t.Context()))
	require.Equal(t, filepath.Join(s.Dir(), "sub"), ex.Run(t.Context(), poolOf(t, s, tool), bashCall(t, "pwd"))[0].Result.Text(), "and the end of one ends nobody else's commands")
}

// TestAddedDirectoriesAreWorkingDirectories.
func TestAddedDirectoriesAreWorkingDirectories(t *testing.T) {
	t.Parallel()
	needBash(t)
	more := tempDir(t)
	s := session(t, carryDir(t), "Bash")
	require.NoError(t, s.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) {
		return p.Apply(policy.Update{Type: policy.AddDirectories, Directories: []string{more}, Destination: policy.SourceSession})
	}))
	pool := poolOf(t, s, shell.Bash(shell.Options{}))
	var ex pegboard.Executor
	outs := ex.Run(t.Context(), pool, bashCall(t, "cd "+more), bashCall(t, "pwd"))
	require.Equal(t, "The working directory is "+more+" now.", outputOf(t, outs[0]).Stderr)
	require.Equal(t, more, strings.TrimSpace(outs[1].Result.Text()))
}

// TestCommandsStartWhereTheSessionHasMoved: whatever cd did before is forgotten, also when the
// session comes back, and a line that runs meanwhile does not take its directory along.
func TestCommandsStartWhereTheSessionHasMoved(t *testing.T) {
	t.Parallel()
	needBash(t)
	dir := carryDir(t)
	s := session(t, dir, "Bash")
	pool := poolOf(t, s, shell.Bash(shell.Options{}))
	var ex pegboard.Executor
	printed := func(line string) string { return outputOf(t, ex.Run(t.Context(), pool, bashCall(t, line))[0]).Stdout }
	sub := filepath.Join(dir, "sub")
	printed("cd sub/deep")
	require.NoError(t, s.SetDir(sub))
	require.Equal(t, sub, printed("pwd"))
	printed("cd deep")
	require.NoError(t, s.SetDir(dir))
	require.Equal(t, dir, printed("pwd"))
	printed("cd sub")
	require.NoError(t, s.SetDir(sub))
	require.NoError(t, s.SetDir(dir))
	require.Equal(t, dir, printed("pwd"), "no line ran in between")

	begun, ended := filepath.Join(dir, "begun"), make(chan string)
	go func() { ended <- printed("touch begun; while [ -e begun ]; do sleep 0.01; done; pwd; cd sub/deep") }()
	require.Eventually(t, func() bool { _, err := os.Stat(begun); return err == nil }, time.Minute, time.Millisecond)
	require.NoError(t, s.SetDir(sub))
	require.NoError(t, os.Remove(begun))
	require.Equal(t, dir, <-ended)
	require.Equal(t, sub, printed("pwd"))
}

// TestFileToolsFollowTheDirectory: after a cd, a relative path means the same file to the shell and
// to the file tools, and rules are about the file that it means.
func TestFileToolsFollowTheDirectory(t *testing.T) {
	t.Parallel()
	needBash(t)
	dir := carryDir(t)
	for name, text := range map[string]string{"note": "above\n", "sub/note": "below\n", "sub/secret": "secret\n", "secret": "open\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	perms, err := policy.New(policy.ModeAcceptEdits, policy.RuleSet{Allow: []string{"Bash(cd:*)"}, Deny: []string{"Read(/sub/secret)"}})
	require.NoError(t, err)
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: dir, Permissions: perms})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	var registry pegboard.Registry
	require.NoError(t, registry.Add(append(files.Tools(), shell.Bash(shell.Options{}))...))
	pool := registry.AssemblePool(s, pegboard.PoolConfig{})
	call := func(name string, input map[string]any) pegboard.Call {
		return pegboard.Call{Name: name, Input: []byte(jsonOf(t, input))}
	}
	read := func(path string) pegboard.Call { return call("Read", map[string]any{"file_path": path}) }
	var ex pegboard.Executor

	outs := ex.Run(t.Context(), pool, read("note"), bashCall(t, "cd sub"), read("note"), read("secret"),
		call("Edit", map[string]any{"file_path": "note", "old_string": "below", "new_string": "edited"}),
		call("Write", map[string]any{"file_path": "made", "content": "new\n"}))
	require.Contains(t, outs[0].Result.Text(), "above")
	require.Contains(t, outs[1].Result.Text(), "The working directory is "+filepath.Join(dir, "sub")+" now.")
	require.Contains(t, outs[2].Result.Text(), "below")
	require.ErrorIs(t, outs[3].Err, pegboard.ErrDenied)
	require.NoError(t, outs[4].Err)
	require.NoError(t, outs[5].Err)
	require.FileExists(t, filepath.Join(dir, "sub", "made"))
	edited, err := os.ReadFile(filepath.Join(dir, "sub", "note"))
	require.NoError(t, err)
	require.Equal(t, "edited\n", string(edited))

	outs = ex.Run(t.Context(), pool, call("Glob", map[string]any{"pattern": "n*"}), call("Grep", map[string]any{"pattern": "edited|above"}), read("none"), read("../note"), read("sub/note"))
	require.Equal(t, "note", outs[0].Result.Text())
	require.Contains(t, outs[1].Result.Text(), "note")
	require.NotContains(t, outs[1].Result.Text(), "above", "the search starts where the shell is")
	require.Contains(t, outs[2].Result.Text(), "The working directory is "+filepath.Join(dir, "sub"))
	require.Contains(t, outs[3].Result.Text(), "above")
	require.Contains(t, outs[4].Result.Text(), "Did you mean "+filepath.Join(dir, "sub", "note")+"?")
}
