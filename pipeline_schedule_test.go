package pegboard_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
)

// TestRunOrdersByTargets plays plans on a fake clock. The whole time a plan takes
// tells what ran together.
func TestRunOrdersByTargets(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		limit int
		jobs  []job
		takes int // milliseconds
	}{
		{name: "exclusive calls run alone", jobs: []job{{Ms: 10}, {Ms: 10}}, takes: 20},
		{name: "shared calls run together", jobs: []job{{Class: "shared", Ms: 10}, {Class: "shared", Ms: 10}, {Class: "shared", Ms: 10}}, takes: 10},
		{name: "an exclusive call is a barrier", jobs: []job{{Class: "shared", Ms: 10}, {Ms: 10}, {Class: "shared", Ms: 10}, {Class: "shared", Ms: 10}}, takes: 30},
		{name: "two edits of two files overlap", jobs: []job{{Path: "a", Write: true, Class: "target", Ms: 10}, {Path: "b", Write: true, Class: "target", Ms: 10}}, takes: 10},
		{name: "two edits of one file do not", jobs: []job{{Path: "a", Write: true, Class: "target", Ms: 10}, {Path: "./x/../a", Write: true, Class: "target", Ms: 10}}, takes: 20},
		{name: "two reads of one file do", jobs: []job{{Path: "a", Class: "target", Ms: 10}, {Path: "a", Class: "target", Ms: 10}}, takes: 10},
		{name: "a shared read waits for the edit of its file", jobs: []job{{Path: "a", Write: true, Class: "target", Ms: 10}, {Path: "a", Class: "shared", Ms: 10}, {Path: "b", Class: "shared", Ms: 10}}, takes: 20},
		{name: "by target without targets is exclusive", jobs: []job{{Class: "target", Ms: 10}, {Class: "target", Ms: 10}}, takes: 20},
		{name: "the limit holds", limit: 2, jobs: slices.Repeat([]job{{Class: "shared", Ms: 10}}, 5), takes: 30},
		{name: "the default limit is ten", jobs: slices.Repeat([]job{{Class: "shared", Ms: 10}}, 11), takes: 20},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var reg pegboard.Registry
				require.NoError(t, reg.Add(worker(func(job, bool) {})))
				var calls []pegboard.Call
				for i, j := range tc.jobs {
					in, err := json.Marshal(j)
					require.NoError(t, err)
					calls = append(calls, call(fmt.Sprint(i), "Work", string(in)))
				}
				ex := executor(pegboard.Executor{MaxParallel: tc.limit})
				begin := time.Now()
				outs := ex.Run(t.Context(), reg.AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}), calls...)
				require.Equal(t, time.Duration(tc.takes)*time.Millisecond, time.Since(begin))
				for i, o := range outs {
					require.NoError(t, o.Err)
					require.Equal(t, fmt.Sprint(i), o.Call.ID)
				}
			})
		})
	}
}

// TestStartsOfOneKindRunTogether: two calls with the same target, of which each takes ten
// milliseconds.
func TestStartsOfOneKindRunTogether(t *testing.T) {
	t.Parallel()
	agent := policy.Target{Kind: policy.Agent, Access: policy.Run, Value: "Explore"}
	skill := policy.Target{Kind: policy.Skill, Access: policy.Run, Value: "pdf a.pdf", Aliases: []string{"pdf"}}
	with := func(target policy.Target, access policy.Access) policy.Target {
		target.Access = access
		return target
	}
	tests := []struct {
		name          string
		class         pegboard.Concurrency
		first, second policy.Target
		takes         int // milliseconds
	}{
		{name: "agents of one type", class: pegboard.Shared, first: agent, second: agent, takes: 10},
		{name: "agents of one type, by target", class: pegboard.PerTarget, first: agent, second: agent, takes: 10},
		{name: "one skill", class: pegboard.Shared, first: skill, second: skill, takes: 10},
		{name: "an agent that is changed", class: pegboard.Shared, first: agent, second: with(agent, policy.Write), takes: 20},
		{name: "an agent that is changed, first", class: pegboard.Shared, first: with(agent, policy.Write), second: agent, takes: 20},
		{name: "an agent that is read", class: pegboard.Shared, first: with(agent, policy.Read), second: agent, takes: 10},
		{name: "exclusive calls", class: pegboard.Exclusive, first: agent, second: agent, takes: 20},
		{name: "a thing that is run", class: pegboard.Shared, first: policy.Target{Kind: policy.Resource, Access: policy.Run, Value: "x"}, second: policy.Target{Kind: policy.Resource, Access: policy.Run, Value: "x"}, takes: 20},
		{name: "a file that is run", class: pegboard.Shared, first: policy.Target{Kind: policy.Path, Access: policy.Run, Value: "x"}, second: policy.Target{Kind: policy.Path, Access: policy.Run, Value: "x"}, takes: 20},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				starts := func(name string, target policy.Target) pegboard.Tool {
					a := actor{name: name, traits: pegboard.Traits{Concurrency: tc.class, Targets: []policy.Target{target}}, call: func(ctx, *pegboard.Call) error { time.Sleep(10 * time.Millisecond); return nil }}
					return a.tool()
				}
				pool := registryOf(t, starts("First", tc.first), starts("Second", tc.second)).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
				ex := executor(pegboard.Executor{})
				begin := time.Now()
				for _, o := range ex.Run(t.Context(), pool, call("1", "First", `{}`), call("2", "Second", `{}`)) {
					require.NoError(t, o.Err)
				}
				require.Equal(t, time.Duration(tc.takes)*time.Millisecond, time.Since(begin))
			})
		})
	}
}

// TestWaitingForAPersonHoldsUpNobodyElse: a question is open while calls that
// do not conflict go on, even with a single place to run in.
func TestWaitingForAPersonHoldsUpNobodyElse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var reg pegboard.Registry
		require.NoError(t, reg.Add(worker(func(job, bool) {})))
		cfg := pegboard.SessionConfig{Ask: func(ctx, *pegboard.Question) (policy.Decision, error) {
			time.Sleep(time.Minute)
			return policy.Decision{Behavior: policy.Allow}, nil
		}}
		var ended []string
		ex := executor(pegboard.Executor{MaxParallel: 1, OnEvent: func(e pegboard.Event) {
			if e.Kind == pegboard.EventFinished {
				ended = append(ended, fmt.Sprint(e.Call.ID, e.Outcome.Elapsed))
			}
		}})
		ex.Run(t.Context(), reg.AssemblePool(session(t, cfg), pegboard.PoolConfig{}),
			call("1", "Work", `{"path":"a","write":true,"class":"target"}`),
			call("2", "Work", `{"path":"b","class":"target"}`),
			call("3", "Work", `{"path":"a","class":"target"}`))
		require.ElementsMatch(t, []string{"20s", "11m0s", "31m0s"}, ended) // the first gives its file to the third before its end is told
	})
}

