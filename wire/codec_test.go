package wire_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
	"github.com/seed49eaa51d/pegboard/wire/gemini"
	"github.com/seed49eaa51d/pegboard/wire/internal/wiretest"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
	"github.com/seed49eaa51d/pegboard/wire/openai/responses"
)

// codecs returns a Codec of each provider, in the order of [wire.Provider].
func codecs(p *pegboard.Pool) []wire.Codec {
	return []wire.Codec{
		wire.Anthropic:       anthropic.New(p, anthropic.Config{}),
		wire.OpenAIChat:      chat.New(p, chat.Config{}),
		wire.OpenAIResponses: responses.New(p, responses.Config{}),
		wire.Gemini:          gemini.New(p, gemini.Config{}),
	}
}

// script is the same conversation in the form of each provider.
var script = []struct{ call, answer, refusal string }{
	wire.Anthropic: {
		call:    `{"type":"message","stop_reason":"tool_use","content":[{"type":"text","text":"I look it up."},{"type":"tool_use","id":"1","name":"tide","input":{"port":"Tromsø"}}]}`,
		answer:  `{"type":"message","stop_reason":"end_turn","content":[{"type":"text","text":"At 13:04."}],"usage":{"input_tokens":7,"output_tokens":3}}`,
		refusal: `{"type":"error","error":{"type":"overloaded_error","message":"Try again."}}`,
	},
	wire.OpenAIChat: {
		call:    `{"choices":[{"message":{"content":"I look it up.","tool_calls":[{"id":"1","type":"function","function":{"name":"tide","arguments":"{\"port\":\"Tromsø\"}"}}]},"finish_reason":"tool_calls"}]}`,
		answer:  `{"choices":[{"message":{"content":"At 13:04."},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":3}}`,
		refusal: `{"error":{"type":"overloaded_error","message":"Try again."}}`,
	},
	wire.OpenAIResponses: {
		call:    `{"object":"response","status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I look it up."}]},{"type":"function_call","call_id":"1","name":"tide","arguments":"{\"port\":\"Tromsø\"}"}]}`,
		answer:  `{"object":"response","status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"At 13:04."}]}],"usage":{"input_tokens":7,"output_tokens":3}}`,
		refusal: `{"error":{"type":"overloaded_error","message":"Try again."}}`,
	},
	wire.Gemini: {
		call:    `{"candidates":[{"content":{"parts":[{"text":"I look it up."},{"functionCall":{"id":"1","name":"tide","args":{"port":"Tromsø"}}}]},"finishReason":"STOP"}]}`,
		answer:  `{"candidates":[{"content":{"parts":[{"text":"At 13:04."}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":3}}`,
		refusal: `{"error":{"code":503,"status":"overloaded_error","message":"Try again."}}`,
	},
}

// tidePool returns a pool of one tool.
func tidePool(t *testing.T) *pegboard.Pool {
	t.Helper()
	return tidePoolIn(t, newSession(t))
}

func tidePoolIn(t *testing.T, s *pegboard.Session) *pegboard.Pool {
	t.Helper()
	type input struct {
		Port string `json:"port"`
	}
	var r pegboard.Registry
	require.NoError(t, r.Add(pegboard.Build(pegboard.Definition[input, string]{
		Info:        pegboard.Info{Name: "tide"},
		Description: "Tells when the water is high.",
		Traits:      pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
		Call: func(_ context.Context, in input, _ *pegboard.Call) (string, error) {
			return in.Port + ": 13:04", nil
		},
	})))
	return r.AssemblePool(s, pegboard.PoolConfig{})
}

