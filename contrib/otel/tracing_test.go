package otel_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/otel"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/mcp/tracecontext"
)

func TestSpansNest(t *testing.T) {
	t.Parallel()
	var sc *scene
	sc = newScene(t, false, pegboard.SessionConfig{ID: "conversation"},
		tool("Outer", func(ctx context.Context, _ words, c *pegboard.Call) (string, error) {
			ctx, own := sc.tracer.Start(ctx, "own")
			defer own.End()
			c.Run(ctx, call("", "Inner", words{}))
			return "done", nil
		}),
		tool("Inner", says("ok")))
	ctx, root := sc.tracer.Start(t.Context(), "request")
	batch, end := sc.tracing.Batch(ctx, sc.session)
	outcomes := sc.executor().Run(batch, sc.pool(), call("1", "Outer", words{}))
	end()
	root.End()
	require.NoError(t, outcomes[0].Err)

	child := map[string]string{"tool_calls": "request", "execute_tool Outer": "tool_calls", "own": "execute_tool Outer", "execute_tool Inner": "own"}
	for name, parent := range child {
		require.Equal(t, sc.span(parent).SpanContext().SpanID(), sc.span(name).Parent().SpanID(), "%s below %s", name, parent)
	}
	outer := sc.span("execute_tool Outer")
	require.Equal(t, trace.SpanKindInternal, outer.SpanKind())
	require.Equal(t, codes.Unset, outer.Status().Code)
	require.Empty(t, outer.Links())
	attrs := values(outer.Attributes())
	require.NotEmpty(t, attrs["pegboard.batch.trace_id"])
	delete(attrs, "pegboard.batch.trace_id")
	require.Equal(t, map[string]string{
		"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "Outer", "gen_ai.tool.type": "function", "gen_ai.tool.call.id": "1",
		"gen_ai.conversation.id": "conversation", "pegboard.call.kind": "read", "pegboard.decision.behavior": "allow", "pegboard.decision.by": "default",
	}, attrs)
	require.NotContains(t, values(sc.span("execute_tool Inner").Attributes()), "gen_ai.tool.call.id")
}

// TestSpansOfAgents has a real agent in the foreground and one in the background, whose loop
// passes its context to an executor, as loops do.
func TestSpansOfAgents(t *testing.T) {
	t.Parallel()
	for _, background := range []bool{false, true} {
		t.Run(fmt.Sprintf("background %v", background), func(t *testing.T) {
			t.Parallel()
			sc := newScene(t, false, pegboard.SessionConfig{}, tool("Look", says("ok")))
			ended := make(chan struct{})
			all, err := agents.New(agents.Options{
				Registry:    &sc.registry,
				Definitions: func(*pegboard.Session) []agents.Definition { return agents.ReadyMade() },
				Loop: func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
					defer close(ended)
					if _, err := a.Next(ctx, agents.Usage{}); err != nil {
						return agents.Reply{}, err
					}
					pool, err := a.Pool()
					if err != nil {
						return agents.Reply{}, err
					}
					out := sc.executor().Run(ctx, pool, call("inner", "Look", words{}))
					return agents.Reply{Text: out[0].Result.Text()}, out[0].Err
				},
			})
			require.NoError(t, err)
			require.NoError(t, sc.registry.Add(all.Tools()...))
			batch, end := sc.tracing.Batch(t.Context(), sc.session)
			out := sc.executor().Run(batch, sc.pool(), call("outer", "Agent", map[string]any{"description": "look", "prompt": "Look.", "run_in_background": background}))
			require.NoError(t, out[0].Err, out[0].Result.Text())
			end()
			<-ended

			starter, look := sc.span("execute_tool Agent"), sc.span("execute_tool Look")
			require.Equal(t, starter.SpanContext().SpanID(), look.Parent().SpanID())
			require.Len(t, look.Links(), 1)
			require.Equal(t, starter.SpanContext().SpanID(), look.Links()[0].SpanContext.SpanID())
			require.Equal(t, map[string]string{"pegboard.link": "started_by"}, values(look.Links()[0].Attributes))
			require.NotEmpty(t, values(look.Attributes())["gen_ai.agent.id"])
			require.NotContains(t, values(starter.Attributes()), "gen_ai.agent.id")
		})
	}
}

