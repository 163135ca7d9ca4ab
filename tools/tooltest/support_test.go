package tooltest_test

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// bent is a good tool with some stages replaced.
type bent struct {
	pegboard.Tool
	info     func() pegboard.Info
	declare  func(*pegboard.Session) (pegboard.Declaration, bool)
	traits   func(*pegboard.Call) pegboard.Traits
	lines    func(*pegboard.Call) pegboard.Summary
	validate func(*pegboard.Call) error
	permit   func(*pegboard.Call) policy.Decision
	classify func() string
	call     func(context.Context, *pegboard.Call)
}

func (b bent) Info() pegboard.Info {
	if b.info != nil {
		return b.info()
	}
	return b.Tool.Info()
}

func (b bent) Declare(s pegboard.Scope) (pegboard.Declaration, bool) {
	if b.declare != nil {
		return b.declare(s.Session)
	}
	return b.Tool.Declare(s)
}

func (b bent) Traits(c *pegboard.Call) pegboard.Traits {
	if b.traits != nil {
		return b.traits(c)
	}
	return b.Tool.Traits(c)
}

func (b bent) Summary(c *pegboard.Call) pegboard.Summary {
	if b.lines != nil {
		return b.lines(c)
	}
	return b.Tool.Summary(c)
}

func (b bent) Validate(ctx context.Context, c *pegboard.Call) error {
	if b.validate != nil {
		return b.validate(c)
	}
	return b.Tool.Validate(ctx, c)
}

func (b bent) Permit(ctx context.Context, c *pegboard.Call) policy.Decision {
	if b.permit != nil {
		return b.permit(c)
	}
	return b.Tool.Permit(ctx, c)
}

func (b bent) ClassifierInput(c *pegboard.Call) string {
	if b.classify != nil {
		return b.classify()
	}
	return b.Tool.ClassifierInput(c)
}

func (b bent) Call(ctx context.Context, c *pegboard.Call) (*pegboard.Result, error) {
	if b.call != nil {
		b.call(ctx, c)
	}
	return b.Tool.Call(ctx, c)
}

const (
	goodInput = `{"path":"a.txt","limit":3}`
	// otherInput tells apart tools that remember.
	otherInput = `{"path":"b.txt"}`
)

// good is a tool with nothing wrong.
func good() *tooltest.Fake { return withSchema(goodSchema) }

const goodSchema = `{"type":"object","additionalProperties":false,"required":["path"],` +
	`"properties":{"path":{"type":"string"},"limit":{"type":"integer"}}}`

func withSchema(schema string) *tooltest.Fake {
	return tooltest.FakeConfig{
		Name: "Read", Aliases: []string{"View"}, InputSchema: schema,
		Traits:  pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
		Targets: readTarget,
	}.New()
}

func readTarget(input json.RawMessage) []policy.Target {
	var in struct {
		Path string `json:"path"`
	}
	if json.Unmarshal(input, &in) != nil {
		return nil
	}
	return []policy.Target{policy.Reads(in.Path)}
}

// declaring is a good tool whose declaration is changed by f.
func declaring(f func(*pegboard.Session, *pegboard.Declaration)) pegboard.Tool {
	return declaringOver(good(), f)
}

func declaringOver(t pegboard.Tool, f func(*pegboard.Session, *pegboard.Declaration)) pegboard.Tool {
	return bent{Tool: t, declare: func(s *pegboard.Session) (pegboard.Declaration, bool) {
		d, ok := t.Declare(pegboard.Scope{Session: s})
		f(s, &d)
		return d, ok
	}}
}

// declaringSchema declares one schema and decodes by another.
func declaringSchema(declared, decoded string) pegboard.Tool {
	return declaringOver(withSchema(decoded), func(_ *pegboard.Session, d *pegboard.Declaration) {
		d.InputSchema = json.RawMessage(declared)
	})
}

// traitsFrom is a good tool with other traits.
func traitsFrom(f func(*pegboard.Call, *pegboard.Traits)) pegboard.Tool {
	t := good()
	return bent{Tool: t, traits: func(c *pegboard.Call) pegboard.Traits {
		tr := t.Traits(c)
		f(c, &tr)
		return tr
	}}
}

// after returns a function that reports whether it was called more than n times.
func after(n int64) func() bool {
	var calls atomic.Int64
	return func() bool { return calls.Add(1) > n }
}

// repeats is how often Check asks a stage before it asks several at once, and
// the once that the executor did.
const repeats = 17

func nothing(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) {
	return nil, nil
}

// poolOf returns a pool of tools in which everything is allowed.
func poolOf(t *testing.T, tools ...pegboard.Tool) *pegboard.Pool {
	t.Helper()
	s, err := tooltest.NewSession(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	var r pegboard.Registry
	require.NoError(t, r.Add(tools...))
	return r.AssemblePool(s, pegboard.PoolConfig{})
}