// appender returns a tool that reads a file, lets other goroutines run, and writes the
// text it read with the id of the call behind it.
func appender() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[job, string]{
		Info: pegboard.Info{Name: "Append"}, Description: "Reads, yields, writes.",
		Inspect: func(in job, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Concurrency: pegboard.PerTarget, Targets: []policy.Target{{Kind: policy.Path, Value: in.Path}}}
		},
		Call: func(_ ctx, in job, c *pegboard.Call) (string, error) {
			name := filepath.Join(c.Session().Dir(), in.Path)
			before, err := os.ReadFile(name)
			if err != nil {
				return "", err
			}
			runtime.Gosched()
			return "", os.WriteFile(name, append(before, c.ID+" "...), 0o600)
		},
	})
}

// TestFiftyReadModifyWriteCallsOnOneFile, under as many names as it has, are all
// present in the end, in their order.
func TestFiftyReadModifyWriteCallsOnOneFile(t *testing.T) {
	t.Parallel()
	for _, streams := range []bool{false, true} {
		t.Run(fmt.Sprint("streams=", streams), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := filepath.Join(dir, "f")
			require.NoError(t, os.Mkdir(filepath.Join(dir, "x"), 0o700))
			require.NoError(t, os.WriteFile(file, nil, 0o600))
			require.NoError(t, os.Symlink(file, filepath.Join(dir, "link")))
			require.NoError(t, os.Symlink(dir, filepath.Join(dir, "x", "up")))
			var calls []pegboard.Call
			want := ""
			for i := range 50 {
				path := []string{"f", "./f", "x/../f", "link", "x/up/f"}[i%5]
				calls = append(calls, call(fmt.Sprint(i), "Append", fmt.Sprintf(`{"path":%q}`, path)))
				want += fmt.Sprint(i, " ")
			}
			cfg := bypass(t)
			cfg.Dir = dir
			pool := registryOf(t, appender()).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
			ex := executor(pegboard.Executor{MaxParallel: 50})
			var outs []pegboard.Outcome
			if streams {
				s := ex.Stream(t.Context(), pool)
				for _, c := range calls {
					s.Submit(c)
				}
				s.Finish(pegboard.FinishStop)
				outs = slices.Collect(s.Outcomes())
			} else {
				outs = ex.Run(t.Context(), pool, calls...)
			}
			require.Len(t, outs, 50)
			for _, o := range outs {
				require.NoError(t, o.Err)
			}
			got, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, want, string(got))
		})
	}
}

func TestReadOnlyCallsOfAHostRunTogether(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		traits pegboard.Traits
		takes  time.Duration // of 20 calls, 10 of which may run at once
	}{
		{pegboard.Traits{ReadOnly: true}, 40 * time.Millisecond},
		{pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Exclusive}, 400 * time.Millisecond},
		{pegboard.Traits{}, 400 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			tool := pegboard.Build(pegboard.Definition[struct{}, string]{
				Info: pegboard.Info{Name: "Look"}, Description: "For a test.", Traits: tc.traits,
				Call: func(ctx, struct{}, *pegboard.Call) (string, error) { time.Sleep(20 * time.Millisecond); return "", nil },
			})
			var calls []pegboard.Call
			for i := range 20 {
				calls = append(calls, call(fmt.Sprint(i), "Look", ``))
			}
			ex, begun := executor(pegboard.Executor{}), time.Now()
			ex.Run(t.Context(), registryOf(t, tool).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}), calls...)
			require.Equal(t, tc.takes, time.Since(begun))
		})
	}
}

// TestRunResolvesAgainAfterWaiting lets one call turn the directory of another
// into a link that leads outside. The second is decided on where it leads then.
func TestRunResolvesAgainAfterWaiting(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		swap := pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: "Swap"}, Description: "For a test.", Traits: pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Exclusive}, // it lies
			Call: func(ctx, struct{}, *pegboard.Call) (string, error) {
				synctest.Wait() // the other was resolved, and waits
				return "", linkDir(outside, dir+"/sub")
			},
		})
		var reg pegboard.Registry
		require.NoError(t, reg.Add(swap, worker(func(job, bool) {})))
		ex := executor(pegboard.Executor{})
		outs := ex.Run(t.Context(), reg.AssemblePool(session(t, pegboard.SessionConfig{Dir: dir}), pegboard.PoolConfig{}),
			call("1", "Swap", ``), call("2", "Work", `{"path":"sub/file","class":"target"}`))
		require.NoError(t, outs[0].Err)
		require.ErrorIs(t, outs[1].Err, pegboard.ErrDenied)
		require.Contains(t, outs[1].Result.Text(), "outside the working directories")
	})
}

// TestCallsKeepTheirOrderWhereALinkLeads: two calls wait for one that makes a link. The
// earlier reads through the link, the later writes the file that the link leads to. The
// earlier reads the old text, as if one had run after the other.
func TestCallsKeepTheirOrderWhereALinkLeads(t *testing.T) {
	t.Parallel()
	for range effort.Of(t, 20) {
		dir := t.TempDir()
		at := func(name string) string { return filepath.Join(dir, name) }
		touch := func(name string, a policy.Access, do func(c *pegboard.Call) (string, error)) pegboard.Tool {
			return pegboard.Build(pegboard.Definition[struct{}, string]{
				Info: pegboard.Info{Name: name}, Description: "For a test.",
				Inspect: func(struct{}, *pegboard.Call) pegboard.Traits {
					return pegboard.Traits{Concurrency: pegboard.PerTarget, Targets: []policy.Target{{Kind: policy.Path, Access: a, Value: name}}}
				},
				Call: func(_ ctx, _ struct{}, c *pegboard.Call) (string, error) { return do(c) },
			})
		}
		require.NoError(t, os.WriteFile(at("file"), []byte("old"), 0o600))
		link := pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: "make"}, Description: "For a test.",
			Call: func(ctx, struct{}, *pegboard.Call) (string, error) { return "", os.Symlink(at("file"), at("link")) },
		})
		read := touch("link", policy.Read, func(c *pegboard.Call) (string, error) {
			text, err := os.ReadFile(c.Targets()[0].Real())
			return string(text), err
		})
		write := touch("file", policy.Write, func(c *pegboard.Call) (string, error) {
			return "", os.WriteFile(c.Targets()[0].Real(), []byte("new"), 0o600)
		})
		pool := registryOf(t, link, read, write).AssemblePool(session(t, pegboard.SessionConfig{Dir: dir, Permissions: rules(t, policy.ModeBypass, policy.RuleSet{})}), pegboard.PoolConfig{})
		ex := executor(pegboard.Executor{})
		outs := ex.Run(t.Context(), pool, call("1", "make", ``), call("2", "link", ``), call("3", "file", ``))
		for _, o := range outs {
			require.NoError(t, o.Err)
		}
		require.Equal(t, "old", outs[1].Result.Parts[0].Text)
	}
}

