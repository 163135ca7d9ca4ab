package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

func TestCallStore(t *testing.T) {
	t.Parallel()
	store := dirStore(t, pegboard.DirOptions{})
	s := session(t, pegboard.SessionConfig{Results: store})
	broken := errors.New("the line broke")
	reg := registryOf(t, teller(pegboard.Info{Name: "Tell"}, func(c *pegboard.Call) (*pegboard.Result, error) {
		p, err := c.Store(t.Context(), strings.NewReader(lines(100_000)))
		require.NoError(t, err)
		cut, err := c.Store(t.Context(), io.MultiReader(strings.NewReader(lines(10)), iotestErr{broken}))
		require.ErrorIs(t, err, broken)
		require.Contains(t, cut.Text, "line 00010")
		return &pegboard.Result{Parts: []pegboard.Part{p}}, nil
	}))
	out := run(t, reg, s, call("1", "Tell", `{}`))
	require.Contains(t, out.Result.Text(), "1100001 bytes, 100000 lines")
	require.Equal(t, lines(100_000), held(t, store, out.Result.Parts[0].Ref))
	_, err := new(pegboard.Call).Store(t.Context(), strings.NewReader(""))
	require.ErrorIs(t, err, pegboard.ErrDenied)
}

type iotestErr struct{ err error }

func (r iotestErr) Read([]byte) (int, error) { return 0, r.err }

// The error of Call.Store is that of its reader or of its context.
func TestCallStoreReturnsTheErrorOfItsContext(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Results: dirStore(t, pegboard.DirOptions{})})
	got := make(chan error, 1)
	reg := registryOf(t, teller(pegboard.Info{Name: "Tell"}, func(c *pegboard.Call) (*pegboard.Result, error) {
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		p, err := c.Store(cancelled, strings.NewReader(lines(20_000)))
		got <- err
		return &pegboard.Result{Parts: []pegboard.Part{p}}, nil
	}))
	run(t, reg, s, call("1", "Tell", `{}`))
	require.ErrorIs(t, <-got, context.Canceled)
}

func TestCallStoreOfAnEndlessReaderEndsWithItsContext(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Results: dirStore(t, pegboard.DirOptions{})})
	got := make(chan error, 1)
	reg := registryOf(t, teller(pegboard.Info{Name: "Tell"}, func(c *pegboard.Call) (*pegboard.Result, error) {
		soon, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		stop := make(chan struct{})
		time.AfterFunc(time.Minute, func() { close(stop) })
		_, err := c.Store(soon, readerFunc(func(p []byte) (int, error) {
			select {
			case <-stop:
				return 0, io.EOF
			default:
				return len(p), nil
			}
		}))
		got <- err
		return pegboard.TextResult("ok"), nil
	}))
	run(t, reg, s, call("1", "Tell", `{}`))
	require.ErrorIs(t, <-got, context.DeadlineExceeded)
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestStoredResultsAreReadUnasked and not stored again.
func TestStoredResultsAreReadUnasked(t *testing.T) {
	t.Parallel()
	store := dirStore(t, pegboard.DirOptions{})
	s := session(t, pegboard.SessionConfig{Results: store})
	long := pegboard.TextResult(lines(5_000))
	first := run(t, registryOf(t, teller(pegboard.Info{Name: "Tell"}, func(*pegboard.Call) (*pegboard.Result, error) { return long, nil })), s, call("1", "Tell", `{}`))
	path := filepath.Join(store.Dir(), first.Result.Parts[0].Ref)
	reg := registryOf(t, teller(pegboard.Info{Name: "Show"}, func(*pegboard.Call) (*pegboard.Result, error) { return long, nil },
		pegboard.Target{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: path}))
	again := run(t, reg, s, call("2", "Show", `{}`))
	require.NoError(t, again.Err, "nobody was there to ask")
	require.Len(t, files(t, store), 1)
	require.Empty(t, again.Result.Parts[0].Ref)
	require.Contains(t, again.Result.Text(), "ask for less at once")
	require.Greater(t, len(again.Result.Text()), 25_000, "who reads on wants to read")

	fork, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: "a1"})
	require.NoError(t, err)
	require.NoError(t, run(t, reg, fork, call("3", "Show", `{}`)).Err)
	_, err = s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, Results: store})
	require.ErrorContains(t, err, "Results")
}

// viewed is what a test says of a tool that a person looks at.
type viewed struct {
	info    pegboard.Info
	inspect func(in touch) pegboard.Traits
	lines   func(in touch) pegboard.Lines
}

