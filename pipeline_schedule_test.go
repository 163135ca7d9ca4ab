package pegboard_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
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
	agent := pegboard.Target{Kind: pegboard.TargetAgent, Access: pegboard.AccessRun, Value: "Explore"}
	skill := pegboard.Target{Kind: pegboard.TargetSkill, Access: pegboard.AccessRun, Value: "pdf a.pdf", Aliases: []string{"pdf"}}
	with := func(target pegboard.Target, access pegboard.Access) pegboard.Target {
		target.Access = access
		return target
	}
	tests := []struct {
		name          string
		class         pegboard.Concurrency
		first, second pegboard.Target
		takes         int // milliseconds
	}{
		{name: "agents of one type", class: pegboard.Shared, first: agent, second: agent, takes: 10},
		{name: "agents of one type, by target", class: pegboard.PerTarget, first: agent, second: agent, takes: 10},
		{name: "one skill", class: pegboard.Shared, first: skill, second: skill, takes: 10},
		{name: "an agent that is changed", class: pegboard.Shared, first: agent, second: with(agent, pegboard.AccessWrite), takes: 20},
		{name: "an agent that is changed, first", class: pegboard.Shared, first: with(agent, pegboard.AccessWrite), second: agent, takes: 20},
		{name: "an agent that is read", class: pegboard.Shared, first: with(agent, pegboard.AccessRead), second: agent, takes: 10},
		{name: "exclusive calls", class: pegboard.Exclusive, first: agent, second: agent, takes: 20},
		{name: "a thing that is run", class: pegboard.Shared, first: pegboard.Target{Kind: pegboard.TargetResource, Access: pegboard.AccessRun, Value: "x"}, second: pegboard.Target{Kind: pegboard.TargetResource, Access: pegboard.AccessRun, Value: "x"}, takes: 20},
		{name: "a file that is run", class: pegboard.Shared, first: pegboard.Target{Kind: pegboard.TargetPath, Access: pegboard.AccessRun, Value: "x"}, second: pegboard.Target{Kind: pegboard.TargetPath, Access: pegboard.AccessRun, Value: "x"}, takes: 20},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				starts := func(name string, target pegboard.Target) pegboard.Tool {
					a := actor{name: name, traits: pegboard.Traits{Concurrency: tc.class, Targets: []pegboard.Target{target}}, call: func(ctx, *pegboard.Call) error { time.Sleep(10 * time.Millisecond); return nil }}
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
		cfg := pegboard.SessionConfig{Ask: func(ctx, *pegboard.Question) (pegboard.Decision, error) {
			time.Sleep(time.Minute)
			return pegboard.Decision{Behavior: pegboard.Allow}, nil
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
		require.Equal(t, []string{"20s", "11m0s", "31m0s"}, ended)
	})
}

// appender returns a tool that reads a file, lets other goroutines run, and writes the
// text it read with the id of the call behind it.
func appender() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[job, string]{
		Info: pegboard.Info{Name: "Append"}, Description: "Reads, yields, writes.",
		Inspect: func(in job, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Concurrency: pegboard.PerTarget, Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Value: in.Path}}}
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