// racers are two calls of one message: the second is inspected, and waits if it
// must, before the first puts a link at a path that the second reads.
type racers struct {
	first, second pegboard.Traits
	link, to      string // where it is put, and what it leads to
	held          bool   // the second has not run by then
}

// pool returns the tools First and Second. It must be used within a synctest
// bubble.
func (r racers) pool(t testing.TB, s *pegboard.Session) *pegboard.Pool {
	t.Helper()
	var inspected, ran atomic.Bool
	first := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "First"}, Description: "For a test.",
		Inspect: func(struct{}, *pegboard.Call) pegboard.Traits { return r.first },
		Call: func(ctx, struct{}, *pegboard.Call) (string, error) {
			synctest.Wait() // the second has gone as far as it can
			if !inspected.Load() || ran.Load() == r.held {
				return "", errors.New("the second call is not where it should be")
			}
			return "", linkDir(r.to, r.link)
		},
	})
	second := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Second"}, Description: "For a test.",
		Inspect: func(struct{}, *pegboard.Call) pegboard.Traits { inspected.Store(true); return r.second },
		Call: func(_ ctx, _ struct{}, c *pegboard.Call) (string, error) {
			ran.Store(true)
			text, err := os.ReadFile(c.Targets()[0].Real())
			return string(text), err
		},
	})
	return registryOf(t, first, second).AssemblePool(s, pegboard.PoolConfig{})
}

// run returns the outcome of the second call. It is decided under bypass, with a
// rule that denies reading the place the link leads to.
func (r racers) run(t *testing.T) (second pegboard.Outcome) {
	t.Helper()
	dir := filepath.Dir(r.link)
	p := rules(t, policy.ModeBypass, policy.RuleSet{Deny: []string{"Read(/" + filepath.ToSlash(r.to) + ")"}})
	synctest.Test(t, func(t *testing.T) {
		ex := executor(pegboard.Executor{})
		pool := r.pool(t, session(t, pegboard.SessionConfig{Dir: dir, Permissions: p}))
		outs := ex.Run(t.Context(), pool, call("1", "First", ``), call("2", "Second", ``))
		require.NoError(t, outs[0].Err)
		second = outs[1]
	})
	return second
}

// TestPathIsDecidedWhereItLeadsAfterWaiting: a call that the path waited for may have
// put a link in its place.
func TestPathIsDecidedWhereItLeadsAfterWaiting(t *testing.T) {
	t.Parallel()
	notes := policy.Target{Kind: policy.Path, Access: policy.Read, Value: "notes"}
	tests := []struct {
		name    string
		class   pegboard.Concurrency
		targets []policy.Target
	}{
		{name: "exclusive", class: pegboard.Exclusive, targets: []policy.Target{notes}},
		{name: "by target", class: pegboard.PerTarget, targets: []policy.Target{notes}},
		{name: "by target, with a command", class: pegboard.PerTarget, targets: []policy.Target{notes, {Kind: policy.Command, Access: policy.Run, Value: "wc"}}},
		{name: "by target, with something unknown", class: pegboard.PerTarget, targets: []policy.Target{notes, {}}},
		{name: "shared", class: pegboard.Shared, targets: []policy.Target{notes}},
		{name: "only under another name", class: pegboard.Exclusive, targets: []policy.Target{
			{Kind: policy.Path, Access: policy.Read, Value: "other", Aliases: []string{"notes"}},
		}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir, secret := t.TempDir(), filepath.Join(t.TempDir(), "secret")
			require.NoError(t, os.WriteFile(secret, []byte("secret"), 0o600))
			r := racers{link: filepath.Join(dir, "notes"), to: secret, held: true, second: pegboard.Traits{Concurrency: tc.class, Targets: tc.targets}}
			out := r.run(t)
			require.ErrorIs(t, out.Err, pegboard.ErrDenied)
			require.NotNil(t, out.Decision.Rule)
		})
	}
}

// TestWritingADirectoryHoldsUpWhatLiesBelow: a call that writes a path may turn it into
// a link, which moves everything below it.
func TestWritingADirectoryHoldsUpWhatLiesBelow(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		access policy.Access // of the first call, to d
		class  pegboard.Concurrency
		reads  string
		held   bool
	}{
		{name: "written, by target", access: policy.Write, class: pegboard.PerTarget, reads: "d/f", held: true},
		{name: "written, shared", access: policy.Write, class: pegboard.Shared, reads: "d/f", held: true},
		{name: "run", access: policy.Run, class: pegboard.PerTarget, reads: "d/f", held: true},
		{name: "far below", access: policy.Write, class: pegboard.PerTarget, reads: "d/e/f", held: true},
		{name: "beside", access: policy.Write, class: pegboard.PerTarget, reads: "d2/f"},
		{name: "only read", access: policy.Read, class: pegboard.PerTarget, reads: "d/f"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir, outside := t.TempDir(), t.TempDir()
			r := racers{
				link: filepath.Join(dir, "d"), to: outside, held: tc.held,
				first:  pegboard.Traits{Concurrency: pegboard.PerTarget, Targets: []policy.Target{{Kind: policy.Path, Access: tc.access, Value: "d"}}},
				second: pegboard.Traits{Concurrency: tc.class, Targets: []policy.Target{{Kind: policy.Path, Access: policy.Read, Value: tc.reads}}},
			}
			out := r.run(t)
			require.Equal(t, tc.held, errors.Is(out.Err, pegboard.ErrDenied), "%v", out.Err)
			require.Equal(t, tc.held, out.Decision.Behavior == policy.Deny)
		})
	}
}

// look is the input of a lookup.
type look struct {
	At    string `json:"at"`
	Write bool   `json:"write,omitempty"`
	Ms    int    `json:"ms,omitempty"`
	Ends  string `json:"ends,omitempty"` // error, flagged, panic, deaf, deferred, updates
}

