package shell_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// A pretendSandbox keeps commands from nothing. It sets INSIDE, and says that it has refused
// what a command prints after "REFUSED ".
type pretendSandbox struct {
	mu   sync.Mutex
	seen []shell.SandboxCommand
	err  error // of Wrap
}

func (p *pretendSandbox) Wrap(c shell.SandboxCommand) ([]string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = append(p.seen, c)
	return append([]string{"env", "INSIDE=1"}, c.Args...), p.err
}

func (p *pretendSandbox) Refusal(_ shell.SandboxCommand, exit shell.SandboxExit) string {
	_, what, _ := strings.Cut(exit.Output, "REFUSED ")
	what, _, _ = strings.Cut(what, "\n")
	return what
}

// last returns the last command.
func (p *pretendSandbox) last(t *testing.T) shell.SandboxCommand {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	require.NotEmpty(t, p.seen)
	return p.seen[len(p.seen)-1]
}

// A sandboxScene is a session with a sandbox and a person who gives one answer to all.
type sandboxScene struct {
	sandbox   *pretendSandbox
	session   *pegboard.Session
	dir, home string
	questions []string // their reasons
}

func newSandboxScene(t *testing.T, set policy.RuleSet, answer policy.Behavior) *sandboxScene {
	t.Helper()
	needBash(t)
	if runtime.GOOS == "windows" {
		t.Skip("there is no env to run a command with")
	}
	sc := &sandboxScene{sandbox: &pretendSandbox{}, dir: tempDir(t), home: tempDir(t)}
	perms, err := policy.New(policy.ModeDefault, set)
	require.NoError(t, err)
	cfg := pegboard.SessionConfig{
		Dir: sc.dir, Home: sc.home, Permissions: perms, Breaker: pegboard.BreakerLimits{Repeats: -1, Denials: -1},
	}
	if answer != policy.Undecided {
		cfg.Ask = func(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
			sc.questions = append(sc.questions, q.Reason)
			return policy.Decision{Behavior: answer}, nil
		}
	}
	sc.session, err = pegboard.NewSession(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, sc.session.Close(context.Background())) })
	return sc
}

// refusedOnce is a line that the sandbox refuses and that runs without it.
const refusedOnce = `echo x >>tries; if [ "$INSIDE" ]; then echo REFUSED a write; exit 1; fi; echo done`

