package chat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
)

// TestRecordings reads every recorded response, however its bytes arrive, and
// compares all of it with what encoding/json alone finds in it.
func TestRecordings(t *testing.T) {
	for _, folder := range corpus.Folders(t) {
		responses, calls, incomplete, tools := 0, 0, 0, 0
		for _, r := range recordings(t, folder) {
			m := checkRecording(t, r)
			responses++
			calls += len(m.Calls)
			incomplete += len(m.Incomplete)
			tools += checkRequest(t, r)
		}
		corpus.Report(t, folder, "%d responses with %d calls and %d incomplete ones, %d tool definitions", responses, calls, incomplete, tools)
	}
}

func checkRecording(t *testing.T, r recording) *wire.Message {
	t.Helper()
	want := oracle(r.Body)
	require.True(t, want.sound, "%s is not as documented", r.File)
	events, m, err := read(strings.NewReader(r.Body))
	require.NoError(t, err, r.File)
	require.Equal(t, want.calls, written(m.Calls), r.File)
	require.Equal(t, want.incomplete, written(m.Incomplete), r.File)
	require.Equal(t, want.text, m.Text, r.File)
	require.Equal(t, want.thinking, joined(events, "thinking "), r.File)
	require.Equal(t, want.reason, m.StopReason, r.File)
	require.EqualValues(t, want.usage["prompt_tokens"], m.Usage.Input+m.Usage.CacheRead, r.File)
	require.EqualValues(t, want.usage["completion_tokens"], m.Usage.Output, r.File)
	requireHistory(t, want, m, r.File)
	requireTurn(t, m, new(chat.Codec).Results(m, nil))
	for _, body := range pieces(r.Body) {
		again, n, err := read(body)
		require.NoError(t, err, r.File)
		require.Equal(t, events, again, r.File)
		requireSame(t, m, n, r.File)
	}
	for _, c := range m.Calls {
		requireAnySplit(t, c)
	}
	requireCutSafe(t, r, want)
	return m
}

func written(calls []pegboard.Call) (all []string) {
	for _, c := range calls {
		all = append(all, c.ID+" "+c.Name+" "+string(c.Input))
	}
	return all
}

func joined(events []string, prefix string) string {
	var b strings.Builder
	for _, e := range events {
		if text, ok := strings.CutPrefix(e, prefix); ok {
			b.WriteString(text)
		}
	}
	return b.String()
}

// requireSame compares two messages that different Wires read.
func requireSame(t *testing.T, want, got *wire.Message, file string) {
	t.Helper()
	require.Equal(t, written(want.Calls), written(got.Calls), file)
	require.Equal(t, written(want.Incomplete), written(got.Incomplete), file)
	require.Equal(t, want.Text, got.Text, file)
	require.Equal(t, want.Refusal, got.Refusal, file)
	require.Equal(t, want.StopReason, got.StopReason, file)
	require.Equal(t, want.Usage, got.Usage, file)
	require.Equal(t, string(only(want.History)), string(only(got.History)), file)
}

// requireHistory compares what is sent back with what came.
func requireHistory(t *testing.T, want expectation, m *wire.Message, file string) {
	t.Helper()
	sent := map[string]any{"role": "assistant", "content": nil}
	if want.text != "" {
		sent["content"] = want.text
	}
	if want.thinking != "" {
		sent["reasoning_content"] = want.thinking
	}
	var calls []any
	for _, c := range want.calls {
		f := strings.SplitN(c, " ", 3)
		calls = append(calls, map[string]any{"id": f[0], "type": "function", "function": map[string]any{"name": f[1], "arguments": f[2]}})
	}
	if calls != nil {
		sent["tool_calls"] = calls
	}
	raw, err := json.Marshal(sent)
	require.NoError(t, err)
	require.JSONEq(t, string(raw), string(only(m.History)), file)
}

// pieces returns the ways in which a body may arrive: a byte at a time, split
// in two at some places, and with other line ends.
func pieces(body string) []io.Reader {
	crlf := strings.ReplaceAll(body, "\n", "\r\n")
	all := []io.Reader{
		iotest.OneByteReader(strings.NewReader(body)), iotest.HalfReader(strings.NewReader(body)), iotest.DataErrReader(strings.NewReader(body)),
		strings.NewReader(crlf), iotest.OneByteReader(strings.NewReader("\ufeff: comment\r\n" + crlf)),
	}
	random := rand.New(rand.NewPCG(11, uint64(len(body))))
	for range 32 {
		at := random.IntN(len(body))
		all = append(all, io.MultiReader(strings.NewReader(body[:at]), strings.NewReader(body[at:])))
	}
	return all
}