// lookup is the definition of a tool whose calls are the same if their inputs are. It counts
// its calls in ran.
func lookup(ran *atomic.Int32) pegboard.Definition[look, *pegboard.Result] {
	return pegboard.Definition[look, *pegboard.Result]{
		Info: pegboard.Info{Name: "Look", Aliases: []string{"See"}, Timeout: time.Minute}, Description: "Looks something up.",
		Inspect: func(in look, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{ReadOnly: !in.Write, Concurrency: pegboard.Shared, Targets: []policy.Target{
				{Kind: policy.Resource, Access: policy.Read, Value: in.At},
			}}
		},
		Equivalent: pegboard.SameInput[look],
		Call: func(ctx context.Context, in look, _ *pegboard.Call) (*pegboard.Result, error) {
			n := ran.Add(1)
			if in.Ends == "deaf" {
				time.Sleep(10 * time.Minute)
			}
			select {
			case <-time.After(time.Duration(in.Ms) * time.Millisecond):
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
			r := pegboard.TextResult(fmt.Sprintf("%s, look %d", in.At, n))
			r.Data = in.At
			switch in.Ends {
			case "error":
				return nil, errPlanned
			case "flagged":
				r.IsError = true
			case "panic":
				panic("as planned")
			case "deferred":
				return nil, pegboard.ErrDeferred
			case "updates":
				r.Messages = []pegboard.Part{{Text: "a message"}}
				r.UpdateSession = func(*pegboard.Session) { ran.Add(100) }
			}
			return r, nil
		},
	}
}

// sames lists for each outcome the id of the call that it is the same as.
func sames(outs []pegboard.Outcome) (ids []string) {
	for _, o := range outs {
		id := ""
		if o.SameAs != nil {
			id = o.SameAs.ID
		}
		ids = append(ids, id)
	}
	return ids
}

// wrappedLook is a wrapper that changes the facts of a tool or compares calls itself.
type wrappedLook struct {
	pegboard.Tool
	facts func(*pegboard.Info)
	same  func(a, b *pegboard.Call) bool
}

func (w wrappedLook) Info() pegboard.Info {
	i := w.Tool.Info()
	if w.facts != nil {
		w.facts(&i)
	}
	return i
}

func (w wrappedLook) Equivalent(a, b *pegboard.Call) bool {
	if w.same != nil {
		return w.same(a, b)
	}
	return w.Tool.Equivalent(a, b)
}

// TestSameCalls: which calls of a message are answered by a call before them.
func TestSameCalls(t *testing.T) {
	t.Parallel()
	type def = pegboard.Definition[look, *pegboard.Result]
	const a = `{"at":"a"}`
	wrap := func(w wrappedLook) func(pegboard.Tool) pegboard.Tool {
		return func(t pegboard.Tool) pegboard.Tool { w.Tool = t; return w }
	}
	compare := func(same func(a, b look) bool) func(*def) { return func(d *def) { d.Equivalent = same } }
	tests := []struct {
		name   string
		define func(*def)
		wrap   func(pegboard.Tool) pegboard.Tool
		source string // the tool is attached from
		repair bool
		calls  []pegboard.Call
		want   []string
	}{
		{name: "equal", calls: []pegboard.Call{call("1", "Look", a), call("2", "Look", a)}, want: []string{"", "1"}},
		{name: "spelled in another way", calls: []pegboard.Call{call("1", "Look", a), call("2", "Look", ` { "write":false, "at" : "\u0061" }`)}, want: []string{"", "1"}},
		{name: "by an alias", calls: []pegboard.Call{call("1", "Look", a), call("2", "See", a)}, want: []string{"", "1"}},
		{name: "three", calls: []pegboard.Call{call("1", "Look", a), call("2", "Look", a), call("3", "Look", a)}, want: []string{"", "1", "1"}},
		{name: "two and two", calls: []pegboard.Call{call("1", "Look", a), call("2", "Look", a), call("3", "Look", `{"at":"b"}`), call("4", "Look", `{"at":"b"}`)}, want: []string{"", "1", "", "3"}},
		{name: "equal by the tool's word", define: compare(func(a, b look) bool { return a.At == b.At }), calls: []pegboard.Call{call("1", "Look", a), call("2", "Look", `{"at":"a","ms":1}`)}, want: []string{"", "1"}},
		{name: "the earlier call comes first", define: compare(func(a, b look) bool { return a.Ms == 0 && b.Ms == 1 }), calls: []pegboard.Call{call("1", "Look", a), call("2", "Look", `{"at":"a","ms":1}`)}, want: []string{"", "1"}},
		{name: "a wrapper that compares", define: compare(nil), wrap: wrap(wrappedLook{same: func(a, b *pegboard.Call) bool { return string(a.Input) == string(b.Input) }}), calls: []pegboard.Call{call("1", "Look", a), call("2", "Look", a)}, want: []string{"", "1"}},
		{
			name: "bound", define: func(d *def) { d.Bound = map[string]pegboard.Binding{"ms": constantly(1)} },
			calls: []pegboard.Call{call("1", "Look", a), call("2", "Look", a)}, want: []string{"", "1"},
		},

		{name: "alone", calls: []pegboard.Call{call("1", "Look", a)}, want: []string{""}},
		{name: "another input", calls: []pegboard.Call{call("1", "Look", a), call("2", "Look", `{"at":"b"}`)}, want: []string{"", ""}},
		{name: "another call in between", calls: []pegboard.Call{call("1", "Look", a), call("2", "Look", `{"at":"b"}`), call("3", "Look", a)}, want: []string{"", "", ""}},
		{name: "a call of another tool in between", calls: []pegboard.Call{call("1", "Look", a), call("2", "Other", `{}`), call("3", "Look", a)}, want: []string{"", "", ""}},
		{name: "a call of no tool in between", calls: []pegboard.Call{call("1", "Look", a), call("2", "Nothing", a), call("3", "Look", a)}, want: []string{"", "", ""}},
		{name: "a duplicate in between", calls: []pegboard.Call{call("1", "Look", a), call("1", "Look", a), call("3", "Look", a)}, want: []string{"", "", ""}},
		{name: "a call that writes", calls: []pegboard.Call{call("1", "Look", `{"at":"a","write":true}`), call("2", "Look", `{"at":"a","write":true}`)}, want: []string{"", ""}},
		{
			name: "the one before writes", define: compare(func(a, b look) bool { return true }),
			calls: []pegboard.Call{call("1", "Look", `{"at":"a","write":true}`), call("2", "Look", a)}, want: []string{"", ""},
		},
		{
			name: "the second writes", define: compare(func(a, b look) bool { return true }),
			calls: []pegboard.Call{call("1", "Look", a), call("2", "Look", `{"at":"a","write":true}`)}, want: []string{"", ""},
		},
		{
			name: "it acts on something else", define: compare(func(a, b look) bool { return true }),
			calls: []pegboard.Call{call("1", "Look", a), call("2", "Look", `{"at":"b"}`)}, want: []string{"", ""},
		},
		{name: "a tool that does not compare", define: compare(nil), calls: []pegboard.Call{call("1", "Look", a), call("2", "Look", a)}, want: []string{"", ""}},
		{name: "a tool that panics when it compares", define: compare(func(a, b look) bool { panic("no") }), calls: []pegboard.Call{call("1", "Look", a), call("2", "Look", a)}, want: []string{"", ""}},
		{name: "an external tool", source: "s", calls: []pegboard.Call{call("1", "mcp__s__Look", a), call("2", "mcp__s__Look", a)}, want: []string{"", ""}},
		{name: "a wrapper that polls", wrap: wrap(wrappedLook{facts: func(i *pegboard.Info) { i.Polls = true }}), calls: []pegboard.Call{call("1", "Look", a), call("2", "Look", a)}, want: []string{"", ""}},
		{name: "a wrapper that does not compare", wrap: wrap(wrappedLook{same: func(a, b *pegboard.Call) bool { return false }}), calls: []pegboard.Call{call("1", "Look", a), call("2", "Look", a)}, want: []string{"", ""}},
		{name: "the caller has decided the first", calls: []pegboard.Call{pegboard.ForceDecision(call("1", "Look", a), policy.Allow, ""), call("2", "Look", a)}, want: []string{"", ""}},
		{name: "the caller has decided the second", calls: []pegboard.Call{call("1", "Look", a), pegboard.ForceDecision(call("2", "Look", a), policy.Allow, "")}, want: []string{"", ""}},
		{name: "the first is repaired", repair: true, calls: []pegboard.Call{call("1", "Look", "```\n"+a+"\n```"), call("2", "Look", a)}, want: []string{"", ""}},
		{name: "the second is repaired", repair: true, calls: []pegboard.Call{call("1", "Look", a), call("2", "Look", "```\n"+a+"\n```")}, want: []string{"", ""}},
		{name: "it is answered later", calls: []pegboard.Call{call("1", "Look", `{"at":"a","ends":"deferred"}`), call("2", "Look", `{"at":"a","ends":"deferred"}`)}, want: []string{"", ""}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var ran atomic.Int32
			d := lookup(&ran)
			if tc.define != nil {
				tc.define(&d)
			}
			tool := pegboard.Build(d)
			if tc.wrap != nil {
				tool = tc.wrap(tool)
			}
			reg := registryOf(t, inert("Other"))
			if tc.source == "" {
				require.NoError(t, reg.Add(tool))
			} else {
				_, err := reg.Attach(tc.source, tool)
				require.NoError(t, err)
			}
			for _, streams := range []bool{false, true} {
				ran.Store(0)
				pool := reg.AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
				ex := executor(pegboard.Executor{Repair: pegboard.Repair{Syntax: tc.repair}})
				var outs []pegboard.Outcome
				if streams {
					stream := ex.Stream(t.Context(), pool)
					for _, c := range tc.calls {
						stream.Submit(c)
					}
					stream.Finish(pegboard.FinishToolCalls)
					outs = slices.Collect(stream.Outcomes())
				} else {
					outs = ex.Run(t.Context(), pool, tc.calls...)
				}
				require.Equal(t, tc.want, sames(outs))
				runs := 0
				for _, o := range outs {
					if strings.HasSuffix(o.Call.ToolName(), "Look") {
						runs += o.Attempts
					}
				}
				require.EqualValues(t, runs, ran.Load())
			}
		})
	}
}