// TestBatchOfAnAgentHasTheLink and the calls in the batch have none of their own.
func TestBatchOfAnAgentHasTheLink(t *testing.T) {
	t.Parallel()
	sc := newScene(t, false, pegboard.SessionConfig{}, tool("Look", says("ok")))
	fork, err := sc.session.Fork(pegboard.SessionConfig{AgentID: "agent-1", AgentType: "reviewer"})
	require.NoError(t, err)
	defer func() { require.NoError(t, fork.Close(context.Background())) }()
	ctx, starter := sc.tracer.Start(t.Context(), "starter")
	ctx, end := sc.tracing.Batch(ctx, fork)
	sc.executor().Run(ctx, sc.registry.AssemblePool(fork, pegboard.PoolConfig{}), call("1", "Look", words{}))
	end()
	starter.End()
	require.Len(t, sc.span("tool_calls").Links(), 1)
	require.Empty(t, sc.span("execute_tool Look").Links())
	require.Equal(t, "reviewer", values(sc.span("execute_tool Look").Attributes())["gen_ai.agent.name"])
}

func TestFailures(t *testing.T) {
	t.Parallel()
	fails := func(err error) func(context.Context, words, *pegboard.Call) (string, error) {
		return func(context.Context, words, *pegboard.Call) (string, error) { return "", err }
	}
	sc := newScene(t, false, pegboard.SessionConfig{},
		pegboard.Build(pegboard.Definition[words, string]{
			Info: pegboard.Info{Name: "Denied"}, Description: "For a test.",
			Permit: func(context.Context, words, *pegboard.Call) policy.Decision {
				return policy.Decision{Behavior: policy.Deny, Reason: "SECRET"}
			},
			Call: says(""),
		}),
		tool("Fails", fails(errors.New("SECRET"))),
		tool("Panics", func(context.Context, words, *pegboard.Call) (string, error) { panic("SECRET") }),
		tool("Stops", fails(fmt.Errorf("SECRET: %w", context.DeadlineExceeded))),
		pegboard.Build(pegboard.Definition[words, *pegboard.Result]{
			Info: pegboard.Info{Name: "Says"}, Description: "For a test.", Traits: pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
			Call: func(context.Context, words, *pegboard.Call) (*pegboard.Result, error) {
				r := pegboard.TextResult("SECRET")
				r.IsError = true
				return r, nil
			},
		}))
	executor := sc.executor()
	executor.Logger = slog.New(slog.DiscardHandler)
	executor.Run(t.Context(), sc.pool(),
		call("1", "Denied", words{}), call("2", "Fails", words{}), call("3", "Panics", words{}), call("4", "Stops", words{}), call("5", "Says", words{}),
		call("6", "Nothing SECRET", words{}), call("7", "Fails", map[string]any{"SECRET": 1}), call("1", "Fails", words{}))
	cancelled, cancel := context.WithCancelCause(t.Context())
	cancel(pegboard.ErrUserInterrupt)
	executor.Run(cancelled, sc.pool(), call("8", "Says", words{}))

	got := map[string]string{}
	for _, s := range sc.recorder.Ended() {
		attrs := values(s.Attributes())
		key := attrs["gen_ai.tool.call.id"] + " " + attrs["gen_ai.tool.name"]
		got[key] = attrs["error.type"] + " in " + attrs["pegboard.call.stage"]
		require.Equal(t, codes.Error, s.Status().Code, key)
		require.Equal(t, attrs["error.type"], s.Status().Description, key)
	}
	require.Equal(t, map[string]string{
		"1 Denied": "denied in permission", "2 Fails": "tool_failed in call", "3 Panics": "panic in call", "4 Stops": "tool_failed in call", "5 Says": "tool_failed in ",
		"6 unknown": "unknown_tool in lookup", "7 Fails": "invalid_input in decode", "1 Fails": "duplicate in admit", "8 Says": "cancelled in targets",
	}, got)
	require.NotContains(t, sc.dump(), "SECRET")
}

