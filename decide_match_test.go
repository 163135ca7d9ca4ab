package pegboard_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestTreeIsSearchedOnceForAllRules: a tree may be large, and the rules many.
func TestTreeIsSearchedOnceForAllRules(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var rule []string
	for i := range 100 {
		rule = append(rule, fmt.Sprintf("Read(secret%d)", i))
	}
	for _, tc := range []struct {
		name  string
		files []string
		more  bool // there may be more files
		want  string
		rule  string
	}{
		{name: "nothing denied", files: []string{"a", "b"}, want: "allow"},
		{name: "one of them", files: []string{"a", "secret70", "b"}, want: "deny", rule: "Read(secret70)"},
		{name: "the first rule that is about a file", files: []string{"secret70", "secret7", "b"}, want: "deny", rule: "Read(secret7)"},
		{name: "perhaps more", files: []string{"a"}, more: true, want: "deny", rule: "Read(secret0)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			searches := 0
			tree := pathTo(pegboard.AccessRead, ".")
			tree.Tree = true
			tree.Shell = pegboard.ShellFacts{FromCommand: "look", Holds: func(visit func(string) bool) bool {
				searches++
				for _, name := range tc.files {
					if !visit(dir + "/" + name) {
						return false
					}
				}
				return !tc.more
			}}
			command := pegboard.Target{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "look", Shell: pegboard.ShellFacts{Simple: true, ReadOnly: true}}
			a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{command, tree}}}
			pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: dir, Permissions: rules(t, "", pegboard.RuleSet{Deny: rule})}))
			got := judge(t, pool)
			require.Equal(t, tc.want, got.behavior.String(), got.reason)
			require.Equal(t, tc.rule, got.rule)
			require.Equal(t, 1, searches)
		})
	}
}

// TestFoundFileIsNamedWithAdvice: who is refused a tree learns which file in it a rule is about,
// and how to leave it out. A name that a shell or a pattern reads otherwise is not put into the
// advice.
func TestFoundFileIsNamedWithAdvice(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, rule, file string
		leaveOut         string
		want             string
	}{
		{name: "advice", rule: "Read(.env)", file: ".env", leaveOut: "--exclude=NAME", want: "/.env is there; to leave it out, add --exclude=.env to the command"},
		{name: "letters and digits", rule: "Read(*_Z-9z)", file: "aA0_Z-9z", leaveOut: "-NAME -not NAME", want: "/aA0_Z-9z is there; to leave it out, add -aA0_Z-9z -not aA0_Z-9z to the command"},
		{name: "no way to leave it out", rule: "Read(.env)", file: ".env", want: "/.env is there"},
		{name: "a blank", rule: "Read(*.env)", file: "a b.env", leaveOut: "--exclude=NAME", want: "/a b.env is there"},
		{name: "a wildcard", rule: "Read(*.env)", file: "a*.env", leaveOut: "--exclude=NAME", want: "/a*.env is there"},
		{name: "beside a letter", rule: "Read(*.env)", file: "[.env", leaveOut: "--exclude=NAME", want: "/[.env is there"},
		{name: "behind the letters", rule: "Read(*.env)", file: "{.env", leaveOut: "--exclude=NAME", want: "/{.env is there"},
		{name: "behind the digits", rule: "Read(*.env)", file: ":.env", leaveOut: "--exclude=NAME", want: "/:.env is there"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			tree := pathTo(pegboard.AccessRead, ".")
			tree.Tree = true
			tree.Shell = pegboard.ShellFacts{FromCommand: "look", LeaveOut: tc.leaveOut, Holds: func(visit func(string) bool) bool { return visit(dir + "/" + tc.file) }}
			command := pegboard.Target{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "look", Shell: pegboard.ShellFacts{Simple: true, ReadOnly: true}}
			a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{command, tree}}}
			for _, set := range []pegboard.RuleSet{{Deny: []string{tc.rule}}, {Ask: []string{tc.rule}}} {
				got := judge(t, a.pool(t, session(t, pegboard.SessionConfig{Dir: dir, Permissions: rules(t, "", set)})))
				require.Equal(t, len(set.Deny) > 0, got.behavior == pegboard.Deny, got.reason)
				require.True(t, strings.HasSuffix(got.reason, "covers read "+dir+" and below: "+dir+tc.want), got.reason)
			}
		})
	}
}

