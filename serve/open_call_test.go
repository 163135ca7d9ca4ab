package serve_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/serve"
)

// TestStateOfAnotherClient brings answers to questions that the client was not asked, or that
// are not about the call.
func TestStateOfAnotherClient(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		other bool // the answer comes from another client
		wrong func(*mcp.CallToolParams)
	}{
		{name: "another client", other: true, wrong: func(*mcp.CallToolParams) {}},
		{name: "tampered with", wrong: func(p *mcp.CallToolParams) { p.RequestState += "x" }},
		{name: "another tool", wrong: func(p *mcp.CallToolParams) { p.Name = "Other" }},
		{name: "other arguments", wrong: func(p *mcp.CallToolParams) { p.Arguments = map[string]any{"value": "y"} }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var runs atomic.Int64
			count := func(context.Context, *pegboard.Call) (string, error) { runs.Add(1); return "written", nil }
			s := served(t, serve.Options{}, nil, writer("Put", count), writer("Other", count))
			asked, other := connect(t, s.Server, byHand("a"), modern), connect(t, s.Server, byHand("b"), modern)
			first, err := asked.CallTool(t.Context(), &mcp.CallToolParams{Name: "Put"})
			require.NoError(t, err)
			wrong := comesBack(first, "Allow once")
			tt.wrong(wrong)
			by := asked
			if tt.other {
				by = other
			}
			_, err = by.CallTool(t.Context(), wrong)
			var refused *jsonrpc.Error
			require.ErrorAs(t, err, &refused)
			require.EqualValues(t, jsonrpc.CodeInvalidParams, refused.Code)
			require.Zero(t, runs.Load())
			done, err := asked.CallTool(t.Context(), comesBack(first, "Allow once"))
			require.NoError(t, err)
			require.Equal(t, "written", text(t, done))
			require.EqualValues(t, 1, runs.Load())
		})
	}
}

// TestCallRunsOnceWhateverIsRepeated brings the same answer many times, at once and later.
func TestCallRunsOnceWhateverIsRepeated(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"memory", "HTTP"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			var runs atomic.Int64
			s := served(t, serve.Options{}, nil, writer("Put", func(context.Context, *pegboard.Call) (string, error) {
				time.Sleep(10 * time.Millisecond)
				return fmt.Sprint("run ", runs.Add(1)), nil
			}))
			dial := connect
			if way == "HTTP" {
				dial = connectHTTP
			}
			session := dial(t, s.Server, byHand("a"), modern)
			first, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "Put"})
			require.NoError(t, err)
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() {
					r, err := session.CallTool(context.Background(), comesBack(first, "Allow once"))
					if err != nil || text(t, r) != "run 1" {
						t.Errorf("%v %v", r, err)
					}
				})
			}
			all.Wait()
			later, err := session.CallTool(t.Context(), comesBack(first, "Deny"))
			require.NoError(t, err)
			require.Equal(t, "run 1", text(t, later))
			require.EqualValues(t, 1, runs.Load())
		})
	}
}

// TestQuestionExpires leaves a question alone. What it waits for ends then.
func TestQuestionExpires(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int64
		s := served(t, serve.Options{Answer: time.Hour}, nil, writer("Put", func(context.Context, *pegboard.Call) (string, error) { runs.Add(1); return "", nil }))
		session := connect(t, s.Server, byHand("a"), modern)
		begun := time.Now()
		first, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "Put"})
		require.NoError(t, err)
		time.Sleep(time.Hour - time.Second)
		again, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "Put", RequestState: first.RequestState})
		require.NoError(t, err)
		require.True(t, again.NeedsInput(), "the question is open as long as the client comes back")
		require.Zero(t, time.Since(begun)-(time.Hour-time.Second))

		time.Sleep(time.Hour + time.Second)
		late, err := session.CallTool(t.Context(), comesBack(first, "Allow once"))
		require.NoError(t, err)
		require.True(t, late.IsError)
		require.Contains(t, text(t, late), "in time")
		require.Zero(t, runs.Load())

		time.Sleep(time.Hour + time.Second)
		_, states, _ := s.Kept()
		require.Zero(t, states)
		_, err = session.CallTool(t.Context(), comesBack(first, "Allow once"))
		require.ErrorContains(t, err, "expired")
		require.NoError(t, session.Close())
		synctest.Wait()
		clients, _, _ := s.Kept()
		require.Zero(t, clients)
	})
}