// TestCodec holds one conversation with each provider, by the same code.
func TestCodec(t *testing.T) {
	t.Parallel()
	for _, to := range []wire.Provider{wire.Anthropic, wire.OpenAIChat, wire.OpenAIResponses, wire.Gemini} {
		t.Run(to.String(), func(t *testing.T) {
			t.Parallel()
			p := tidePool(t)
			codec := codecs(p)[to]
			require.Contains(t, string(codec.Tools()), `"name":"tide"`)
			require.Empty(t, codec.Omitted())
			require.True(t, json.Valid(codec.Choice(wire.Choice{Mode: wire.One, Tool: "tide"})))
			require.Equal(t, "tide", codec.Name("tide"))

			history := codec.User(pegboard.Part{Text: "When is high water in Tromsø?"})
			events, m, err := wiretest.Read(codec, strings.NewReader(script[to].call))
			require.NoError(t, err)
			require.Equal(t, []string{"text I look it up.", `call 1 tide {"port":"Tromsø"}`}, events)
			require.Equal(t, pegboard.FinishToolCalls, m.Finish)
			var e pegboard.Executor
			outcomes := e.Run(t.Context(), p, m.Calls...)
			history = slices.Concat(history, m.History, codec.Results(m, outcomes, pegboard.Part{Text: "Be quick."}))
			require.Contains(t, string(history[len(history)-1])+string(history[len(history)-2]), "Tromsø: 13:04")

			_, m, err = wiretest.Read(codec, strings.NewReader(script[to].answer))
			require.NoError(t, err)
			require.Equal(t, "At 13:04.", m.Text)
			require.Equal(t, pegboard.FinishStop, m.Finish)
			require.Equal(t, 7, m.Usage.Input)
			require.Equal(t, 3, m.Usage.Output)
			history = append(history, m.History...)
			require.Empty(t, codec.Results(m, nil))

			same, repairs := codec.Normalize(history)
			require.Empty(t, repairs)
			require.Equal(t, history, same)
			require.Equal(t, []string{"tide"}, codec.Loaded(history))
			require.Nil(t, codec.Recall([]string{"tide"}), "nothing is deferred")
		})
	}
}

// TestCodecResultsHoldTheMessages: Result.Messages once reached nobody.
func TestCodecResultsHoldTheMessages(t *testing.T) {
	t.Parallel()
	text := func(s string) pegboard.Part { return pegboard.Part{Text: s} }
	for i, codec := range codecs(tidePool(t)) {
		t.Run(wire.Provider(i).String(), func(t *testing.T) {
			t.Parallel()
			_, m, err := wiretest.Read(codec, strings.NewReader(script[i].call))
			require.NoError(t, err)
			silent := []pegboard.Outcome{{Call: &m.Calls[0], Result: pegboard.TextResult("13:04")}}
			for _, failed := range []bool{false, true} {
				said := &pegboard.Result{IsError: failed, Parts: []pegboard.Part{text("13:04")}, Messages: []pegboard.Part{text("First.")}}
				silent[0].Result.IsError = failed
				outcomes := []pegboard.Outcome{
					{Call: &pegboard.Call{ID: "of another message"}, Result: &pegboard.Result{Messages: []pegboard.Part{text("Nowhere.")}}},
					{Call: &m.Calls[0], Result: &pegboard.Result{Parts: []pegboard.Part{text("Nowhere.")}, Messages: []pegboard.Part{text("Second.")}}, Err: pegboard.ErrDuplicate},
					{Call: &m.Calls[0], Result: said},
					{Call: &m.Calls[0], Result: said},
				}
				got := codec.Results(m, outcomes, text("Be quick."))
				require.Equal(t, codec.Results(m, silent, text("First."), text("Second."), text("Be quick.")), got, "as if the host had passed them")
				require.Equal(t, codec.Results(m, silent, text("First."), text("Second.")), codec.Results(m, outcomes))
				_, repairs := codec.Normalize(append(slices.Clone(m.History), got...))
				require.Empty(t, repairs)
			}
		})
	}
}

// TestCodecResultsKeepMessagesInTheOrderOfTheCalls also has an image in a result, which
// some providers take only after the results.
func TestCodecResultsKeepMessagesInTheOrderOfTheCalls(t *testing.T) {
	t.Parallel()
	m := &wire.Message{Calls: []pegboard.Call{{ID: "a", Name: "tide"}, {ID: "b", Name: "tide"}, {ID: "c", Name: "tide"}}}
	image := pegboard.Part{MIME: "image/png", Data: []byte("\x89PNG")}
	outcomes := []pegboard.Outcome{
		{Call: &m.Calls[1], Result: &pegboard.Result{Parts: []pegboard.Part{image}, Messages: []pegboard.Part{{Text: "M2"}}}},
		{Call: &m.Calls[0], Result: &pegboard.Result{Parts: []pegboard.Part{{Text: "R1"}, image}, Messages: []pegboard.Part{{Text: "M1"}, image}}},
	}
	all := append(codecs(tidePool(t)), gemini.New(tidePool(t), gemini.Config{MediaBeside: true}))
	for _, codec := range all {
		var sent strings.Builder
		for _, raw := range codec.Results(m, outcomes, pegboard.Part{Text: "M3"}) {
			require.True(t, json.Valid(raw))
			sent.Write(raw)
		}
		got := sent.String()
		require.Equal(t, 3, strings.Count(got, base64.StdEncoding.EncodeToString(image.Data)), got)
		at := -1
		for _, text := range []string{"R1", "tide was not run", "M1", "M2", "M3"} {
			require.Equal(t, 1, strings.Count(got, text), got)
			require.Greater(t, strings.Index(got, text), at, got)
			at = strings.Index(got, text)
		}
	}
}

