package structured_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/structured"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
	"github.com/seed49eaa51d/pegboard/wire"
)

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	const noObject = "the root of the schema allows no object"
	tests := []struct {
		name, schema string
		err          string // empty: the schema is taken
	}{
		{name: "an object", schema: verdictSchema},
		{name: "no type", schema: `{"properties":{"a":{"type":"string"}}}`},
		{name: "anything", schema: `{}`},
		{name: "an object or null", schema: `{"type":["object","null"]}`},
		{name: "an object or a list", schema: `{"anyOf":[{"type":"array"},{"type":"object"}]}`},
		{name: "an object among values", schema: `{"enum":[1,{"a":1}]}`},
		{name: "an object elsewhere", schema: `{"$ref":"#/$defs/a~1b","$defs":{"a/b":{"type":"object"}}}`},
		{name: "itself, further down", schema: `{"properties":{"a":{"$ref":"#"}}}`},
		{name: "a list", schema: `{"type":"array"}`, err: noObject},
		{name: "a list or a text", schema: `{"type":["array","string"]}`, err: noObject},
		{name: "alternatives", schema: `{"anyOf":[{"type":"array"},{"const":1}]}`, err: noObject},
		{name: "one of", schema: `{"oneOf":[{"type":"array"},false]}`, err: noObject},
		{name: "all of", schema: `{"allOf":[{"type":"object"},{"type":"array"}]}`, err: noObject},
		{name: "values", schema: `{"enum":["a","b"]}`, err: noObject},
		{name: "a list elsewhere", schema: `{"$ref":"#/$defs/a","$defs":{"a":{"type":"array"}}}`, err: noObject},
		{name: "no type at all", schema: `{"type":[]}`, err: noObject},
		{name: "itself", schema: `{"allOf":[{"$ref":"#"},{"$ref":"#"}]}`, err: "refers to itself without end"},
		{name: "true", schema: `true`, err: "is no JSON object"},
		{name: "null", schema: `null`, err: "is no JSON object"},
		{name: "empty", schema: ``, err: "StructuredOutput"},
		{name: "not JSON", schema: `{"type":`, err: "StructuredOutput"},
		{name: "not a schema", schema: `{"type":"thing"}`, err: "StructuredOutput"},
		{name: "another document", schema: `{"$ref":"https://example.com/a.json"}`, err: "StructuredOutput"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			out, err := structured.New(json.RawMessage(tc.schema))
			if tc.err == "" {
				require.NoError(t, err)
				require.Equal(t, structured.Name, out.Tool().Info().Name)
				return
			}
			require.ErrorContains(t, err, tc.err)
			require.Nil(t, out)
		})
	}
}

// TestTries plays messages of calls, up to the one after which a value or an error is expected.
func TestTries(t *testing.T) {
	t.Parallel()
	good, bad, wrong := answer(`{"verdict":"good"}`), answer(`{"verdict":"bad"}`), answer(`{"verdict":"so so"}`)
	type message = []pegboard.Call
	ends, times := message(nil), func(n int, m message) (ms []message) { return slices.Repeat([]message{m}, n) }
	tests := []struct {
		name     string
		messages []message
		value    string
		err      bool
		reason   error
		contains string // of the error
	}{
		{name: "at once", messages: []message{{good}}, value: `{"verdict":"good"}`},
		{name: "beside others", messages: []message{{look(), good, look()}}, value: `{"verdict":"good"}`},
		{name: "the last of two", messages: []message{{good, bad}}, value: `{"verdict":"bad"}`},
		{name: "the last that is accepted", messages: []message{{good, wrong}}, value: `{"verdict":"good"}`},
		{name: "spaces around", messages: []message{{answer(" {\"verdict\": \"good\"}\n")}}, value: `{"verdict": "good"}`},
		{name: "other calls are no tries", messages: times(20, message{look()})},
		{name: "four endings", messages: times(4, ends)},
		{name: "four endings, then a value", messages: append(times(4, ends), message{good}), value: `{"verdict":"good"}`},
		{name: "four refusals in one message, beside a value", messages: []message{{wrong, answer(`{}`), answer(`[]`), answer(`{`), good}}, value: `{"verdict":"good"}`},
		{name: "five endings", messages: times(5, ends), err: true, contains: "the message ended without a call of StructuredOutput"},
		{name: "five refusals", messages: times(5, message{wrong}), err: true, reason: pegboard.ErrInvalidInput, contains: "verdict"},
		{name: "five refusals in one message", messages: []message{{wrong, answer(`{}`), answer(`[]`), answer(`{`), answer(`1`)}}, err: true, reason: pegboard.ErrInvalidInput},
		{name: "endings and refusals", messages: []message{ends, {wrong}, {look()}, ends, {look(), wrong}, ends}, err: true, contains: "ended without"},
		{name: "the last reason", messages: []message{ends, ends, ends, ends, {wrong}}, err: true, reason: pegboard.ErrInvalidInput},
		{name: "what follows a value changes nothing", messages: append([]message{{good}}, times(9, message{wrong})...), value: `{"verdict":"good"}`},
		{name: "a later value", messages: []message{{good}, {look()}, {bad}}, value: `{"verdict":"bad"}`},
		{name: "a script cannot", messages: []message{{{ID: "s", Name: "Script"}}}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := newRun(t, verdictSchema, pegboard.SessionConfig{})
			for i, m := range tc.messages {
				say, err := r.message(t, m...)
				if tc.err && i == len(tc.messages)-1 {
					require.ErrorIs(t, err, structured.ErrNoOutput)
					require.ErrorContains(t, err, tc.contains)
					if tc.reason != nil {
						require.ErrorIs(t, err, tc.reason)
					}
					_, again := r.message(t, look())
					require.Equal(t, err, again, "it stays so")
					break
				}
				require.NoError(t, err, "message %d", i)
				if len(m) == 0 {
					require.Contains(t, say[0].Text, structured.Name)
				} else {
					require.Empty(t, say)
				}
			}
			if tc.value == "" {
				r.requireNoValue(t)
				return
			}
			r.requireValue(t, tc.value)
		})
	}
}