// TestSameCallsThatFailed: what became of the first call became of the second, as if it had
// run.
func TestSameCallsThatFailed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		ends  string
		stage pegboard.Stage
		is    []error
	}{
		{ends: "error", stage: pegboard.StageCall, is: []error{pegboard.ErrToolFailed, errPlanned}},
		{ends: "panic", stage: pegboard.StageCall, is: []error{pegboard.ErrPanic}},
		{ends: "deaf", stage: pegboard.StageCall, is: []error{pegboard.ErrDetached, pegboard.ErrTimeout}},
		{ends: "flagged"},
	}
	for _, tc := range tests {
		t.Run(tc.ends, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var ran atomic.Int32
				pool := registryOf(t, pegboard.Build(lookup(&ran))).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
				input, ex := `{"at":"a","ends":"`+tc.ends+`"}`, executor(pegboard.Executor{})
				outs := ex.Run(t.Context(), pool, call("1", "Look", input), call("2", "Look", input))
				require.Equal(t, []string{"", "1"}, sames(outs))
				require.EqualValues(t, 1, ran.Load())
				second := outs[1]
				require.True(t, second.Result.IsError)
				require.Zero(t, second.Attempts)
				require.Equal(t, "Look was not run again: a call before it in this message (1) is the same. "+
					"The result of that call holds for both. It failed; see there why, and what to do next.", second.Result.Text())
				for _, err := range tc.is {
					require.ErrorIs(t, second.Err, err)
				}
				if tc.stage == "" {
					require.NoError(t, second.Err)
				} else {
					var first, own *pegboard.CallError
					require.ErrorAs(t, outs[0].Err, &first)
					require.ErrorAs(t, second.Err, &own)
					require.Equal(t, pegboard.CallError{Tool: "Look", CallID: "2", Stage: tc.stage, Err: first.Err}, *own)
				}
				time.Sleep(time.Hour) // the deaf one returns
			})
		})
	}
}

// TestSameCallHasTheData of the first for the host, and its error of the output, but changes
// the session and writes messages once.
func TestSameCallHasTheData(t *testing.T) {
	t.Parallel()
	var ran atomic.Int32
	d := lookup(&ran)
	d.OutputSchema = json.RawMessage(`{"type":"number"}`)
	pool := registryOf(t, pegboard.Build(d)).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{})
	outs := ex.Run(t.Context(), pool, call("", "Look", `{"at":"a","ends":"updates"}`), call("", "Look", `{"at":"a","ends":"updates"}`))
	first, second := outs[0], outs[1]
	require.NotNil(t, second.SameAs)
	require.Equal(t, first.Call, second.SameAs)
	require.Equal(t, "a", second.Result.Data)
	require.ErrorIs(t, second.OutputErr, pegboard.ErrInvalidOutput)
	require.NoError(t, second.Err)
	require.Empty(t, second.Result.Messages)
	require.EqualValues(t, 101, ran.Load(), "one call and one change of the session")
	require.Equal(t, "Look was not run again: a call before it in this message is the same. The result of that call holds for both.", second.Result.Text())
	require.Equal(t, "The same as a call before it", second.View().After)
	require.False(t, second.View().Failed)
	require.Zero(t, second.Decision)
}