// TestCodecWritesWhatHooksSay has hooks say words of a call that they deny, of the batch and of
// no call, and looks where each provider gets them: after the result, as words of the user.
func TestCodecWritesWhatHooksSay(t *testing.T) {
	t.Parallel()
	const denied = `tide was denied: no tides today. Do not try the same by other means; do something else or tell the user.`
	image := pegboard.Part{MIME: "image/png", Data: append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00"), make([]byte, 50)...)}
	pixels := base64.StdEncoding.EncodeToString(image.Data)
	want := []string{
		wire.Anthropic: `[{"role":"user","content":[
			{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"` + denied + `"}],"is_error":true},
			{"type":"text","text":"of the call"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + pixels + `"}},
			{"type":"text","text":"of the batch"},{"type":"text","text":"of no call"}]}]`,
		wire.OpenAIChat: `[{"role":"tool","tool_call_id":"1","content":"Error: ` + denied + `"},
			{"role":"user","content":[{"type":"text","text":"of the call"},{"type":"image_url","image_url":{"url":"data:image/png;base64,` + pixels + `"}},
			{"type":"text","text":"of the batch"},{"type":"text","text":"of no call"}]}]`,
		wire.OpenAIResponses: `[{"type":"function_call_output","call_id":"1","output":"Error: ` + denied + `"},
			{"type":"message","role":"user","content":[{"type":"input_text","text":"of the call"},{"type":"input_image","image_url":"data:image/png;base64,` + pixels + `"},
			{"type":"input_text","text":"of the batch"},{"type":"input_text","text":"of no call"}]}]`,
		wire.Gemini: `[{"role":"user","parts":[{"functionResponse":{"id":"1","name":"tide","response":{"error":"` + denied + `"}}},
			{"text":"of the call"},{"inlineData":{"mimeType":"image/png","data":"` + pixels + `"}},{"text":"of the batch"},{"text":"of no call"}]}]`,
	}
	for _, streams := range []bool{false, true} {
		for _, to := range []wire.Provider{wire.Anthropic, wire.OpenAIChat, wire.OpenAIResponses, wire.Gemini} {
			t.Run(fmt.Sprintf("%v, stream %v", to, streams), func(t *testing.T) {
				t.Parallel()
				s, err := pegboard.NewSession(pegboard.SessionConfig{Hooks: pegboard.Hooks{
					Pre: func(_ context.Context, h *pegboard.HookCall) (policy.Decision, error) {
						h.Say(pegboard.Part{Text: "of the call"}, image)
						return policy.Decision{Behavior: policy.Deny, Reason: "no tides today"}, nil
					},
					Batch: func(ctx context.Context, _ []pegboard.Outcome) error {
						pegboard.SayInBatch(ctx, pegboard.Part{Text: "of the batch"})
						return nil
					},
				}})
				require.NoError(t, err)
				t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
				p := tidePoolIn(t, s)
				codec := codecs(p)[to]
				history := codec.User(pegboard.Part{Text: "When is high water in Tromsø?"})
				_, m, err := wiretest.Read(codec, strings.NewReader(script[to].call))
				require.NoError(t, err)
				var ex pegboard.Executor
				var outcomes []pegboard.Outcome
				if streams {
					stream := ex.Stream(t.Context(), p)
					stream.Submit(m.Calls[0])
					stream.Finish(m.Finish)
					outcomes = slices.Collect(stream.Outcomes())
				} else {
					outcomes = ex.Run(t.Context(), p, m.Calls...)
				}
				s.Notify(pegboard.Part{Text: "of no call"})
				results := codec.Results(m, outcomes, s.Notifications()...)
				got, err := json.Marshal(results)
				require.NoError(t, err)
				require.JSONEq(t, want[to], string(got))
				history = slices.Concat(history, m.History, results)
				same, repairs := codec.Normalize(history)
				require.Empty(t, repairs)
				require.True(t, slices.EqualFunc(history, same, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }))
				again, err := json.Marshal(codec.Results(m, outcomes, s.Notifications()...))
				require.NoError(t, err)
				require.NotContains(t, string(again), "of no call", "news is handed out once")
			})
		}
	}
}

func TestNilAndZeroPoolsPanicWithOneSentence(t *testing.T) {
	t.Parallel()
	tests := map[string]func(p *pegboard.Pool){
		"anthropic.New": func(p *pegboard.Pool) { anthropic.New(p, anthropic.Config{}) },
		"gemini.New":    func(p *pegboard.Pool) { gemini.New(p, gemini.Config{}) },
		"chat.New":      func(p *pegboard.Pool) { chat.New(p, chat.Config{}) },
		"responses.New": func(p *pegboard.Pool) { responses.New(p, responses.Config{}) },
		"wire.Lint":     func(p *pegboard.Pool) { wire.Lint(p, wire.Anthropic) },
	}
	for caller, do := range tests {
		t.Run(caller, func(t *testing.T) {
			t.Parallel()
			const sentence = " with a nil or zero Pool; make one with Registry.AssemblePool"
			require.PanicsWithValue(t, caller+sentence, func() { do(nil) })
			require.PanicsWithValue(t, caller+sentence, func() { do(&pegboard.Pool{}) })
		})
	}
}

// events returns a stream of events with this data, of which the last is cut off.
func events(data ...string) string { return "data: " + strings.Join(data, "\n\ndata: ") }

// growing is a call that arrives in pieces, in the form of each provider.
var growing = []string{
	wire.Anthropic: events(
		`{"type":"message_start","message":{"id":"m"}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"1","name":"tide","input":{}}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"port\": \"Tro"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"msø\"}"}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"tool_use"}}`, "{}",
	),
	wire.OpenAIChat: events(
		`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"1","function":{"name":"tide","arguments":""}}]}}]}`,
		`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"port\": \"Tro"}}]}}]}`,
		`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"msø\"}"}}]}}]}`,
		`{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`, "[DONE]",
	),
	wire.OpenAIResponses: events(
		`{"type":"response.created","response":{"id":"r"}}`,
		`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"1","name":"tide","arguments":""}}`,
		`{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"port\": \"Tro"}`,
		`{"type":"response.function_call_arguments.delta","output_index":0,"delta":"msø\"}"}`,
		`{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"1","name":"tide","arguments":"{\"port\": \"Tromsø\"}"}}`, "{}",
	),
	wire.Gemini: events(
		`{"candidates":[{"content":{"parts":[{"functionCall":{"id":"1","name":"tide","willContinue":true}}]}}]}`,
		`{"candidates":[{"content":{"parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$.port","stringValue":"Tro","willContinue":true}],"willContinue":true}}]}}]}`,
		`{"candidates":[{"content":{"parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$.port","stringValue":"msø"}],"willContinue":true}}]}}]}`,
		`{"candidates":[{"content":{"parts":[{"functionCall":{}}]}}]}`, "{}",
	),
}

func TestCodecShowsCallsWhileTheyGrow(t *testing.T) {
	t.Parallel()
	for i, codec := range codecs(tidePool(t)) {
		t.Run(wire.Provider(i).String(), func(t *testing.T) {
			t.Parallel()
			var got []string
			for e := range codec.Read(strings.NewReader(growing[i])).Events() {
				if e.Partial != nil {
					require.Equal(t, wire.Event{Partial: e.Partial}, e, "one field is set")
					got = append(got, fmt.Sprintf("%s %s %s", e.Partial.ID, e.Partial.Name, strings.ReplaceAll(string(e.Partial.Input()), " ", "")))
				} else {
					require.NotNil(t, e.Call)
					got = append(got, "complete")
				}
			}
			require.Contains(t, []string{"1 tide ", "1 tide {}"}, got[0], "it has begun")
			require.Equal(t, []string{`1 tide {"port":"Tro"}`, `1 tide {"port":"Tromsø"}`, "complete"}, got[1:])
		})
	}
}

// TestCodecShowsCutCalls: they do not run, and no request holds them.
func TestCodecShowsCutCalls(t *testing.T) {
	t.Parallel()
	for i, codec := range codecs(tidePool(t)) {
		cut := strings.Index(growing[i], `msø`)
		reply := codec.Read(strings.NewReader(growing[i][:cut]))
		shown := ""
		for e := range reply.Events() {
			require.Nil(t, e.Call)
			shown = string(e.Partial.Input())
		}
		require.JSONEq(t, `{"port":"Tro"}`, shown)
		m, err := reply.Message()
		require.ErrorIs(t, err, wire.ErrTruncated)
		require.Empty(t, m.Calls)
		require.Len(t, m.Incomplete, 1)
		require.Empty(t, m.History)
	}
}

// TestCodecShowsNoCallThatArrivesAtOnce: its Event says all.
func TestCodecShowsNoCallThatArrivesAtOnce(t *testing.T) {
	t.Parallel()
	for i, codec := range codecs(tidePool(t)) {
		for e := range codec.Read(strings.NewReader(script[i].call)).Events() {
			require.Nil(t, e.Partial)
		}
	}
}

// TestCodecShowsLongCalls: each event holds all of the input so far, which is not copied for
// it. At the end at most a tenth was not shown.
func TestCodecShowsLongCalls(t *testing.T) {
	t.Parallel()
	const pieces = 20_000
	for i, codec := range codecs(tidePool(t)) {
		t.Run(wire.Provider(i).String(), func(t *testing.T) {
			t.Parallel()
			all := strings.Split(growing[i], "\n\n")
			at := slices.IndexFunc(all, func(event string) bool { return strings.Contains(event, "msø") })
			var body strings.Builder
			body.WriteString(strings.Join(all[:at], "\n\n"))
			for range pieces {
				body.WriteString("\n\n" + strings.NewReplacer(`msø\"}`, "xyz", "msø\"", "xyz\",\"willContinue\":true").Replace(all[at]))
			}
			shown := 0
			for e := range codec.Read(strings.NewReader(body.String())).Events() {
				shown = len(e.Partial.Text)
			}
			require.Greater(t, shown, 3*pieces*9/10)
		})
	}
}