func (v viewed) tool() pegboard.Tool {
	d := pegboard.Definition[touch, string]{
		Info: v.info, Description: "For a test.",
		Call: func(ctx, touch, *pegboard.Call) (string, error) { return "ok", nil },
	}
	if v.inspect != nil {
		d.Inspect = func(in touch, _ *pegboard.Call) pegboard.Traits { return v.inspect(in) }
	}
	if v.lines != nil {
		d.Lines = func(in touch, _ *pegboard.Call) pegboard.Lines { return v.lines(in) }
	}
	return pegboard.Build(d)
}

// viewsOf returns the views of one call of tool at each event, by kind.
func viewsOf(t *testing.T, tool pegboard.Tool, s *pegboard.Session, input string) map[pegboard.EventKind]pegboard.View {
	t.Helper()
	views := map[pegboard.EventKind]pegboard.View{}
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) { views[e.Kind] = e.Call.View() }})
	ex.Run(t.Context(), registryOf(t, tool).AssemblePool(s, pegboard.PoolConfig{}), call("1", tool.Info().Name, input))
	return views
}

func TestCallView(t *testing.T) {
	t.Parallel()
	info := pegboard.Info{Name: "Note", Title: "Take a note"}
	of := func(kind pegboard.CallKind, targets ...pegboard.Target) func(touch) pegboard.Traits {
		return func(touch) pegboard.Traits { return pegboard.Traits{Kind: kind, Targets: targets} }
	}
	path := func(name string) pegboard.Target { return pegboard.Target{Kind: pegboard.TargetPath, Value: name} }
	tests := []struct {
		name  string
		tool  viewed
		input string
		want  pegboard.View
	}{
		{name: "nothing is said", tool: viewed{info: pegboard.Info{Name: "Note"}}, want: pegboard.View{Title: "Note", Before: "Note", While: "Running Note"}},
		{name: "a title", tool: viewed{info: info}, want: pegboard.View{Title: "Take a note", Before: "Take a note", While: "Running Take a note"}},
		{
			name: "a kind", tool: viewed{info: info, inspect: of(pegboard.KindRead)},
			want: pegboard.View{Title: "Take a note", Kind: pegboard.KindRead, Folds: true, Before: "Take a note", While: "Running Take a note"},
		},
		{
			name: "targets", tool: viewed{info: info, inspect: of(pegboard.KindEdit, path("a/b"), path("/x"))},
			want: pegboard.View{Title: "Take a note", Kind: pegboard.KindEdit, Before: "Take a note a/b, /x", While: "Editing a/b, /x"},
		},
		{
			name: "many targets", tool: viewed{info: info, inspect: of(pegboard.KindOther, path("a"), path("b"), path("c"), path("d"), path("e"))},
			want: pegboard.View{Title: "Take a note", Before: "Take a note a, b, c and 2 more", While: "Running Take a note a, b, c and 2 more"},
		},
		{
			name: "a guess, and nothing", tool: viewed{info: info, inspect: of(pegboard.KindRun,
				pegboard.Target{Kind: pegboard.TargetPath, Value: "x", Shell: pegboard.ShellFacts{Guess: true}}, pegboard.Target{}, pegboard.Target{Kind: pegboard.TargetCommand, Value: "ls\nrm -rf x"})},
			want: pegboard.View{Title: "Take a note", Kind: pegboard.KindRun, Before: "Take a note ls ⏎ rm -rf x", While: "Running ls ⏎ rm -rf x"},
		},
		{
			name: "lines", tool: viewed{info: info, inspect: of(pegboard.KindThink, path("a")), lines: func(in touch) pegboard.Lines {
				return pegboard.Lines{Title: " Note\nit ", Before: "Note " + in.Path, While: "Noting\x1b " + in.Path}
			}},
			want: pegboard.View{Title: "Note ⏎ it", Kind: pegboard.KindThink, Before: "Note p", While: `Noting\x1b p`},
		},
		{
			name: "blank lines are none", tool: viewed{info: info, inspect: of(pegboard.KindFetch, path("a")), lines: func(touch) pegboard.Lines {
				return pegboard.Lines{Title: " ", Before: "\n", While: "\t"}
			}},
			want: pegboard.View{Title: "Take a note", Kind: pegboard.KindFetch, Before: "Take a note a", While: "Fetching a"},
		},
		{name: "a blank title is none", tool: viewed{info: pegboard.Info{Name: "Note", Title: "\n"}}, want: pegboard.View{Title: "Note", Before: "Note", While: "Running Note"}},
		{
			name: "a kind that does not exist", tool: viewed{info: info, inspect: of(99, path("a"))},
			want: pegboard.View{Title: "Take a note", Before: "Take a note a", While: "Running Take a note a"},
		},
		{
			name: "the lines panic", tool: viewed{info: info, inspect: of(pegboard.KindList, path("a")), lines: func(touch) pegboard.Lines { panic("x") }},
			want: pegboard.View{Title: "Take a note", Kind: pegboard.KindList, Folds: true, Before: "Take a note a", While: "Listing a"},
		},
		{
			name: "the input is wrong", input: `{"bath":"p"}`, tool: viewed{info: info, lines: func(touch) pegboard.Lines { return pegboard.Lines{Before: "Note"} }},
			want: pegboard.View{Title: "Take a note", Before: "Take a note", While: "Running Take a note"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.input == "" {
				tt.input = `{"path":"p"}`
			}
			views := viewsOf(t, tt.tool.tool(), session(t, bypass(t)), tt.input)
			require.Contains(t, views, pegboard.EventAdmitted)
			require.Contains(t, views, pegboard.EventFinished)
			for kind, v := range views {
				require.Equal(t, tt.want, v, "%v", kind)
			}
		})
	}
}