// TestWhatTheModelIsTold at each step.
func TestWhatTheModelIsTold(t *testing.T) {
	t.Parallel()
	r := newRun(t, verdictSchema, pegboard.SessionConfig{})
	say, err := r.message(t)
	require.NoError(t, err)
	require.Equal(t, []pegboard.Part{{Text: "Your message had no call. The answer counts only as the input of StructuredOutput: call it with the whole answer. (Try 2 of 5.)"}}, say)
	outcomes := r.exec.Run(t.Context(), r.pool, answer(`{"verdict":"so so"}`), answer(`{"verdict":"good"}`))
	require.Contains(t, outcomes[0].Result.Text(), "verdict")
	require.Equal(t, "The answer is taken.", outcomes[1].Result.Text())
	scripted := r.exec.Run(t.Context(), r.pool, pegboard.Call{ID: "s", Name: "Script"})
	require.Contains(t, scripted[0].Result.Text(), "a script cannot give the answer: call StructuredOutput yourself")
	outcomes = r.exec.Run(t.Context(), r.pool, answer(`{"verdict":"bad"}`))
	require.Equal(t, "The answer is taken.", outcomes[0].Result.Text())
}

// TestAbandonedStreamGivesNothing: the value of a reply that was abandoned is none, although
// its call had ended, and the one of the reply instead of it counts.
func TestAbandonedStreamGivesNothing(t *testing.T) {
	t.Parallel()
	r := newRun(t, verdictSchema, pegboard.SessionConfig{})
	first := r.exec.Stream(t.Context(), r.pool)
	first.Submit(answer(`{"verdict":"bad"}`))
	for i := 0; i < 4; i++ {
		first.Submit(pegboard.Call{ID: fmt.Sprint(i), Name: structured.Name, Input: json.RawMessage(`{"verdict":"so so"}`)})
	}
	var ended []pegboard.Outcome
	for len(ended) < 5 {
		ended = slices.AppendSeq(ended, first.Ready())
	}
	require.NoError(t, ended[0].Err, "it ran while the model wrote")
	first.Abandon(errors.New("the provider is overloaded"))
	r.requireNoValue(t)

	second := r.exec.Stream(t.Context(), r.pool)
	second.Submit(answer(`{"verdict":"good"}`))
	second.Finish(pegboard.FinishToolCalls)
	say, err := r.out.Next(slices.Collect(second.Outcomes())...)
	require.NoError(t, err)
	require.Empty(t, say)
	r.requireValue(t, `{"verdict":"good"}`)
}