// allTools are the tools of one pool in the form of each provider, a line for each.
func allTools(t *testing.T) string {
	t.Helper()
	p := poolOf(t,
		definition{name: "edit", strict: true, schema: `{"type":"object","properties":{"path":{"type":"string"},"mode":{"enum":["a","b",null]},"lines":{"type":"integer","minimum":1}},"required":["path"]}`},
		definition{name: "notes.add", schema: `{"type":"object","properties":{"note":{"$ref":"#/$defs/note"}},"$defs":{"note":{"type":"object","properties":{"text":{"type":"string"},"next":{"$ref":"#/$defs/note"}}}}}`},
		definition{name: "search", deferred: true, schema: `{"type":"object","oneOf":[{"required":["a"]},{"required":["b"]}],"properties":{"a":{"type":"string"},"b":{"type":["string","null"]}}}`},
	)
	return fmt.Sprintf("%s\n%s\n%s\n%s\n", anthropic.New(p, anthropic.Config{Cache: true}).Tools(), chat.New(p, chat.Config{}).Tools(), responses.New(p, responses.Config{}).Tools(), gemini.New(p, gemini.Config{}).Tools())
}

// TestInvariant7AcrossProcesses compares the tools of every wire with those that
// other processes make.
func TestInvariant7AcrossProcesses(t *testing.T) {
	const variable = "PEGBOARD_TEST_TOOLS" // the file that the other process writes to
	here := allTools(t)
	if path := os.Getenv(variable); path != "" {
		require.NoError(t, os.WriteFile(path, []byte(here), 0o600))
		return
	}
	program, err := os.Executable()
	require.NoError(t, err)
	for i := range 3 {
		path := filepath.Join(t.TempDir(), fmt.Sprint(i))
		other := exec.CommandContext(t.Context(), program, "-test.run=^TestInvariant7AcrossProcesses$", "-test.count=1")
		other.Env = append(os.Environ(), variable+"="+path)
		output, err := other.CombinedOutput()
		require.NoError(t, err, "%s", output)
		there, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, here, string(there))
	}
}