func TestCallViewFolds(t *testing.T) {
	t.Parallel()
	for kind := pegboard.KindOther; kind <= pegboard.KindThink; kind++ {
		for _, folding := range []pegboard.Folding{pegboard.FoldByKind, pegboard.FoldAlways, pegboard.FoldNever, 77} {
			folds := folding == pegboard.FoldAlways
			if folding == pegboard.FoldByKind {
				folds = kind == pegboard.KindSearch || kind == pegboard.KindRead || kind == pegboard.KindList
			}
			tool := viewed{info: pegboard.Info{Name: "Note"}, inspect: func(touch) pegboard.Traits { return pegboard.Traits{Kind: kind, Folding: folding} }}
			views := viewsOf(t, tool.tool(), session(t, bypass(t)), `{"path":"p"}`)
			require.Equal(t, folds, views[pegboard.EventStarted].Folds, "%v %v", kind, folding)
		}
	}
}

// TestCallViewShortensPaths: a person knows which directory the agent works in.
func TestCallViewShortensPaths(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := session(t, pegboard.SessionConfig{Dir: dir, Permissions: rules(t, pegboard.ModeBypass, pegboard.RuleSet{})})
	tool := viewed{info: pegboard.Info{Name: "Touch"}, inspect: func(in touch) pegboard.Traits {
		return pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Value: in.Path}}}
	}}
	for path, want := range map[string]string{
		filepath.Join(dir, "a", "b"): filepath.Join("a", "b"), "c": "c", dir: ".", filepath.Dir(dir): filepath.Dir(dir), dir + "x": dir + "x",
	} {
		input, err := json.Marshal(touch{Path: path})
		require.NoError(t, err)
		for kind, v := range viewsOf(t, tool.tool(), s, string(input)) {
			require.Equal(t, "Touch "+want, v.Before, "%v", kind)
		}
	}
}

func TestShortPathOfNoSession(t *testing.T) {
	t.Parallel()
	var none *pegboard.Session
	require.Equal(t, "/a/b", none.ShortPath("/a/b"))
	s := session(t, pegboard.SessionConfig{Dir: t.TempDir()})
	require.Equal(t, "a/../b", s.ShortPath("a/../b"))
	require.Empty(t, s.ShortPath(""))
}

// TestCallViewOfNoTool: there is always something to show.
func TestCallViewOfNoTool(t *testing.T) {
	t.Parallel()
	c := call("1", "Note", `{}`)
	require.Equal(t, pegboard.View{Title: "Note", Before: "Note", While: "Running Note"}, c.View())
	nameless := (&pegboard.Call{}).View()
	require.Equal(t, "a tool without a name", nameless.Title)
	require.NotEmpty(t, nameless.Before)
	views := map[pegboard.EventKind]pegboard.View{}
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) { views[e.Kind] = e.Call.View() }})
	ex.Run(t.Context(), registryOf(t).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}), call("1", "No\x1bte", `{`))
	for kind, v := range views {
		require.Equal(t, pegboard.View{Title: `No\x1bte`, Before: `No\x1bte`, While: `Running No\x1bte`}, v, "%v", kind)
	}
	require.Len(t, views, 2)
}

