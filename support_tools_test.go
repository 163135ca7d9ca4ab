package pegboard_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// registryOf returns a registry that holds tools.
func registryOf(t testing.TB, tools ...pegboard.Tool) *pegboard.Registry {
	t.Helper()
	var reg pegboard.Registry
	require.NoError(t, reg.Add(tools...))
	return &reg
}

// inerts returns an inert tool of each name.
func inerts(names ...string) []pegboard.Tool {
	tools := make([]pegboard.Tool, len(names))
	for i, name := range names {
		tools[i] = inert(name)
	}
	return tools
}

// attach makes an inert tool of each name those of a source.
func attach(t testing.TB, reg *pegboard.Registry, source string, names ...string) pegboard.AttachReport {
	t.Helper()
	report, err := offer(reg, source, inerts(names...)...)
	require.NoError(t, err)
	return report
}

// offer attaches a source, or replaces its tools if it is there.
func offer(reg *pegboard.Registry, source string, tools ...pegboard.Tool) (pegboard.AttachReport, error) {
	report, err := reg.Replace(source, tools...)
	if errors.Is(err, pegboard.ErrNotAttached) {
		return reg.Attach(source, tools...)
	}
	return report, err
}

// described returns an inert tool with a description of its own.
func described(name, text string) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: name}, Description: text,
		Call: func(ctx, struct{}, *pegboard.Call) (string, error) { return "", nil },
	})
}

// plain is a tool that only has a name.
func plain(name string, call func(context.Context, struct{}, *pegboard.Call) (string, error)) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: name}, Description: "Says something.", Call: call,
	})
}

// says returns the Call of a tool that answers with text.
func says(text string) func(context.Context, struct{}, *pegboard.Call) (string, error) {
	return func(context.Context, struct{}, *pegboard.Call) (string, error) { return text, nil }
}

// script is a tool that makes the given calls and returns their outcomes.
func script(name string, calls ...pegboard.Call) (tool pegboard.Tool, outcomes *[]pegboard.Outcome) {
	outcomes = new([]pegboard.Outcome)
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: name},
		Description: "Runs a script.",
		Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			*outcomes = c.Run(ctx, calls...)
			return "done", nil
		},
	}), outcomes
}

type job struct {
	Path  string `json:"path,omitempty"`
	Write bool   `json:"write,omitempty"`
	Class string `json:"class,omitempty"` // "shared", "target" or empty
	Ms    int    `json:"ms,omitempty"`
}

// worker returns a tool that takes as long as its input says and notes when it
// ran.
func worker(note func(in job, begin bool)) pegboard.Tool {
	classes := map[string]pegboard.Concurrency{"shared": pegboard.Shared, "target": pegboard.PerTarget}
	return pegboard.Build(pegboard.Definition[job, string]{
		Info: pegboard.Info{Name: "Work"}, Description: "For a test.",
		Inspect: func(in job, _ *pegboard.Call) pegboard.Traits {
			tr := pegboard.Traits{Concurrency: classes[in.Class], ReadOnly: !in.Write}
			if in.Path != "" {
				tr.Targets = []pegboard.Target{{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: in.Path}}
				if in.Write {
					tr.Targets[0].Access = pegboard.AccessWrite
				}
			}
			return tr
		},
		Call: func(ctx ctx, in job, _ *pegboard.Call) (string, error) {
			note(in, true)
			defer note(in, false)
			select {
			case <-time.After(time.Duration(in.Ms) * time.Millisecond):
				return in.Path, nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		},
	})
}

// workers returns a pool with the tool that takes as long as its input says.
func workers(t testing.TB) *pegboard.Pool {
	t.Helper()
	return registryOf(t, worker(func(job, bool) {})).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
}

// slow returns a tool that takes as long as its input says and heeds its context
// unless it is deaf.
func slow(info pegboard.Info, deaf bool) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[job, string]{
		Info: info, Description: "Takes its time.",
		Inspect: func(in job, _ *pegboard.Call) pegboard.Traits {
			tr := pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared}
			if in.Path != "" {
				tr.Concurrency = pegboard.PerTarget
				tr.Targets = []pegboard.Target{{Kind: pegboard.TargetPath, Access: pegboard.AccessWrite, Value: in.Path}}
			}
			return tr
		},
		Call: func(ctx ctx, in job, _ *pegboard.Call) (string, error) {
			heard := ctx.Done()
			if deaf {
				heard = nil
			}
			select {
			case <-time.After(time.Duration(in.Ms) * time.Millisecond):
				return "done", nil
			case <-heard:
				return "half", context.Cause(ctx)
			}
		},
	})
}