// TestCallsOfAClientKeepTheirOrder makes calls at once, some of which must be alone.
func TestCallsOfAClientKeepTheirOrder(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		concurrency pegboard.Concurrency
		limit       int
		together    int64 // at most
	}{
		{name: "exclusive", concurrency: pegboard.Exclusive, together: 1},
		{name: "shared", concurrency: pegboard.Shared, together: 6},
		{name: "limited", concurrency: pegboard.Shared, limit: 2, together: 2},
	}
	for _, tt := range tests {
		for _, way := range ways[:2] {
			t.Run(tt.name+"/"+way.name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					var now, most atomic.Int64
					tool := pegboard.Build(pegboard.Definition[struct{}, string]{
						Info: pegboard.Info{Name: "Work"}, Description: "Takes a second.",
						Traits: pegboard.Traits{Targets: []policy.Target{{Kind: policy.Resource, Value: "x", Access: policy.Read}}, Concurrency: tt.concurrency},
						Call: func(context.Context, struct{}, *pegboard.Call) (string, error) {
							most.Store(max(most.Load(), now.Add(1)))
							time.Sleep(time.Second)
							now.Add(-1)
							return "", nil
						},
					})
					s := served(t, serve.Options{Executor: &pegboard.Executor{MaxParallel: tt.limit}},
						func(_ serve.Client, cfg *pegboard.SessionConfig) { cfg.Permissions = allowing(t, "Work") }, tool)
					session := way.connect(t, s.Server, client("a", nil), way.protocol)
					var all sync.WaitGroup
					for range 6 {
						all.Go(func() { _ = callTool(t, session, "Work", `{}`) })
					}
					all.Wait()
					require.Equal(t, tt.together, most.Load())
				})
			})
		}
	}
}

// TestQuestionHoldsUpNothing makes a call that must be alone while another one waits for an
// answer that never comes.
func TestQuestionHoldsUpNothing(t *testing.T) {
	t.Parallel()
	ok := func(context.Context, *pegboard.Call) (string, error) { return "written", nil }
	s := served(t, serve.Options{}, func(_ serve.Client, cfg *pegboard.SessionConfig) { cfg.Permissions = allowing(t, "Free") }, writer("Put", ok), writer("Free", ok))
	session := connect(t, s.Server, byHand("a"), modern)
	first, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "Put"})
	require.NoError(t, err)
	require.True(t, first.NeedsInput())
	require.Equal(t, "written", text(t, callTool(t, session, "Free", `{}`)))
}

// TestCancelledCall cancels a call while it runs, and while its client is asked.
func TestCancelledCall(t *testing.T) {
	t.Parallel()
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			running, stopped := make(chan struct{}), make(chan error, 1)
			s := served(t, serve.Options{}, func(_ serve.Client, cfg *pegboard.SessionConfig) { cfg.Permissions = allowing(t, "Put") },
				writer("Put", func(ctx context.Context, _ *pegboard.Call) (string, error) {
					close(running)
					<-ctx.Done()
					stopped <- context.Cause(ctx)
					return "", context.Cause(ctx)
				}))
			session := way.connect(t, s.Server, client("a", nil), way.protocol)
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-running; cancel() }()
			_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "Put"})
			require.ErrorIs(t, err, context.Canceled)
			require.ErrorIs(t, <-stopped, pegboard.ErrUserInterrupt)
		})
	}
}

// TestCancelledQuestion cancels a call while a client of an earlier protocol is asked. The
// question is withdrawn, and nothing is left running.
func TestCancelledQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int64
		asked, withdrawn := make(chan struct{}), make(chan struct{})
		s := served(t, serve.Options{}, nil, writer("Put", func(context.Context, *pegboard.Call) (string, error) { runs.Add(1); return "", nil }))
		c := mcp.NewClient(&mcp.Implementation{Name: "a", Version: "1"}, &mcp.ClientOptions{
			ElicitationHandler: func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				close(asked)
				<-ctx.Done()
				close(withdrawn)
				return nil, ctx.Err()
			},
		})
		session := connect(t, s.Server, c, older)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-asked; cancel() }()
		_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "Put"})
		require.ErrorIs(t, err, context.Canceled)
		<-withdrawn
		synctest.Wait()
		require.Empty(t, s.sessions[0].Questions())
		require.Zero(t, runs.Load())
	})
}

// TestClientComesBackLate brings a state after its question has expired, while the call still
// runs. It can be asked again.
func TestClientComesBackLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ask := make(chan struct{})
		s := served(t, serve.Options{}, func(_ serve.Client, cfg *pegboard.SessionConfig) { cfg.Permissions = allowing(t, "Put") },
			writer("Put", func(ctx context.Context, c *pegboard.Call) (string, error) {
				first, err := c.Session().Elicit(ctx, form("first", "Who?", nameSchema))
				if err != nil {
					return "", err
				}
				<-ask
				second, err := c.Session().Elicit(ctx, form("second", "Who?", nameSchema))
				return fmt.Sprint(first.Action, " ", second.Action), err
			}))
		session := connect(t, s.Server, byHand("a"), modern)
		first, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "Put"})
		require.NoError(t, err)
		time.Sleep(time.Hour)
		go func() { time.Sleep(time.Second); close(ask) }()
		second, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "Put", RequestState: first.RequestState})
		require.NoError(t, err)
		require.Contains(t, second.InputRequests, "second")
		done, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "Put", RequestState: second.RequestState,
			InputResponses: mcp.InputResponseMap{"second": &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ann"}}}})
		require.NoError(t, err)
		require.Equal(t, "cancel accept", text(t, done))
	})
}