// TestQuestionsTakeTime lets a person answer after a minute, and the tool work for a second.
func TestQuestionsTakeTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sc := newScene(t, false, pegboard.SessionConfig{Ask: func(context.Context, *pegboard.Question) (policy.Decision, error) {
			time.Sleep(time.Minute)
			return policy.Decision{Behavior: policy.Allow, Reason: "SECRET"}, nil
		}}, pegboard.Build(pegboard.Definition[words, string]{
			Info: pegboard.Info{Name: "Work"}, Description: "For a test.",
			Call: func(context.Context, words, *pegboard.Call) (string, error) {
				time.Sleep(time.Second)
				return "done", nil
			},
		}))
		out := sc.executor().Run(t.Context(), sc.pool(), call("1", "Work", words{}), call("2", "Work", words{}))
		require.NoError(t, errors.Join(out[0].Err, out[1].Err))
		var questions, waiting int
		for _, s := range sc.recorder.Ended() {
			require.Equal(t, "person", values(s.Attributes())["pegboard.decision.by"])
			for _, e := range s.Events() {
				switch e.Name {
				case "question":
					questions++
					require.Equal(t, "60", values(e.Attributes)["pegboard.duration"])
				case "waiting":
					waiting++
					require.Equal(t, "1", values(e.Attributes)["pegboard.call.waits_for"])
				}
			}
		}
		require.Equal(t, 2, questions)
		require.Equal(t, 1, waiting)

		sums := map[string]float64{}
		for _, name := range []string{"gen_ai.execute_tool.duration", "pegboard.call.queue.duration", "pegboard.question.duration"} {
			data, ok := sc.metrics()[name].(metricdata.Histogram[float64])
			require.True(t, ok, name)
			for _, p := range data.DataPoints {
				sums[name] += p.Sum
			}
		}
		require.Equal(t, map[string]float64{"gen_ai.execute_tool.duration": 2, "pegboard.call.queue.duration": 60 + 121, "pegboard.question.duration": 120}, sums)
		decisions, ok := sc.metrics()["pegboard.decisions"].(metricdata.Sum[int64])
		require.True(t, ok)
		require.Len(t, decisions.DataPoints, 1)
		require.Equal(t, int64(2), decisions.DataPoints[0].Value)
	})
}

// TestContentsOnlyWhenAskedFor looks for words of the input, the result, the rule that an
// answer made, and the directory in all that is recorded.
func TestContentsOnlyWhenAskedFor(t *testing.T) {
	t.Parallel()
	for _, contents := range []bool{false, true} {
		t.Run(fmt.Sprint(contents), func(t *testing.T) {
			t.Parallel()
			sc := newScene(t, contents, pegboard.SessionConfig{Ask: func(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
				return policy.Decision{Behavior: policy.Allow, Reason: "WHY", Remember: []policy.Update{{
					Type: policy.AddRules, Behavior: policy.Allow, Rules: []policy.UpdateRule{{Tool: "Edit", Pattern: "//INPUT/**"}}, Destination: policy.SourceSession,
				}}}, nil
			}}, pegboard.Build(pegboard.Definition[words, string]{
				Info: pegboard.Info{Name: "Write"}, Description: "For a test.",
				Inspect: func(in words, _ *pegboard.Call) pegboard.Traits {
					return pegboard.Traits{Targets: []policy.Target{{Kind: policy.Path, Value: in.Word}}}
				},
				Call: func(context.Context, words, *pegboard.Call) (string, error) { return "RESULT", nil },
			}))
			for _, id := range []string{"1", "2"} { // the second by the rule
				out := sc.executor().Run(t.Context(), sc.pool(), call(id, "Write", words{Word: "/INPUT/x"}))
				require.NoError(t, out[0].Err)
			}
			text := sc.dump()
			for _, word := range []string{"INPUT", "RESULT", "WHY"} {
				require.Equal(t, contents, strings.Contains(text, word), "%s in %s", word, text)
			}
			require.Contains(t, text, "path:write")
		})
	}
}