// TestWhatRunsInASandbox, what is asked about, and what is told.
func TestWhatRunsInASandbox(t *testing.T) {
	t.Parallel()
	input := func(line, extra string) string { return fmt.Sprintf(`{"command":%q%s}`, line, extra) }
	const inside = `echo "in:$INSIDE"; make() { :; }; make; eval true` // nothing that only reads
	const off = `,"dangerouslyDisableSandbox":true`
	for _, tc := range []struct {
		name    string
		input   string
		set     policy.RuleSet
		answer  policy.Behavior
		options shell.Options
		text    string   // of the result; "…" stands for any
		asks    []string // parts of the reasons
		tries   int      // of refusedOnce
	}{
		{name: "no rule is needed", input: input(inside, ""), text: "in:1"},
		{name: "an ask rule for the tool is not about it", input: input(inside, ""), set: policy.RuleSet{Ask: []string{"Bash"}}, text: "in:1"},
		{name: "unless the host wants that", input: input(inside, ""), set: policy.RuleSet{Ask: []string{"Bash"}}, options: shell.Options{SandboxAsks: true}, answer: policy.Allow, text: "in:1", asks: []string{"ask rule"}},
		{name: "nor runs it unasked then", input: input(inside, ""), options: shell.Options{SandboxAsks: true}, text: "…nobody can be asked…"},
		{name: "a file outside", input: input("touch /nowhere/f", ""), text: "…nobody can be asked…"},
		{name: "a host", input: input("curl https://example.com", ""), text: "…nobody can be asked…"},
		{name: "a rule that denies files anywhere", input: input(inside, ""), set: policy.RuleSet{Deny: []string{"Read(.env)"}}, text: "…nobody can be asked…"},
		{name: "a rule that denies one place", input: input(inside, ""), set: policy.RuleSet{Deny: []string{"Read(~/.ssh/**)"}}, text: "in:1"},

		{name: "without it as without one", input: input(inside, off), text: "…nobody can be asked…"},
		{name: "without it, allowed", input: input(inside, off), answer: policy.Allow, text: "in:", asks: []string{"no rule allows it"}},
		{name: "without it by a rule", input: input(inside, off), set: policy.RuleSet{Allow: []string{"Bash"}}, text: "in:"},
		{name: "never without it", input: input(inside, off), options: shell.Options{SandboxOnly: true}, text: "…dangerouslyDisableSandbox…"},
		{name: "not where rules deny files", input: input(inside, off), set: policy.RuleSet{Allow: []string{"Bash"}, Deny: []string{"Read(./secret)"}}, text: "…it cannot leave the sandbox: since rules deny files, nothing runs without it; do it in another way, or tell the user what is needed"},
		{name: "an excluded command", input: input("printf in:$INSIDE; touch x", ""), options: shell.Options{SandboxExcluded: []string{"touch *"}}, answer: policy.Allow, text: "in:", asks: []string{"no rule allows it"}},
		{name: "a line without one", input: input("printf in:$INSIDE; touch x", ""), options: shell.Options{SandboxExcluded: []string{"docker *", ""}}, text: "in:1"},

		{name: "refused and allowed", input: input(refusedOnce, ""), answer: policy.Allow, tries: 2,
			text: "The sandbox refused it: a write. The user allowed it, and it was run again from its beginning without the sandbox.\ndone",
			asks: []string{"the sandbox refused it (a write); it may have run in part, and would run again from its beginning, without the sandbox"}},
		{name: "a rule does not answer that", input: input(refusedOnce, ""), set: policy.RuleSet{Allow: []string{"Bash"}}, tries: 1,
			text: "The sandbox refused it: a write. It was not run again without the sandbox: …nobody can be asked…\nExit code 1.\nREFUSED a write"},
		{name: "refused and denied", input: input(refusedOnce, ""), answer: policy.Deny, tries: 1, asks: []string{"may have run in part"},
			text: "The sandbox refused it: a write. It was not run again without the sandbox: …\nExit code 1.\nREFUSED a write"},
		{name: "refused, and nothing runs without it", input: input(refusedOnce, ""), answer: policy.Allow, options: shell.Options{SandboxOnly: true}, tries: 1,
			text: "The sandbox refused it: a write. It was not run again: nothing runs without it here; do it in another way, or tell the user what is needed.\nExit code 1.\nREFUSED a write"},
		{name: "refused, and rules deny files", input: input(refusedOnce, ""), answer: policy.Allow, set: policy.RuleSet{Deny: []string{"Read(./secret)"}, Allow: []string{"Bash"}}, tries: 1,
			text: "The sandbox refused it: a write. It was not run again: since rules deny files, nothing runs without it; do it in another way, or tell the user what is needed.\nExit code 1.\nREFUSED a write"},
		{name: "a failure is none", input: input("echo no; exit 3", ""), answer: policy.Allow, text: "Exit code 3.\nno"},
		{name: "success is none", input: input("echo REFUSED nothing", ""), answer: policy.Allow, text: "REFUSED nothing"},
		{name: "it needs no question if it may ask", input: input("true & wait; echo begun", ""), text: "What the line started with & has ended with it. To keep it running, start it with run_in_background and without &.\nbegun"},
		{name: "it makes what others trust", input: input("eval 'mkdir .vscode; touch main.go'", ""), text: "The command made .vscode, which other programs run or trust. Tell the user."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			sc := newSandboxScene(t, tc.set, tc.answer)
			tc.options.Sandbox = sc.sandbox
			out := bash(t, sc.session, tc.options, tc.input)
			text := ""
			if out.Result != nil {
				text = out.Result.Text()
			}
			parts := strings.Split(tc.text, "…")
			if len(parts) == 1 {
				require.Equal(t, tc.text, text)
			}
			for _, part := range parts {
				require.Contains(t, text, part)
			}
			require.Len(t, sc.questions, len(tc.asks))
			for i, part := range tc.asks {
				require.Contains(t, sc.questions[i], part)
			}
			data, _ := os.ReadFile(filepath.Join(sc.dir, "tries"))
			require.Equal(t, strings.Repeat("x\n", tc.tries), string(data))
		})
	}
}