// TestClientLeavesInACall closes the connection of a client whose call runs, or is asked
// about.
func TestClientLeavesInACall(t *testing.T) {
	t.Parallel()
	for _, way := range ways[:2] {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			running, stopped := make(chan struct{}), make(chan struct{})
			s := served(t, serve.Options{}, func(_ serve.Client, cfg *pegboard.SessionConfig) { cfg.Permissions = allowing(t, "Run") },
				writer("Run", func(ctx context.Context, _ *pegboard.Call) (string, error) {
					close(running)
					<-ctx.Done()
					close(stopped)
					return "", ctx.Err()
				}), writer("Put", func(context.Context, *pegboard.Call) (string, error) { return "", nil }))
			session := way.connect(t, s.Server, byHand("a"), way.protocol)
			if way.protocol == modern {
				first, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "Put"})
				require.NoError(t, err)
				require.True(t, first.NeedsInput())
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() { _, _ = session.CallTool(ctx, &mcp.CallToolParams{Name: "Run"}) }()
			<-running
			go func() { _ = session.Close() }()
			cancel() // the SDK's client waits for its calls
			<-stopped
			require.Eventually(t, func() bool { opened, closed := s.counts(); return opened == 1 && closed == 1 }, time.Minute, time.Millisecond)
		})
	}
}

// TestProgress reports progress as text and as numbers.
func TestProgress(t *testing.T) {
	t.Parallel()
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			s := served(t, serve.Options{}, func(_ serve.Client, cfg *pegboard.SessionConfig) { cfg.Permissions = allowing(t, "Put") },
				writer("Put", func(_ context.Context, c *pegboard.Call) (string, error) {
					c.Emit("begun")
					c.EmitData("half", struct {
						Progress float64 `json:"progress"`
						Total    float64 `json:"total"`
					}{5, 10})
					c.EmitData("back", map[string]any{"progress": 4, "total": 10})
					c.Emit("ended")
					return "written", nil
				}))
			var mu sync.Mutex
			var told []mcp.ProgressNotificationParams
			c := mcp.NewClient(&mcp.Implementation{Name: "a", Version: "1"}, &mcp.ClientOptions{
				ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
					mu.Lock()
					defer mu.Unlock()
					told = append(told, *r.Params)
				},
			})
			session := way.connect(t, s.Server, c, way.protocol)
			p := &mcp.CallToolParams{Name: "Put"}
			p.SetProgressToken("token")
			_, err := session.CallTool(t.Context(), p)
			require.NoError(t, err)
			texts := func() (all []string) {
				mu.Lock()
				defer mu.Unlock()
				for _, n := range told {
					all = append(all, fmt.Sprint(n.ProgressToken, ": ", n.Message, " ", n.Progress, " ", n.Total))
				}
				return all
			}
			want := []string{"token: begun 1 0", "token: half 5 10", "token: ended 6 0"}
			require.Eventually(t, func() bool { return len(texts()) >= len(want) }, time.Minute, time.Millisecond) // the client reads the result beside them
			require.Equal(t, want, texts())
		})
	}
}

// TestForms shows forms in mid-call, and an address.
func TestForms(t *testing.T) {
	t.Parallel()
	page := pegboard.Elicitation{From: "bank", Message: "Log in", URL: "https://bank.example/login"}
	tests := []struct {
		name  string
		forms []pegboard.Elicitation
		asked person
		want  string
		asks  int
	}{
		{name: "accept", forms: []pegboard.Elicitation{form("setup", "Who?", nameSchema)}, asked: filling(`Ann`), want: `accept {"name":"Ann"};`, asks: 1},
		{name: "two", forms: []pegboard.Elicitation{form("a", "Who?", nameSchema), form("b", "And who?", nameSchema)}, asked: filling("Ann"), want: `accept {"name":"Ann"};accept {"name":"Ann"};`, asks: 2},
		{name: "decline", forms: []pegboard.Elicitation{form("setup", "Who?", nameSchema)}, asked: acting("decline"), want: `decline ;`, asks: 1},
		{name: "cancel", forms: []pegboard.Elicitation{form("setup", "Who?", nameSchema)}, asked: acting("cancel"), want: `cancel ;`, asks: 1},
		{name: "address", forms: []pegboard.Elicitation{page}, asked: acting("accept"), want: `accept ;`, asks: 1},
		{name: "nobody", forms: []pegboard.Elicitation{form("setup", "Who?", nameSchema), page}, want: `decline ;decline ;`},
	}
	for _, tt := range tests {
		for _, way := range ways {
			t.Run(tt.name+"/"+way.name, func(t *testing.T) {
				t.Parallel()
				var asks atomic.Int64
				asked := tt.asked
				if asked != nil {
					asked = func(p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
						asks.Add(1)
						require.Equal(t, p.Mode == "url", p.URL != "")
						return tt.asked(p)
					}
				}
				s := served(t, serve.Options{}, func(_ serve.Client, cfg *pegboard.SessionConfig) { cfg.Permissions = allowing(t, "Put") },
					writer("Put", func(ctx context.Context, c *pegboard.Call) (all string, err error) {
						for _, f := range tt.forms {
							filled, err := c.Session().Elicit(ctx, f)
							if err != nil {
								return "", err
							}
							all += fmt.Sprintf("%s %s;", filled.Action, string(filled.Content))
						}
						return all, nil
					}))
				session := way.connect(t, s.Server, client("c", asked), way.protocol)
				require.Equal(t, tt.want, text(t, callTool(t, session, "Put", `{}`)))
				require.EqualValues(t, tt.asks, asks.Load())
			})
		}
	}
}