// requireAnySplit sends the arguments of a call in two deltas, split anywhere, and
// in one for each character.
func requireAnySplit(t *testing.T, c pegboard.Call) {
	t.Helper()
	splits := [][]string{strings.Split(string(c.Input), "")}
	for at := range string(c.Input) {
		splits = append(splits, []string{string(c.Input[:at]), string(c.Input[at:])})
	}
	for _, split := range splits {
		chunks := []string{calling(piece(0, c.ID, c.Name, ""))}
		for _, arguments := range split {
			chunks = append(chunks, calling(piece(0, "", "", arguments)))
		}
		_, m, err := read(strings.NewReader(stream(append(chunks, because("tool_calls"))...)))
		require.NoError(t, err)
		require.Equal(t, []string{c.ID + " " + c.Name + " " + string(c.Input)}, written(m.Calls))
	}
}

// requireCutSafe cuts a stream off after each chunk. What was begun and not
// finished is never handed out.
func requireCutSafe(t *testing.T, r recording, want expectation) {
	t.Helper()
	chunks := strings.SplitAfter(r.Body, "\n\n")
	for i := range chunks {
		body := strings.Join(chunks[:i], "")
		_, m, err := read(strings.NewReader(body))
		if !strings.Contains(body, `"finish_reason":"`) {
			require.ErrorIs(t, err, wire.ErrTruncated, r.File)
		} else {
			require.NoError(t, err, r.File)
		}
		for _, c := range written(m.Calls) {
			require.True(t, slices.Contains(want.calls, c), "%s: %q is not a whole call", r.File, c)
		}
		requireTurn(t, m, new(chat.Codec).Results(m, nil))
	}
}

// checkRequest builds the tools of a recorded request and compares how they are
// declared with what was sent.
func checkRequest(t *testing.T, r recording) (checked int) {
	t.Helper()
	var request struct {
		Tools []struct {
			Function struct {
				Name, Description string
				Parameters        json.RawMessage
			}
		}
	}
	require.NoError(t, json.Unmarshal(r.Request, &request))
	for _, sent := range request.Tools {
		f := sent.Function
		built, err := pegboard.BuildRaw(f.Parameters, pegboard.Definition[json.RawMessage, *pegboard.Result]{
			Info:        pegboard.Info{Name: f.Name},
			Description: f.Description,
			Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) {
				return nil, nil
			},
		})
		require.NoError(t, err, r.File)
		want := fmt.Sprintf(`[{"type":"function","function":{"name":%q,"description":%q,"parameters":%s,"strict":false}}]`, f.Name, f.Description, f.Parameters)
		require.JSONEq(t, want, string(chat.New(poolOf(t, built), chat.Config{}).Tools()), r.File)
		checked++
	}
	return checked
}

type recording = corpus.Recording

// recordings returns every response in the cassettes below a corpus folder.
func recordings(t testing.TB, folder string) []recording {
	t.Helper()
	all := corpus.Recordings(t, filepath.Join(folder, "recordings", "openai-chat"), nil)
	for _, r := range all {
		require.True(t, json.Valid(r.Request), r.File)
	}
	return all
}

// expectation is what encoding/json alone finds in a recorded stream, of which
// every chunk is as OpenAI documents it.
type expectation struct {
	calls      []string
	incomplete []string
	text       string
	thinking   string
	reason     string
	usage      map[string]any
	sound      bool // all chunks were as documented, and the stream was whole
}

func oracle(body string) (want expectation) {
	type pieces struct{ id, name, arguments string }
	calls := map[int]*pieces{}
	for line := range strings.Lines(body) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		if !ok {
			continue
		}
		if data == "[DONE]" {
			want.sound = want.reason != ""
			break
		}
		var chunk struct {
			Choices []struct {
				Index int
				Delta struct {
					Content          string
					ReasoningContent string `json:"reasoning_content"`
					ToolCalls        []struct {
						Index    *int
						ID       string
						Function struct{ Name, Arguments string }
					} `json:"tool_calls"`
				}
				FinishReason string `json:"finish_reason"`
			}
			Usage map[string]any
		}
		if json.Unmarshal([]byte(data), &chunk) != nil {
			return expectation{}
		}
		if chunk.Usage != nil {
			want.usage = chunk.Usage
		}
		for _, choice := range chunk.Choices {
			want.text += choice.Delta.Content
			want.thinking += choice.Delta.ReasoningContent
			want.reason += choice.FinishReason
			for _, c := range choice.Delta.ToolCalls {
				if c.Index == nil {
					return expectation{}
				}
				if calls[*c.Index] == nil {
					calls[*c.Index] = &pieces{}
				}
				p := calls[*c.Index]
				p.id, p.name, p.arguments = p.id+c.ID, p.name+c.Function.Name, p.arguments+c.Function.Arguments
			}
		}
	}
	var indices []int
	for i := range calls {
		indices = append(indices, i)
	}
	slices.Sort(indices)
	for _, i := range indices {
		c := calls[i]
		if want.reason == "length" && !json.Valid([]byte(c.arguments)) {
			want.incomplete = append(want.incomplete, c.id+" "+c.name+" "+c.arguments)
		} else {
			want.calls = append(want.calls, c.id+" "+c.name+" "+c.arguments)
		}
	}
	return want
}