// TestSandboxCommand: what the sandbox is told of a command.
func TestSandboxCommand(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, line string
		set        policy.RuleSet
		files      []string // in the home directory, of which work is the working directory
		want       string   // the paths by field; those of the session's own files are left out
	}{
		{name: "a command that only reads", line: "cat f", files: []string{"work/f"}, want: "readable work/f"},
		{name: "one that writes", line: "make all", want: "writable work"},
		{name: "a file that it writes elsewhere", line: "make >H/out/log", files: []string{"out/x"}, want: "writable work out/log"},
		{name: "a file there that it replaces", line: "cp f H/out/x", files: []string{"work/f", "out/x"}, want: "writable work out/x, readable work/f"},
		{name: "a file there that it makes in a way of its own", line: "cp f H/out/new", files: []string{"work/f", "out/x"}, want: "writable work, readable work/f"},
		{name: "a host", line: "curl http://localhost/", want: "writable work, network"},
		{name: "what others trust", line: "make", files: []string{"work/.envrc", "work/.vscode/x", "work/sub/.envrc"}, want: "kept work/.envrc work/.vscode, writable work"},
		{name: "but what was decided", line: "echo x >.envrc", files: []string{"work/.envrc"}, want: "kept work/.envrc, writable work work/.envrc"},
		{name: "a repository", line: "make", files: []string{"work/.git/HEAD", "work/.git/config", "work/.git/modules/x"},
			want: "kept work/.git/hooks work/.git/config work/.git/modules, writable work work/.git"},
		{name: "a repository that a file in it only claims", line: "make", files: []string{"work/.git=gitdir: H/far/.git/worktrees/w", "far/.git/config", "far/.git/worktrees/w/commondir=../.."},
			want: "kept work/.git, writable work"},
		{name: "a linked work tree", line: "make", files: []string{"work/.git=gitdir: H/far/.git/worktrees/w", "far/.git/config", "far/.git/HEAD=ref: refs/heads/main",
			"far/.git/worktrees/w/commondir=../..", "far/.git/worktrees/w/gitdir=H/work/.git", "far/.git/worktrees/w/HEAD=ref: refs/heads/w"},
			want: "kept work/.git far/.git/hooks far/.git/config, writable work far/.git"},
		{name: "rules", line: "make", files: []string{"work/s/f", "work/k/f", "work/a/f"},
			set:  policy.RuleSet{Deny: []string{"Read(./s/**)", "Edit(./k/**)", "Read(./none)"}, Ask: []string{"Read(./a/f)"}},
			want: "kept work/k, writable work, hidden work/s work/a/f"},
		{name: "an ask rule that was answered", line: "cat a/f; make", files: []string{"work/a/f"}, set: policy.RuleSet{Ask: []string{"Read(./a/f)"}},
			want: "writable work, readable work/a/f"},
		{name: "a rule with a wildcard hides what it can", line: "make", files: []string{"work/.env"}, set: policy.RuleSet{Deny: []string{"Read(.env)", "Read(*.pem)"}},
			want: "writable work, hidden work/.env"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.set.Allow = append(tc.set.Allow, "Bash")
			sc := newSandboxScene(t, tc.set, policy.Allow)
			work := filepath.Join(sc.home, "work")
			require.NoError(t, os.MkdirAll(work, 0o700))
			for _, file := range tc.files {
				name, text, _ := strings.Cut(file, "=")
				path := filepath.Join(sc.home, name)
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
				require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(text, "H/", sc.home+"/")+"\n"), 0o600))
			}
			perms, err := policy.New(policy.ModeDefault, tc.set)
			require.NoError(t, err)
			cfg := pegboard.SessionConfig{Dir: work, Home: sc.home, Permissions: perms,
				Ask: func(context.Context, *pegboard.Question) (policy.Decision, error) {
					return policy.Decision{Behavior: policy.Allow}, nil
				}}
			s, err := pegboard.NewSession(cfg)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
			line := strings.ReplaceAll(tc.line, "H/", sc.home+"/")
			out := bash(t, s, shell.Options{Sandbox: sc.sandbox, SandboxAsks: true}, fmt.Sprintf(`{"command":%q}`, line))
			require.NoError(t, out.Err)
			c := sc.sandbox.last(t)
			require.Equal(t, line, c.Line)
			require.Equal(t, work, c.Dir)
			require.Equal(t, []string{work}, c.WorkDirs)
			require.Equal(t, policy.Allow, c.Decision.Behavior)
			require.NotEmpty(t, c.Targets)
			require.DirExists(t, c.Temp)
			var got []string
			for _, field := range []struct {
				name  string
				paths []string
			}{{"kept", c.Kept}, {"writable", c.Writable}, {"readable", c.Readable}, {"hidden", c.Hidden}} {
				text := field.name
				for _, path := range field.paths {
					if rel, err := filepath.Rel(sc.home, path); err == nil && filepath.IsLocal(rel) {
						text += " " + rel
					}
				}
				if text != field.name {
					got = append(got, text)
				}
			}
			if c.Network {
				got = append(got, "network")
			}
			require.Equal(t, tc.want, strings.Join(got, ", "))
		})
	}
}