// TestTraceOfServers hands the tool the span of its call for the _meta of MCP, with the
// baggage of the host.
func TestTraceOfServers(t *testing.T) {
	t.Parallel()
	var seen tracecontext.Context
	sc := newScene(t, false, pegboard.SessionConfig{}, tool("Look", func(ctx context.Context, _ words, _ *pegboard.Call) (string, error) {
		seen = tracecontext.From(ctx)
		return "ok", nil
	}))
	member, err := baggage.NewMember("tenant", "7")
	require.NoError(t, err)
	bag, err := baggage.New(member)
	require.NoError(t, err)
	sc.executor().Run(baggage.ContextWithBaggage(t.Context(), bag), sc.pool(), call("1", "Look", words{}))
	span := sc.span("execute_tool Look").SpanContext()
	require.Equal(t, tracecontext.Context{Parent: fmt.Sprintf("00-%s-%s-01", span.TraceID(), span.SpanID()), Baggage: "tenant=7"}, seen)

	// Without a tracer the host's own stays.
	silent, err := otel.New(otel.Options{})
	require.NoError(t, err)
	own := tracecontext.Context{Parent: "00-1-2-01"}
	ex := pegboard.Executor{OnEvent: silent.Record, Invoke: silent.Invoke(nil)}
	ex.Run(tracecontext.With(t.Context(), own), sc.pool(), call("1", "Look", words{}))
	require.Equal(t, own, seen)
}

// TestEveryCallHasOneSpan runs many batches and streams at once, calls without an id or with
// that of another batch among them, and finds one span for each.
func TestEveryCallHasOneSpan(t *testing.T) {
	t.Parallel()
	sc := newScene(t, false, pegboard.SessionConfig{}, tool("Look", says("ok")))
	executor, pool := sc.executor(), sc.pool()
	const batches, calls = 20, 10
	done := make(chan int)
	for n := range batches {
		go func() {
			if n%2 == 0 {
				list := make([]pegboard.Call, calls)
				for i := range list {
					list[i] = call("", "Look", words{})
				}
				done <- len(executor.Run(t.Context(), pool, list...))
				return
			}
			s := executor.Stream(t.Context(), pool)
			for i := range calls {
				s.Submit(call(fmt.Sprint(i), "Look", words{}))
			}
			s.Finish(pegboard.FinishToolCalls)
			count := 0
			for range s.Outcomes() {
				count++
			}
			done <- count
		}()
	}
	for range batches {
		require.Equal(t, calls, <-done)
	}
	require.Len(t, sc.recorder.Ended(), batches*calls)
	require.Len(t, sc.recorder.Started(), batches*calls)
	require.Zero(t, sc.tracing.Open())
}

// TestEvents is for hosts that want no more than a listener.
func TestEvents(t *testing.T) {
	t.Parallel()
	recorder, reader := tracetest.NewSpanRecorder(), metric.NewManualReader()
	sc := newScene(t, false, pegboard.SessionConfig{}, tool("Look", says("ok")))
	ex := pegboard.Executor{OnEvent: otel.Events(
		sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)).Tracer("test"), metric.NewMeterProvider(metric.WithReader(reader)).Meter("test"))}
	ex.Run(t.Context(), sc.pool(), call("1", "Look", words{}))
	require.Len(t, recorder.Ended(), 1)
	var all metricdata.ResourceMetrics
	require.NoError(t, reader.Collect(t.Context(), &all))
	require.Len(t, all.ScopeMetrics, 1)
	for range 2 { // nothing to record to, and events of no executor
		otel.Events(nil, nil)(pegboard.Event{Call: &pegboard.Call{}})
		otel.Events(nil, nil)(pegboard.Event{})
	}
}