type touch struct {
	Path string `json:"path"`
}

// toucher returns a tool that says it writes a file, and only notes which.
func toucher(touched func(path string)) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[touch, string]{
		Info: pegboard.Info{Name: "Touch"}, Description: "Touches a file.",
		Inspect: func(in touch, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Concurrency: pegboard.PerTarget, Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Value: in.Path}}}
		},
		Call: func(_ ctx, in touch, _ *pegboard.Call) (string, error) {
			if touched != nil {
				touched(in.Path)
			}
			return "touched " + in.Path, nil
		},
	})
}

func touching(id, path string) pegboard.Call {
	return call(id, "Touch", fmt.Sprintf(`{"path":%q}`, path))
}

func toucherPool(t testing.TB, s *pegboard.Session, touched func(path string)) *pegboard.Pool {
	t.Helper()
	var reg pegboard.Registry
	require.NoError(t, reg.Add(toucher(touched)))
	return reg.AssemblePool(s, pegboard.PoolConfig{})
}

type step struct {
	N    int    `json:"n"`
	Path string `json:"path,omitempty"`
}

// stepper returns a tool that writes Path, and notes the inputs it ran with.
func stepper(ran *[]step) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[step, string]{
		Info: pegboard.Info{Name: "T"}, Description: "For a test.",
		Inspect: func(in step, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Value: "f" + in.Path}}}
		},
		Validate: func(_ ctx, in step, _ *pegboard.Call) error {
			if in.N == 13 {
				return errors.New("13 is unlucky; take 12")
			}
			return nil
		},
		Call: func(_ ctx, in step, _ *pegboard.Call) (string, error) { *ran = append(*ran, in); return "ok", nil },
	})
}

// numbered returns n inert tools, every one with an alias.
func numbered(n int) []pegboard.Tool {
	tools := make([]pegboard.Tool, n)
	for i := range tools {
		tools[i] = inert(fmt.Sprintf("Tool%04d", i), fmt.Sprintf("old%04d", i))
	}
	return tools
}

// called wraps an inert tool so that it goes by name, which no Definition may
// have.
func called(name string) pegboard.Tool {
	return posing{inert("T"), func() pegboard.Info { return pegboard.Info{Name: name} }}
}

// posing is a wrapper that gives a tool other facts, which may change.
type posing struct {
	pegboard.Tool
	info func() pegboard.Info
}

func (p posing) Info() pegboard.Info { return p.info() }

// switched returns an inert tool that exists where on says so.
func switched(name string, on func(*pegboard.Session) bool) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: name}, Description: "For a test.", Enabled: on,
		Call: func(ctx, struct{}, *pegboard.Call) (string, error) { return "", nil },
	})
}

func never(*pegboard.Session) bool { return false }

// everyFeature are all features a host can turn on.
var everyFeature = []pegboard.Feature{
	pegboard.FeatureLSP, pegboard.FeatureWorktrees, pegboard.FeatureTeams, pegboard.FeatureCron, pegboard.FeatureMonitors, pegboard.FeatureConfig, pegboard.FeatureWorkflows,
}

// ordered returns the lists as one, in the order of a pool.
func ordered(lists ...[]string) []string {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return all
}

// readsData are the traits of a call that reads one thing, which no rule of the tests is about.
var readsData = pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{{Kind: pegboard.TargetResource, Access: pegboard.AccessRead, Value: "data"}}}

// readsShared are readsData of a call that runs beside others.
var readsShared = pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared, Targets: readsData.Targets}