// TestSameCallsAreDecidedOnce: those who decide about the first are not asked again, and
// what they say holds for both.
func TestSameCallsAreDecidedOnce(t *testing.T) {
	t.Parallel()
	says := func(b policy.Behavior) policy.Decision {
		return policy.Decision{Behavior: b, Reason: "as planned"}
	}
	changed := func(in json.RawMessage) policy.Decision {
		if string(in) == `{"at":"b"}` {
			return policy.Decision{}
		}
		return policy.Decision{Behavior: policy.Allow, Input: json.RawMessage(`{"at":"b"}`)}
	}
	type set = policy.RuleSet
	tests := []struct {
		name    string
		set     set
		mode    policy.Mode
		pre     func(h *pegboard.HookCall) policy.Decision
		guard   func(q *pegboard.Question) policy.Decision
		person  func(q *pegboard.Question) (policy.Decision, error)
		second  string // input of the second call, if it is not that of the first
		want    []string
		asked   int // those above
		is      error
		decided []string // events
	}{
		{name: "a hook allows", pre: func(*pegboard.HookCall) policy.Decision { return says(policy.Allow) }, want: []string{"", "1"}, asked: 1, decided: []string{"1 allow"}},
		{name: "a hook denies", pre: func(*pegboard.HookCall) policy.Decision { return says(policy.Deny) }, want: []string{"", "1"}, asked: 1, is: pegboard.ErrDenied, decided: []string{"1 deny"}},
		{name: "a hook changes the input", pre: func(h *pegboard.HookCall) policy.Decision { return changed(h.Call.Input) }, want: []string{"", ""}, asked: 4, decided: []string{"1 allow", "2 allow"}},
		{name: "a hook makes them equal", second: `{"at":"c"}`, pre: func(h *pegboard.HookCall) policy.Decision {
			if h.Call.ID == "2" {
				return policy.Decision{Input: json.RawMessage(`{"at":"a"}`)}
			}
			return policy.Decision{}
		}, want: []string{"", ""}, asked: 3, decided: []string{"1 allow", "2 allow"}},
		{name: "a guard denies", guard: func(*pegboard.Question) policy.Decision { return says(policy.Deny) }, want: []string{"", "1"}, asked: 1, is: pegboard.ErrDenied, decided: []string{"1 deny"}},
		{name: "the user allows", set: set{Ask: []string{"Look"}}, person: func(*pegboard.Question) (policy.Decision, error) { return says(policy.Allow), nil }, want: []string{"", "1"}, asked: 1, decided: []string{"1 allow"}},
		{name: "the user denies", set: set{Ask: []string{"Look"}}, person: func(*pegboard.Question) (policy.Decision, error) { return says(policy.Deny), nil }, want: []string{"", "1"}, asked: 1, is: pegboard.ErrDenied, decided: []string{"1 deny"}},
		{name: "nobody answers", set: set{Ask: []string{"Look"}}, person: func(*pegboard.Question) (policy.Decision, error) { return policy.Decision{}, pegboard.ErrExpired }, want: []string{"", "1"}, asked: 1, is: pegboard.ErrExpired, decided: []string{"1 deny"}},
		{name: "the user changes the input", set: set{Ask: []string{"Look"}}, person: func(q *pegboard.Question) (policy.Decision, error) { return changed(q.Call.Input), nil }, want: []string{"", ""}, asked: 2, decided: []string{"1 allow", "2 allow"}},
		{name: "a rule denies", set: set{Deny: []string{"Look(a)"}}, want: []string{"", ""}, is: pegboard.ErrDenied, decided: []string{"1 deny", "2 deny"}},
		{name: "a mode denies", mode: policy.ModeDontAsk, set: set{Ask: []string{"Look(a)"}}, want: []string{"", ""}, is: pegboard.ErrDenied, decided: []string{"1 deny", "2 deny"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var asked, ran atomic.Int32
			var notRun []string
			cfg := pegboard.SessionConfig{Permissions: rules(t, tc.mode, tc.set)}
			if tc.pre != nil {
				cfg.Hooks.Pre = func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) { asked.Add(1); return tc.pre(h), nil }
			}
			if tc.guard != nil {
				cfg.Guard = func(_ ctx, q *pegboard.Question) (policy.Decision, error) { asked.Add(1); return tc.guard(q), nil }
			}
			if tc.person != nil {
				cfg.Ask = func(_ ctx, q *pegboard.Question) (policy.Decision, error) { asked.Add(1); return tc.person(q) }
			}
			var mu sync.Mutex
			cfg.Hooks.NotRun = func(_ ctx, h *pegboard.HookCall) error {
				mu.Lock()
				defer mu.Unlock()
				if h.Outcome.SameAs != nil {
					notRun = append(notRun, h.Call.ID+" as "+h.Outcome.SameAs.ID)
				}
				return nil
			}
			var decided []string
			ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
				if e.Kind == pegboard.EventDecided {
					decided = append(decided, e.Call.ID+" "+e.Decision.Behavior.String())
				}
			}})
			pool := registryOf(t, pegboard.Build(lookup(&ran))).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
			const first = `{"at":"a"}`
			outs := ex.Run(t.Context(), pool, call("1", "Look", first), call("2", "Look", cmp.Or(tc.second, first)))
			require.Equal(t, tc.want, sames(outs))
			require.EqualValues(t, tc.asked, asked.Load())
			slices.Sort(decided)
			require.Equal(t, tc.decided, decided)
			for _, o := range outs {
				require.ErrorIs(t, o.Err, tc.is)
			}
			if tc.want[1] != "" {
				require.Equal(t, []string{"2 as 1"}, notRun)
			}
		})
	}
}

// TestSameCallLosesItsPermission: a rule that was set while the first ran denies the second.
func TestSameCallLosesItsPermission(t *testing.T) {
	t.Parallel()
	var ran atomic.Int32
	d := lookup(&ran)
	inner := d.Call
	d.Call = func(ctx context.Context, in look, c *pegboard.Call) (*pegboard.Result, error) {
		if err := c.Session().SetPermissions(rules(t, "", policy.RuleSet{Deny: []string{"Look(a)"}})); err != nil {
			return nil, err
		}
		return inner(ctx, in, c)
	}
	s := session(t, pegboard.SessionConfig{})
	ex := executor(pegboard.Executor{})
	outs := ex.Run(t.Context(), registryOf(t, pegboard.Build(d)).AssemblePool(s, pegboard.PoolConfig{}), call("1", "Look", `{"at":"a"}`), call("2", "Look", `{"at":"a"}`))
	require.NoError(t, outs[0].Err)
	require.ErrorIs(t, outs[1].Err, pegboard.ErrDenied)
	require.Nil(t, outs[1].SameAs)
}