// TestWhatHooksAndRulesDo with calls of the tool.
func TestWhatHooksAndRulesDo(t *testing.T) {
	t.Parallel()
	mode := func(m policy.Mode, sets ...policy.RuleSet) policy.Permissions {
		p, err := policy.New(m, sets...)
		require.NoError(t, err)
		return p
	}
	good := answer(`{"verdict":"good"}`)
	tests := []struct {
		name   string
		cfg    pegboard.SessionConfig
		value  string
		reason error // of the last try, if there is no value
	}{
		{name: "nothing", value: `{"verdict":"good"}`},
		{name: "plan mode", cfg: pegboard.SessionConfig{Permissions: mode(policy.ModePlan)}, value: `{"verdict":"good"}`},
		{name: "a mode that asks nobody", cfg: pegboard.SessionConfig{Permissions: mode(policy.ModeDontAsk)}, value: `{"verdict":"good"}`},
		{name: "a mode that denies", cfg: pegboard.SessionConfig{Permissions: mode(policy.ModeDeny)}, value: `{"verdict":"good"}`},
		{name: "denied", cfg: pegboard.SessionConfig{Permissions: mode("", policy.RuleSet{Deny: []string{"StructuredOutput"}})}, reason: pegboard.ErrDenied},
		{name: "asked about, and nobody is there", cfg: pegboard.SessionConfig{Permissions: mode("", policy.RuleSet{Ask: []string{"StructuredOutput"}})}, reason: pegboard.ErrDenied},
		{name: "a hook refuses", cfg: pegboard.SessionConfig{Hooks: pegboard.Hooks{Pre: func(context.Context, *pegboard.HookCall) (policy.Decision, error) {
			return policy.Decision{Behavior: policy.Deny, Reason: "not yet"}, nil
		}}}, reason: pegboard.ErrDenied},
		{name: "a hook rewrites it", cfg: pegboard.SessionConfig{Hooks: pegboard.Hooks{Pre: func(context.Context, *pegboard.HookCall) (policy.Decision, error) {
			return policy.Decision{Input: json.RawMessage(`{"verdict":"bad","lines":3}`)}, nil
		}}}, value: `{"verdict":"bad","lines":3}`},
		{name: "a hook rewrites it to what the schema refuses", cfg: pegboard.SessionConfig{Hooks: pegboard.Hooks{Pre: func(context.Context, *pegboard.HookCall) (policy.Decision, error) {
			return policy.Decision{Input: json.RawMessage(`{"verdict":1}`)}, nil
		}}}, reason: pegboard.ErrInvalidInput},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := newRun(t, verdictSchema, tc.cfg)
			_, err := r.message(t, good)
			require.NoError(t, err)
			if tc.reason == nil {
				r.requireValue(t, tc.value)
				return
			}
			r.requireNoValue(t)
			for range structured.MaxTries - 1 {
				_, err = r.message(t, good)
			}
			require.ErrorIs(t, err, structured.ErrNoOutput)
			require.ErrorIs(t, err, tc.reason)
		})
	}
}

// TestEmptyInput is an empty object.
func TestEmptyInput(t *testing.T) {
	t.Parallel()
	r := newRun(t, `{"type":"object"}`, pegboard.SessionConfig{})
	_, err := r.message(t, answer(" "))
	require.NoError(t, err)
	r.requireValue(t, `{}`)
}

// TestStrict: the provider is asked to enforce a schema that it can, and the lint says of
// another one that it is sent without.
func TestStrict(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, schema string
		strict       bool
	}{
		{name: "closed", schema: verdictSchema, strict: true},
		{name: "any keys", schema: `{"type":"object","properties":{"counts":{"type":"object","additionalProperties":{"type":"integer"}}}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := newRun(t, tc.schema, pegboard.SessionConfig{})
			for _, to := range []wire.Provider{wire.Anthropic, wire.OpenAIResponses} {
				weaker := slices.ContainsFunc(wire.Lint(r.pool, to), func(p wire.Problem) bool {
					return p.Tool == structured.Name && strings.Contains(fmt.Sprint(p), "sent without strict")
				})
				require.Equal(t, tc.strict, !weaker, "%v", wire.Lint(r.pool, to))
			}
		})
	}
}

// TestAtOnce uses an Output from many goroutines.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	r := newRun(t, verdictSchema, pegboard.SessionConfig{})
	outcomes := r.exec.Run(t.Context(), r.pool, answer(`{"verdict":"good"}`))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { _, _ = r.out.Next(outcomes...) })
		all.Go(func() { _, _ = r.out.Value() })
	}
	all.Wait()
	r.requireValue(t, `{"verdict":"good"}`)
}

// TestContract of a tool, as a conversation and a person see it.
func TestContract(t *testing.T) {
	t.Parallel()
	out, err := structured.New(json.RawMessage(verdictSchema))
	require.NoError(t, err)
	require.NoError(t, tooltest.Check(out.Tool(), `{"verdict":"good"}`, `{"verdict":"bad","lines":3}`))
	r := newRun(t, verdictSchema, pegboard.SessionConfig{})
	view := r.exec.Run(t.Context(), r.pool, answer(`{"verdict":"good"}`))[0].View()
	require.Equal(t, "Answer", view.Title)
	require.Equal(t, "Gave the answer", view.After)
}