// TestTreeThatIsReadAfterAnotherCommand: a file that a rule is about and that is not there could
// be made by another command of the line first.
func TestTreeThatIsReadAfterAnotherCommand(t *testing.T) {
	t.Parallel()
	command := func(value string, facts pegboard.ShellFacts) pegboard.Target {
		facts.Simple = true
		return pegboard.Target{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: value, Shell: facts}
	}
	written := func(value string) pegboard.Target {
		target := pathTo(pegboard.AccessWrite, value)
		target.Shell.FromCommand = "put"
		return target
	}
	put := command("put", pegboard.ShellFacts{EditsOnly: true})
	for _, tc := range []struct {
		name   string
		reads  func(string) bool
		file   string // that is there
		before []pegboard.Target
		want   pegboard.Behavior
	}{
		{name: "nothing before", want: pegboard.Allow},
		{name: "one that only reads", before: []pegboard.Target{command("ls", pegboard.ShellFacts{ReadOnly: true})}, want: pegboard.Allow},
		{name: "one that may do anything", before: []pegboard.Target{command("make", pegboard.ShellFacts{})}, want: pegboard.Ask},
		{name: "one that edits another file", before: []pegboard.Target{put, written("other")}, want: pegboard.Allow},
		{name: "one that makes the file", before: []pegboard.Target{put, written("a/secret")}, want: pegboard.Deny},
		{name: "something unseen", before: []pegboard.Target{{Value: "a computed name"}}, want: pegboard.Ask},
		{name: "the file is there", file: "a/secret", want: pegboard.Deny},
		{name: "the file is left out", file: "a/secret", reads: func(name string) bool { return name != "secret" }, want: pegboard.Allow},
		{name: "the file is not left out", file: "a/secret", reads: func(name string) bool { return name == "secret" }, want: pegboard.Deny},
		{name: "another file", file: "a/other", want: pegboard.Allow},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if tc.file != "" {
				name := filepath.Join(dir, tc.file)
				require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
				require.NoError(t, os.WriteFile(name, nil, 0o600))
			}
			tree := pathTo(pegboard.AccessRead, ".")
			tree.Tree, tree.Shell = true, pegboard.ShellFacts{FromCommand: "look", Reads: tc.reads}
			look := command("look", pegboard.ShellFacts{ReadOnly: true})
			a := actor{name: "Bash", traits: pegboard.Traits{Targets: append(tc.before, look, tree)}}
			set := pegboard.RuleSet{Deny: []string{"Read(secret)"}, Allow: []string{"Bash(look)", "Bash(make)", "Bash(put)", "Bash(ls)", "Edit(./**)"}}
			got := judge(t, a.pool(t, session(t, pegboard.SessionConfig{Dir: dir, Permissions: rules(t, "", set)})))
			require.Equal(t, tc.want.String(), got.behavior.String(), got.reason)
		})
	}
}

// holder is a tool that keeps its targets until release is called.
type holder struct {
	mu      sync.Mutex
	release func()
}

func (h *holder) tool(name string, targets ...pegboard.Target) pegboard.Tool {
	a := actor{name: name, traits: pegboard.Traits{Targets: targets}, call: func(_ ctx, c *pegboard.Call) error {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.release = c.Hold("the task t1", c.Targets()...)
		return nil
	}}
	return a.tool()
}