// TestSameCallHoldsBackNobody: while it waits for the first, later calls run and are asked
// about.
func TestSameCallHoldsBackNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ran atomic.Int32
		begin := time.Now()
		var story []string
		s := session(t, pegboard.SessionConfig{Permissions: rules(t, "", policy.RuleSet{Ask: []string{"Look(b)"}}), Ask: alwaysSays(policy.Decision{Behavior: policy.Allow})})
		ex := executor(pegboard.Executor{MaxParallel: 2, OnEvent: func(e pegboard.Event) {
			story = append(story, fmt.Sprintf("%v %s %v", time.Since(begin), e.Call.ID, e.Kind))
		}})
		outs := ex.Run(t.Context(), registryOf(t, pegboard.Build(lookup(&ran))).AssemblePool(s, pegboard.PoolConfig{}),
			call("1", "Look", `{"at":"a","ms":50}`), call("2", "Look", `{"at":"a","ms":50}`), call("3", "Look", `{"at":"b"}`))
		require.Equal(t, []string{"", "1", ""}, sames(outs))
		require.Contains(t, story, "0s 3 asked")
		require.Contains(t, story, "0s 3 finished")
		require.Contains(t, story, "50ms 1 finished")
		require.Contains(t, story, "50ms 2 finished")
		require.NotContains(t, strings.Join(story, "\n"), "2 started")
	})
}

// TestSameCallIsNotWaitedForByTheFirst: the first is given another target, which the second
// holds. It does not wait for a call that waits for it.
func TestSameCallIsNotWaitedForByTheFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ran atomic.Int32
		d := lookup(&ran)
		d.Inspect = func(in look, _ *pegboard.Call) pegboard.Traits {
			access := policy.Read
			if in.Write {
				access = policy.Write
			}
			return pegboard.Traits{ReadOnly: !in.Write, Concurrency: pegboard.PerTarget, Targets: []policy.Target{{Kind: policy.Resource, Access: access, Value: in.At}}}
		}
		cfg := bypass(t)
		cfg.Hooks.Pre = func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
			time.Sleep(time.Second) // until the second waits
			if h.Call.ID == "1" {
				return policy.Decision{Input: json.RawMessage(`{"at":"a","write":true}`)}, nil
			}
			return policy.Decision{}, nil
		}
		ex := executor(pegboard.Executor{})
		outs := ex.Run(t.Context(), registryOf(t, pegboard.Build(d)).AssemblePool(session(t, cfg), pegboard.PoolConfig{}), call("1", "Look", `{"at":"a"}`), call("2", "Look", `{"at":"a"}`))
		require.Equal(t, []string{"", ""}, sames(outs))
		for _, o := range outs {
			require.NoError(t, o.Err)
		}
		require.EqualValues(t, 2, ran.Load())
	})
}

// TestSameCallIsStopped by what stops the calls of its message, while it waits.
func TestSameCallIsStopped(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		stop func(*pegboard.Session, *pegboard.Stream, context.CancelCauseFunc)
		is   error
	}{
		{name: "a new message", stop: func(_ *pegboard.Session, _ *pegboard.Stream, cancel context.CancelCauseFunc) {
			cancel(pegboard.ErrNewMessage)
		}, is: pegboard.ErrNewMessage},
		{name: "an interrupted session", stop: func(s *pegboard.Session, _ *pegboard.Stream, _ context.CancelCauseFunc) { s.Interrupt(nil) }, is: pegboard.ErrCancelled},
		{name: "an abandoned stream", stop: func(_ *pegboard.Session, s *pegboard.Stream, _ context.CancelCauseFunc) { s.Abandon(nil) }, is: pegboard.ErrAbandoned},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var ran atomic.Int32
				s := session(t, bypass(t))
				turn, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				ex := executor(pegboard.Executor{})
				stream := ex.Stream(turn, registryOf(t, pegboard.Build(lookup(&ran))).AssemblePool(s, pegboard.PoolConfig{}))
				stream.Submit(call("1", "Look", `{"at":"a","ms":500}`))
				stream.Submit(call("2", "Look", `{"at":"a","ms":500}`))
				synctest.Wait()
				tc.stop(s, stream, cancel)
				outs := slices.Collect(stream.Outcomes())
				require.Len(t, outs, 2)
				require.ErrorIs(t, outs[1].Err, pegboard.ErrCancelled)
				require.ErrorIs(t, outs[1].Err, tc.is)
				require.Nil(t, outs[1].SameAs)
				require.Contains(t, outs[1].Result.Text(), "was not run")
				require.Zero(t, outs[1].Elapsed, "it does not wait any longer")
				require.EqualValues(t, 1, ran.Load())
			})
		})
	}
}

// TestSameCallRunsIfTheFirstWasStopped alone: that says nothing about the call.
func TestSameCallRunsIfTheFirstWasStopped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ran atomic.Int32
		cfg := bypass(t)
		cfg.Hooks.Pre = func(ctx ctx, h *pegboard.HookCall) (policy.Decision, error) {
			if h.Call.ID == "1" {
				return policy.Decision{}, fmt.Errorf("%w: by itself", pegboard.ErrCancelled)
			}
			return policy.Decision{}, nil
		}
		ex := executor(pegboard.Executor{})
		outs := ex.Run(t.Context(), registryOf(t, pegboard.Build(lookup(&ran))).AssemblePool(session(t, cfg), pegboard.PoolConfig{}), call("1", "Look", `{"at":"a"}`), call("2", "Look", `{"at":"a"}`))
		require.ErrorIs(t, outs[0].Err, pegboard.ErrCancelled)
		require.NoError(t, outs[1].Err)
		require.Equal(t, []string{"", ""}, sames(outs))
	})
}

// TestSameCallIsStoppedWithItsSiblings: the failure of the first stops the calls beside it.
func TestSameCallIsStoppedWithItsSiblings(t *testing.T) {
	t.Parallel()
	d := lookup(new(atomic.Int32))
	d.CancelsSiblings = true
	ex := executor(pegboard.Executor{CancelSiblings: true})
	outs := ex.Run(t.Context(), registryOf(t, pegboard.Build(d)).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}),
		call("1", "Look", `{"at":"a","ms":1,"ends":"error"}`), call("2", "Look", `{"at":"a","ms":1,"ends":"error"}`))
	require.ErrorIs(t, outs[1].Err, pegboard.ErrSiblingFailed)
	require.Equal(t, []string{"", ""}, sames(outs))
}

// TestSameCallDoesNotWaitForAnotherInput: the first is given another input, and the second
// begins at once.
func TestSameCallDoesNotWaitForAnotherInput(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg := bypass(t)
		cfg.Hooks.Pre = func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
			if h.Call.ID == "1" {
				time.Sleep(time.Second) // until the second waits
				return policy.Decision{Input: json.RawMessage(`{"at":"b","ms":5000}`)}, nil
			}
			return policy.Decision{}, nil
		}
		ex := executor(pegboard.Executor{})
		outs := ex.Run(t.Context(), registryOf(t, pegboard.Build(lookup(new(atomic.Int32)))).AssemblePool(session(t, cfg), pegboard.PoolConfig{}),
			call("1", "Look", `{"at":"a"}`), call("2", "Look", `{"at":"a"}`))
		require.Equal(t, []string{"", ""}, sames(outs))
		require.Equal(t, time.Second, outs[1].Elapsed)
	})
}