// TestSandboxThatFailsRunsNothing.
func TestSandboxThatFailsRunsNothing(t *testing.T) {
	t.Parallel()
	sc := newSandboxScene(t, policy.RuleSet{}, policy.Allow)
	sc.sandbox.err = errors.New("no such program")
	out := bash(t, sc.session, shell.Options{Sandbox: sc.sandbox}, `{"command":"touch ran; cd /"}`)
	require.ErrorContains(t, out.Err, "the sandbox: no such program")
	require.NoFileExists(t, filepath.Join(sc.dir, "ran"))
	left, err := filepath.Glob(filepath.Join(mustDir(t, background.Of(sc.session)), "*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func mustDir(t *testing.T, tasks *background.Tasks) string {
	t.Helper()
	dir, err := tasks.Dir()
	require.NoError(t, err)
	return dir
}

// TestSandboxedCommandsShareADirectory, which is gone with the session, and where a command
// ends the next one starts.
func TestSandboxedCommandsShareADirectory(t *testing.T) {
	t.Parallel()
	sc := newSandboxScene(t, policy.RuleSet{}, policy.Undecided)
	require.NoError(t, os.Mkdir(filepath.Join(sc.dir, "sub"), 0o700))
	for _, line := range []string{"cd sub", "touch here"} {
		require.NoError(t, bash(t, sc.session, shell.Options{Sandbox: sc.sandbox}, fmt.Sprintf(`{"command":%q}`, line)).Err)
	}
	require.FileExists(t, filepath.Join(sc.dir, "sub", "here"))
	first, last := sc.sandbox.seen[0], sc.sandbox.last(t)
	require.Equal(t, first.Temp, last.Temp)
	require.True(t, slices.ContainsFunc(first.Writable, func(path string) bool { return strings.HasSuffix(path, ".dir") }), "the shell tells where it ends")
	require.NoError(t, os.MkdirAll(filepath.Join(last.Temp, "a", "b"), 0o700))
	fork, err := sc.session.Fork(pegboard.SessionConfig{})
	require.NoError(t, err)
	require.NoError(t, bash(t, fork, shell.Options{Sandbox: sc.sandbox}, `{"command":"touch there"}`).Err)
	require.NotEqual(t, first.Temp, sc.sandbox.last(t).Temp)
	require.NoError(t, sc.session.Close(t.Context()))
	require.NoDirExists(t, first.Temp)
}

// TestSandboxInTheBackground: the model is told what was refused, with the task.
func TestSandboxInTheBackground(t *testing.T) {
	t.Parallel()
	sc := newSandboxScene(t, policy.RuleSet{}, policy.Undecided)
	out := outputOf(t, bash(t, sc.session, shell.Options{Sandbox: sc.sandbox}, `{"command":"sleep 0.5; echo REFUSED a write; exit 1","run_in_background":true}`))
	require.Equal(t, background.Failed, waited(t, sc.session, out.BackgroundTaskID).State)
	var told []string
	for _, n := range background.Of(sc.session).Notices(sc.session) {
		told = append(told, n.Text)
	}
	require.Contains(t, strings.Join(told, "\n"), "the sandbox refused it: a write")
}

// TestMonitorsRunInTheSandbox, with stderr going to the file of the host.
func TestMonitorsRunInTheSandbox(t *testing.T) {
	t.Parallel()
	sc := newSandboxScene(t, policy.RuleSet{}, policy.Undecided)
	pool := poolOf(t, sc.session, shell.Monitor(shell.Options{Sandbox: sc.sandbox}))
	out := <-starting(t.Context(), pool, "Monitor", `{"description":"d","command":"echo in:$INSIDE; echo told >&2; touch made"}`)
	require.NoError(t, out.Err)
	data, ok := out.Result.Data.(shell.MonitorResult)
	require.True(t, ok)
	require.Equal(t, background.Completed, waited(t, sc.session, data.TaskID).State)
	text, err := background.Of(sc.session).Output(data.TaskID)
	require.NoError(t, err)
	require.Contains(t, text, "in:1")
	require.Contains(t, text, "told")
}

// TestOnlyASandboxCanBeTurnedOff.
func TestOnlyASandboxCanBeTurnedOff(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		options shell.Options
		want    bool
	}{
		{name: "no sandbox"},
		{name: "a sandbox", options: shell.Options{Sandbox: shell.Bubblewrap{}}, want: true},
		{name: "nothing without it", options: shell.Options{Sandbox: shell.Bubblewrap{}, SandboxOnly: true}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := session(t, t.TempDir())
			for _, tool := range []pegboard.Tool{shell.Bash(tc.options), shell.PowerShell(tc.options)} {
				pool := poolOf(t, s, tool)
				for d := range pool.Declarations(pegboard.Builtin) {
					require.Equal(t, tc.want, strings.Contains(string(d.InputSchema), "dangerouslyDisableSandbox"))
					require.Equal(t, tc.want, strings.Contains(d.Description, "dangerouslyDisableSandbox"))
				}
			}
		})
	}
}