func acting(action string) person {
	return func(*mcp.ElicitParams) (*mcp.ElicitResult, error) { return &mcp.ElicitResult{Action: action}, nil }
}

func filling(name string) person {
	return func(*mcp.ElicitParams) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": name}}, nil
	}
}

// TestFormIsShownAgain gives values that the schema refuses.
func TestFormIsShownAgain(t *testing.T) {
	t.Parallel()
	s := served(t, serve.Options{}, func(_ serve.Client, cfg *pegboard.SessionConfig) { cfg.Permissions = allowing(t, "Put") },
		writer("Put", func(ctx context.Context, c *pegboard.Call) (string, error) {
			filled, err := c.Session().Elicit(ctx, form("setup", "Who?", nameSchema))
			return string(filled.Content), err
		}))
	session := connect(t, s.Server, byHand("a"), modern)
	first, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "Put"})
	require.NoError(t, err)
	again, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "Put", RequestState: first.RequestState,
		InputResponses: mcp.InputResponseMap{"setup": &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": 5}}}})
	require.NoError(t, err)
	require.True(t, again.NeedsInput())
	shown, ok := again.InputRequests["setup"].(*mcp.ElicitParams)
	require.True(t, ok)
	require.Contains(t, shown.Message, "Who?\n\nThe values that were given are refused: ")
	require.NotEqual(t, first.RequestState, again.RequestState)
	done, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "Put", RequestState: again.RequestState,
		InputResponses: mcp.InputResponseMap{"setup": &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ann"}}}})
	require.NoError(t, err)
	require.Equal(t, `{"name":"Ann"}`, text(t, done))
}

// TestHooksAndRulesHold calls through a deny rule, a hook before and a hook after.
func TestHooksAndRulesHold(t *testing.T) {
	t.Parallel()
	var hooked []string
	s := served(t, serve.Options{}, func(_ serve.Client, cfg *pegboard.SessionConfig) {
		p, err := policy.New(policy.ModeBypass, policy.RuleSet{Source: policy.SourceSession, Deny: []string{"Never(value:x)"}})
		require.NoError(t, err)
		cfg.Permissions = p
		cfg.Hooks.Pre = func(_ context.Context, h *pegboard.HookCall) (policy.Decision, error) {
			hooked = append(hooked, "before "+h.Call.Name)
			if h.Call.Name == "Hooked" {
				return policy.Decision{Behavior: policy.Deny, Reason: "the hook says no"}, nil
			}
			return policy.Decision{}, nil
		}
		cfg.Hooks.Post = func(_ context.Context, h *pegboard.HookCall) error {
			h.Outcome.Result = pegboard.TextResult("changed by a hook")
			return nil
		}
	}, writer("Never", nil), writer("Hooked", nil), writer("Put", func(context.Context, *pegboard.Call) (string, error) { return "written", nil }))
	session := connect(t, s.Server, client("c", answering("Allow once")), modern)
	require.True(t, callTool(t, session, "Never", `{"value":"x"}`).IsError)
	require.Contains(t, text(t, callTool(t, session, "Hooked", `{}`)), "the hook says no")
	require.Equal(t, "changed by a hook", text(t, callTool(t, session, "Put", `{}`)))
	require.True(t, slices.Contains(hooked, "before Put"))
	_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "Unknown"})
	var refused *jsonrpc.Error
	require.True(t, errors.As(err, &refused) && refused.Code == jsonrpc.CodeInvalidParams)
	require.True(t, callTool(t, session, "Put", `{"value":true}`).IsError)
}