// TestSameCallComesLater: in a stream the first has long ended.
func TestSameCallComesLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ran atomic.Int32
		ex := executor(pegboard.Executor{})
		stream := ex.Stream(t.Context(), registryOf(t, pegboard.Build(lookup(&ran))).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}))
		stream.Submit(call("1", "Look", `{"at":"a"}`))
		time.Sleep(time.Second)
		require.Len(t, slices.Collect(stream.Ready()), 1)
		stream.Submit(call("2", "Look", `{"at":"a"}`))
		synctest.Wait()
		outs := slices.Collect(stream.Ready())
		require.Equal(t, []string{"1"}, sames(outs), "before the message has ended")
		stream.Finish(pegboard.FinishToolCalls)
		require.Empty(t, slices.Collect(stream.Outcomes()))
		require.EqualValues(t, 1, ran.Load())
	})
}

// TestSameCallsOfAScript: a script reads each result, and gets each.
func TestSameCallsOfAScript(t *testing.T) {
	t.Parallel()
	var ran atomic.Int32
	tool, outs := script("Script", call("1", "Look", `{"at":"a"}`), call("2", "Look", `{"at":"a"}`))
	require.NoError(t, run(t, registryOf(t, tool, pegboard.Build(lookup(&ran))), session(t, bypass(t)), call("0", "Script", `{}`)).Err)
	require.Equal(t, []string{"", ""}, sames(*outs))
	require.EqualValues(t, 2, ran.Load())
}

// TestSameCallsSpendOnce: the second call takes nothing of a budget. A call that has none is
// refused for itself.
func TestSameCallsSpendOnce(t *testing.T) {
	t.Parallel()
	var ran atomic.Int32
	cfg := bypass(t)
	cfg.Budgets = []pegboard.CallBudget{{Calls: 2}}
	s := session(t, cfg)
	ex, pool := executor(pegboard.Executor{}), registryOf(t, pegboard.Build(lookup(&ran))).AssemblePool(s, pegboard.PoolConfig{})
	outs := ex.Run(t.Context(), pool, call("1", "Look", `{"at":"a"}`), call("2", "Look", `{"at":"a"}`), call("3", "Look", `{"at":"b"}`))
	outs = append(outs, ex.Run(t.Context(), pool, call("4", "Look", `{"at":"c"}`), call("5", "Look", `{"at":"c"}`))...)
	require.Equal(t, []string{"", "1", "", "", ""}, sames(outs))
	require.NoError(t, outs[2].Err)
	require.ErrorIs(t, outs[3].Err, pegboard.ErrBudget)
	require.ErrorIs(t, outs[4].Err, pegboard.ErrBudget)
}

// TestSameCallsAreOneRepetition: the loop breaker counts messages with them as it counts
// messages with the first alone.
func TestSameCallsAreOneRepetition(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 3} {
		d := lookup(new(atomic.Int32))
		d.Call = func(context.Context, look, *pegboard.Call) (*pegboard.Result, error) {
			return pegboard.TextResult("as ever"), nil
		}
		var questions []*pegboard.Question
		s := session(t, pegboard.SessionConfig{Breaker: pegboard.BreakerLimits{Repeats: 3}, Ask: answering(&questions, policy.Decision{Behavior: policy.Deny}, nil)})
		pool := registryOf(t, pegboard.Build(d)).AssemblePool(s, pegboard.PoolConfig{})
		for message := range 3 {
			var calls []pegboard.Call
			for i := range n {
				calls = append(calls, call(fmt.Sprintf("%d.%d", message, i), "Look", `{"at":"a"}`))
			}
			ex := executor(pegboard.Executor{})
			for _, o := range ex.Run(t.Context(), pool, calls...) {
				require.Equal(t, message == 2, errors.Is(o.Err, pegboard.ErrDenied), "message %d of %d calls", message, n)
			}
		}
		require.Len(t, questions, 1)
	}
}

// TestNotRunHookOfASameCall may change its text, and makes no error of it.
func TestNotRunHookOfASameCall(t *testing.T) {
	t.Parallel()
	cfg := bypass(t)
	cfg.Hooks.NotRun = func(_ ctx, h *pegboard.HookCall) error {
		h.Outcome.Result = pegboard.TextResult("see above")
		return h.Outcome.Err
	}
	ex := executor(pegboard.Executor{})
	outs := ex.Run(t.Context(), registryOf(t, pegboard.Build(lookup(new(atomic.Int32)))).AssemblePool(session(t, cfg), pegboard.PoolConfig{}), call("1", "Look", `{"at":"a"}`), call("2", "Look", `{"at":"a"}`))
	require.Equal(t, []string{"", "1"}, sames(outs))
	require.Equal(t, "see above", outs[1].Result.Text())
	require.False(t, outs[1].Result.IsError)
}

// TestEquivalentHasNoMeaning: facts of a tool with which its calls are never compared.
func TestEquivalentHasNoMeaning(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		info pegboard.Info
	}{
		{name: "ExternalResult", info: pegboard.Info{ExternalResult: true}},
		{name: "Polls", info: pegboard.Info{Polls: true}},
		{name: "RequiresGuard", info: pegboard.Info{RequiresGuard: true}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			d := lookup(nil)
			d.Info = tc.info
			d.Name = "Look"
			if tc.info.ExternalResult {
				d.Call = nil
			}
			_, err := pegboard.TryBuild(d)
			var wrong *pegboard.BuildError
			require.ErrorAs(t, err, &wrong)
			require.Equal(t, "Equivalent", wrong.Field)
			require.ErrorContains(t, err, "Info."+tc.name)
			d.Equivalent = nil
			_, err = pegboard.TryBuild(d)
			require.NoError(t, err)
		})
	}
}

func TestSameInput(t *testing.T) {
	t.Parallel()
	type input struct {
		Paths []string
		Limit *int
	}
	one, uno := 1, 1
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	require.True(t, pegboard.SameInput(input{Paths: []string{"a"}, Limit: &one}, input{Paths: []string{"a"}, Limit: &uno}))
	require.False(t, pegboard.SameInput(input{Paths: []string{"a"}}, input{Paths: []string{"b"}}))
	require.False(t, pegboard.SameInput(input{Limit: &one}, input{}))
	require.True(t, pegboard.SameInput(raw(`{"a":1,"b":[2]}`), raw(`{ "b":[2], "\u0061":1 }`)))
	require.False(t, pegboard.SameInput(raw(`{"a":1}`), raw(`{"a":1.0}`)))
	require.False(t, pegboard.SameInput(raw(`{"a":[1,2]}`), raw(`{"a":[2,1]}`)))
}