// TestHolds: what goes on in the background may move what a later call is decided on, and a
// later call what that was decided on.
func TestHolds(t *testing.T) {
	t.Parallel()
	cmd := func(change ...func(*pegboard.Target)) pegboard.Target {
		x := pegboard.Target{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "x", Shell: pegboard.ShellFacts{Simple: true}}
		for _, c := range change {
			c(&x)
		}
		return x
	}
	path := func(access pegboard.Access, name string, change ...func(*pegboard.Target)) pegboard.Target {
		x := pegboard.Target{Kind: pegboard.TargetPath, Access: access, Value: name}
		for _, c := range change {
			c(&x)
		}
		return x
	}
	moves, tree, guess := func(x *pegboard.Target) { x.Shell.MovesNames = true }, func(x *pegboard.Target) { x.Tree = true }, func(x *pegboard.Target) { x.Shell.Guess = true }
	const read, write = pegboard.AccessRead, pegboard.AccessWrite
	for _, tt := range []struct {
		name        string
		held, later []pegboard.Target
		asks        bool
	}{
		{name: "the path that moves", held: []pegboard.Target{cmd(), path(write, "a", moves)}, later: []pegboard.Target{cmd(), path(read, "a")}, asks: true},
		{name: "below it", held: []pegboard.Target{cmd(), path(write, "a", moves)}, later: []pegboard.Target{cmd(), path(write, "a/b/c")}, asks: true},
		{name: "beside it", held: []pegboard.Target{cmd(), path(write, "a", moves)}, later: []pegboard.Target{cmd(), path(write, "ab")}},
		{name: "above it", held: []pegboard.Target{cmd(), path(write, "a/b", moves)}, later: []pegboard.Target{cmd(), path(write, "a")}},
		{name: "a tree above it that is written", held: []pegboard.Target{cmd(), path(write, "a/b", moves)}, later: []pegboard.Target{cmd(), path(write, "a", tree)}, asks: true},
		{name: "a tree above it that is read", held: []pegboard.Target{cmd(), path(write, "a/b", moves)}, later: []pegboard.Target{cmd(), path(read, "a", tree)}},
		{name: "perhaps", held: []pegboard.Target{cmd(), path(write, "a", moves)}, later: []pegboard.Target{cmd(), path(write, "a", guess)}},
		{name: "perhaps moved", held: []pegboard.Target{cmd(), path(write, "a", moves, guess)}, later: []pegboard.Target{cmd(), path(write, "a")}},
		{name: "a link on the way", held: []pegboard.Target{cmd(), path(write, "second", moves)}, later: []pegboard.Target{cmd(), path(write, "first/x")}, asks: runtime.GOOS != "windows"},
		{name: "a tool that opens what was decided", held: []pegboard.Target{cmd(), path(write, "a", moves)}, later: []pegboard.Target{path(write, "a/b")}},
		{name: "what is only written", held: []pegboard.Target{cmd(), path(write, "log")}, later: []pegboard.Target{cmd(), path(read, "log")}},
		{name: "what is moved later", held: []pegboard.Target{cmd(), path(write, "a/b")}, later: []pegboard.Target{cmd(), path(write, "a", moves)}, asks: true},
		{name: "what is read and moved later", held: []pegboard.Target{cmd(), path(read, "a/b")}, later: []pegboard.Target{cmd(), path(write, "a", moves)}, asks: true},
		{name: "nobody knows what moves", held: []pegboard.Target{cmd(moves)}, later: []pegboard.Target{cmd(), path(read, "a")}, asks: true},
		{name: "nobody knows what moves later", held: []pegboard.Target{cmd(), path(write, "a")}, later: []pegboard.Target{cmd(moves)}, asks: true},
		{name: "a command without paths", held: []pegboard.Target{cmd(moves)}, later: []pegboard.Target{cmd()}},
		{name: "two that move anything", held: []pegboard.Target{cmd(moves)}, later: []pegboard.Target{cmd(moves)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, mode := range []pegboard.Mode{pegboard.ModeBypass, pegboard.ModeAcceptEdits} {
				perms, err := pegboard.NewPermissions(mode, pegboard.RuleSet{Allow: []string{"Held", "Later"}})
				require.NoError(t, err)
				dir := t.TempDir()
				require.NoError(t, os.Mkdir(filepath.Join(dir, "inner"), 0o700))
				if runtime.GOOS != "windows" { // where a link needs a right
					require.NoError(t, os.Symlink("inner", filepath.Join(dir, "second")))
					require.NoError(t, os.Symlink("second", filepath.Join(dir, "first")))
				}
				s := session(t, pegboard.SessionConfig{Dir: dir, Permissions: perms})
				fork := forked(t, s, pegboard.SessionConfig{Role: pegboard.RoleSubAgent})
				var h holder
				reg := registryOf(t, h.tool("Held", tt.held...), (&actor{name: "Later", traits: pegboard.Traits{Targets: tt.later}}).tool())
				ex := executor(pegboard.Executor{})
				require.NoError(t, ex.Run(t.Context(), reg.AssemblePool(s, pegboard.PoolConfig{}), call("1", "Held", ``))[0].Err)
				for _, agent := range []*pegboard.Session{s, fork} {
					d := reg.AssemblePool(agent, pegboard.PoolConfig{}).Decide(t.Context(), call("2", "Later", ``))
					require.Equal(t, tt.asks, d.Behavior == pegboard.Ask, "%s %s", mode, d.Reason)
					if tt.asks {
						require.Contains(t, d.Reason, "the task t1 still goes on")
					}
				}
				h.release()
				h.release()
				d := reg.AssemblePool(s, pegboard.PoolConfig{}).Decide(t.Context(), call("3", "Later", ``))
				require.Equal(t, pegboard.Allow, d.Behavior, d.Reason)
			}
		})
	}
}

