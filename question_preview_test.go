package pegboard_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// previewing is a tool whose preview is f.
func previewing(f func(ctx context.Context, in touch, c *pegboard.Call) ([]pegboard.Diff, error)) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[touch, string]{
		Info: pegboard.Info{Name: "Touch"}, Description: "For a test.", Preview: f,
		Validate: func(_ ctx, in touch, _ *pegboard.Call) error {
			if in.Path == "bad" {
				return errors.New("name another file")
			}
			return nil
		},
		Call: func(ctx, touch, *pegboard.Call) (string, error) { return "ok", nil },
	})
}

// ownPreview is a wrapper that says what it does.
type ownPreview struct{ pegboard.Tool }

func (ownPreview) Preview(context.Context, *pegboard.Call) ([]pegboard.Diff, error) {
	return []pegboard.Diff{{Path: "/own"}}, nil
}

func TestQuestionPreview(t *testing.T) {
	t.Parallel()
	shows := func(_ context.Context, in touch, c *pegboard.Call) ([]pegboard.Diff, error) {
		if c.ID != "1" {
			return nil, errors.New("another call")
		}
		return []pegboard.Diff{{Path: "/" + in.Path}}, nil
	}
	refuses := func(context.Context, touch, *pegboard.Call) ([]pegboard.Diff, error) {
		return nil, errors.New("read it first")
	}
	crashes := func(context.Context, touch, *pegboard.Call) ([]pegboard.Diff, error) { panic("x") }
	none := errors.New("none")
	tests := []struct {
		name  string
		tool  pegboard.Tool
		input string
		path  string
		is    error
		says  string
	}{
		{name: "a preview", tool: previewing(shows), path: "/p"},
		{name: "no preview", tool: previewing(nil), is: pegboard.ErrNoPreview, says: "Touch"},
		{name: "a wrapper", tool: struct{ pegboard.Tool }{previewing(shows)}, is: pegboard.ErrNoPreview, says: "Touch"},
		{name: "a wrapper with a preview", tool: ownPreview{previewing(shows)}, path: "/own"},
		{name: "it would fail", tool: previewing(refuses), says: "read it first"},
		{name: "it would be refused", tool: previewing(shows), input: `{"path":"bad"}`, says: "name another file"},
		{name: "wrong input", tool: previewing(shows), input: `{"bath":"p"}`, is: pegboard.ErrInvalidInput},
		{name: "a panic", tool: previewing(crashes), is: pegboard.ErrPanic},
		{name: "the tool says that there is none", tool: previewing(func(context.Context, touch, *pegboard.Call) ([]pegboard.Diff, error) {
			return nil, errors.Join(pegboard.ErrNoPreview, none)
		}), is: none},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var diffs []pegboard.Diff
			var err error
			s := session(t, pegboard.SessionConfig{Ask: func(ctx context.Context, q *pegboard.Question) (pegboard.Decision, error) {
				if tt.input != "" { // the user has changed it
					q.Call = &pegboard.Call{ID: "1", Name: "Touch", Input: []byte(tt.input)}
				}
				diffs, err = q.Preview(ctx)
				return pegboard.Decision{Behavior: pegboard.Deny}, nil
			}})
			out := run(t, registryOf(t, tt.tool), s, call("1", "Touch", `{"path":"p"}`))
			require.ErrorIs(t, out.Err, pegboard.ErrDenied)
			if tt.path != "" {
				require.NoError(t, err)
				require.Equal(t, []pegboard.Diff{{Path: tt.path}}, diffs)
				return
			}
			require.Error(t, err)
			require.Empty(t, diffs)
			require.ErrorContains(t, err, tt.says)
			if tt.is != nil {
				require.ErrorIs(t, err, tt.is)
			}
		})
	}
}