// TestCallViewOfAnExternalTool: a server cannot pass for another one, or for a built-in tool.
func TestCallViewOfAnExternalTool(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		info pegboard.Info
		want string
	}{
		{name: "a title", info: pegboard.Info{Name: "create", Title: "Create issue"}, want: "git hub: Create issue"},
		{name: "none", info: pegboard.Info{Name: "create issue"}, want: "git hub: create issue"},
		{name: "a title of more lines", info: pegboard.Info{Name: "create", Title: "Read\n\nall is well"}, want: "git hub: Read ⏎ all is well"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var reg pegboard.Registry
			_, err := reg.Attach("git hub", viewed{info: tt.info}.tool())
			require.NoError(t, err)
			pool := reg.AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
			ex := executor(pegboard.Executor{})
			out := ex.Run(t.Context(), pool, call("1", names(pool)[0], `{"path":"p"}`))[0]
			require.NoError(t, out.Err)
			require.Equal(t, pegboard.View{Title: tt.want, Before: tt.want, While: "Running " + tt.want, After: "ok", SearchText: "ok"}, out.View())
		})
	}
}

// relined is a wrapper that words its tool in another way.
type relined struct{ pegboard.Tool }

func (relined) Lines(*pegboard.Call) pegboard.Lines { return pegboard.Lines{Before: "In other words"} }

func TestCallViewOfAWrapper(t *testing.T) {
	t.Parallel()
	inner := viewed{info: pegboard.Info{Name: "Note"}, lines: func(touch) pegboard.Lines { return pegboard.Lines{Before: "Inner", While: "Inside"} }}.tool()
	views := viewsOf(t, struct{ pegboard.Tool }{inner}, session(t, bypass(t)), `{"path":"p"}`)
	require.Equal(t, "Inner", views[pegboard.EventStarted].Before)
	views = viewsOf(t, relined{inner}, session(t, bypass(t)), `{"path":"p"}`)
	require.Equal(t, "In other words", views[pegboard.EventStarted].Before)
	require.Equal(t, "Running Note", views[pegboard.EventStarted].While)
}

// TestCallViewIsAskedForOnly: a session without a user interface pays nothing for it.
func TestCallViewIsAskedForOnly(t *testing.T) {
	t.Parallel()
	tool := viewed{info: pegboard.Info{Name: "Note"}, lines: func(touch) pegboard.Lines {
		t.Error("nobody asked")
		return pegboard.Lines{}
	}}
	out := run(t, registryOf(t, tool.tool()), session(t, bypass(t)), call("1", "Note", `{"path":"p"}`))
	require.NoError(t, out.Err)
}

// TestCallViewAtAnyTime: listeners, askers and hooks may ask while the call goes on.
func TestCallViewAtAnyTime(t *testing.T) {
	t.Parallel()
	var looking sync.WaitGroup
	look := func(c *pegboard.Call) {
		looking.Go(func() {
			v := c.View()
			if !strings.HasPrefix(v.Before, "Note ") {
				t.Errorf("the view is %+v", v)
			}
		})
	}
	s := session(t, pegboard.SessionConfig{
		Ask: func(_ context.Context, q *pegboard.Question) (pegboard.Decision, error) {
			look(q.Call)
			return pegboard.Decision{Behavior: pegboard.Allow, Input: json.RawMessage(`{"path":"b"}`)}, nil
		},
		Hooks: pegboard.Hooks{
			Pre: func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
				look(h.Call)
				return pegboard.Decision{}, nil
			},
			Post: func(_ ctx, h *pegboard.HookCall) error { look(h.Call); return nil },
		},
	})
	tool := viewed{info: pegboard.Info{Name: "Note"}, inspect: func(in touch) pegboard.Traits {
		return pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Value: in.Path}}}
	}, lines: func(in touch) pegboard.Lines { return pegboard.Lines{Before: "Note " + in.Path} }}
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) { look(e.Call) }})
	out := ex.Run(t.Context(), registryOf(t, tool.tool()).AssemblePool(s, pegboard.PoolConfig{}), call("1", "Note", `{"path":"a"}`))[0]
	require.NoError(t, out.Err)
	looking.Wait()
	require.Equal(t, "Note b", out.View().Before, "the input that ran")
}