// TestEndOfAHoldAnswersItsQuestion: nobody need answer a question whose reason is gone.
func TestEndOfAHoldAnswersItsQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		moved := pegboard.Target{Kind: pegboard.TargetPath, Value: "a", Shell: pegboard.ShellFacts{MovesNames: true}}
		below := pegboard.Target{Kind: pegboard.TargetPath, Value: filepath.Join("a", "b")}
		line := pegboard.Target{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "x", Shell: pegboard.ShellFacts{Simple: true}}
		cfg := bypass(t)
		cfg.Ask = func(c context.Context, _ *pegboard.Question) (pegboard.Decision, error) {
			<-c.Done()
			return pegboard.Decision{}, context.Cause(c)
		}
		var h holder
		pool := registryOf(t, h.tool("Held", line, moved), (&actor{name: "Later", traits: pegboard.Traits{Targets: []pegboard.Target{line, below}}}).tool()).
			AssemblePool(session(t, cfg), pegboard.PoolConfig{})
		ex := executor(pegboard.Executor{})
		require.NoError(t, ex.Run(t.Context(), pool, call("1", "Held", ``))[0].Err)
		time.AfterFunc(time.Minute, func() { h.release() })
		start := time.Now()
		require.NoError(t, ex.Run(t.Context(), pool, call("2", "Later", ``))[0].Err)
		require.Equal(t, time.Minute, time.Since(start))
	})
}

// TestHoldsAddAndRelease from many goroutines.
func TestHoldsAddAndRelease(t *testing.T) {
	t.Parallel()
	line := pegboard.Target{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "x", Shell: pegboard.ShellFacts{MovesNames: true}}
	s := session(t, bypass(t))
	reg := registryOf(t, (&actor{name: "Held", traits: pegboard.Traits{Concurrency: pegboard.Shared, Targets: []pegboard.Target{line}}, call: func(_ ctx, c *pegboard.Call) error {
		for range 100 {
			c.Hold("it", c.Targets()...)()
		}
		return nil
	}}).tool(), (&actor{name: "Later", traits: pegboard.Traits{Targets: []pegboard.Target{line, {Kind: pegboard.TargetPath, Value: "a"}}}}).tool())
	pool := reg.AssemblePool(s, pegboard.PoolConfig{})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			ex := executor(pegboard.Executor{})
			ex.Run(t.Context(), pool, call("1", "Held", ``))
		})
	}
	wg.Wait()
	require.Equal(t, pegboard.Allow, pool.Decide(t.Context(), call("2", "Later", ``)).Behavior)
	require.NotPanics(t, func() { (&pegboard.Call{}).Hold("x", line)() })
}