// TestOutputTellsBothAttempts.
func TestOutputTellsBothAttempts(t *testing.T) {
	t.Parallel()
	sc := newSandboxScene(t, policy.RuleSet{}, policy.Allow)
	out := outputOf(t, bash(t, sc.session, shell.Options{Sandbox: sc.sandbox}, fmt.Sprintf(`{"command":%q}`, refusedOnce)))
	require.True(t, out.NoSandbox)
	require.Equal(t, "a write", out.SandboxRefusal)
	require.Positive(t, out.SandboxElapsed)
	require.Positive(t, out.Elapsed)
	out = outputOf(t, bash(t, sc.session, shell.Options{Sandbox: sc.sandbox}, `{"command":"true"}`))
	require.False(t, out.NoSandbox)
	require.Zero(t, out.SandboxElapsed)
}

// TestSandboxAfterAMove: a rule is about the directory that the session has moved to, too.
func TestSandboxAfterAMove(t *testing.T) {
	t.Parallel()
	sc := newSandboxScene(t, policy.RuleSet{Deny: []string{"Read(./s/**)", "Edit(./k/**)"}}, policy.Allow)
	in := func(names ...string) (paths []string) {
		for _, name := range names {
			paths = append(paths, filepath.Join(sc.dir, name))
		}
		return paths
	}
	for _, dir := range in("s", "k", "sub/s", "sub/k") {
		require.NoError(t, os.MkdirAll(dir, 0o700))
	}
	require.NoError(t, sc.session.SetDir("sub"))
	require.NoError(t, bash(t, sc.session, shell.Options{Sandbox: sc.sandbox}, `{"command":"make() { :; }; make"}`).Err)
	c := sc.sandbox.last(t)
	require.Equal(t, in("sub"), c.WorkDirs)
	require.ElementsMatch(t, in("s", "sub/s"), c.Hidden)
	require.ElementsMatch(t, in("k", "sub/k"), c.Kept)
}
