package anthropic_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
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
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
)

// TestRecordings reads every recorded response, however its bytes arrive, and
// compares the calls with what encoding/json alone finds in it.
func TestRecordings(t *testing.T) {
	for _, folder := range corpus.Folders(t) {
		var n tally
		for _, r := range recordings(t, filepath.Join(folder, "recordings", "anthropic")) {
			n.add(checkRecording(t, r))
			tools, loaded := checkRequest(t, r)
			n.tools += tools
			n.loaded += loaded
		}
		corpus.Report(t, folder, "%d responses (%d messages with %d calls, %d API errors, %d malformed, %d cut or of other APIs), %d tool definitions, %d loaded tools",
			n.responses, n.messages, n.calls, n.apiErrors, n.malformed, n.cut, n.tools, n.loaded)
	}
}

type tally struct{ responses, messages, calls, apiErrors, malformed, cut, tools, loaded int }

func (n *tally) add(m *wire.Message, err error) {
	var apiError *wire.APIError
	n.responses++
	n.calls += len(m.Calls)
	switch {
	case err == nil:
		n.messages++
	case errors.As(err, &apiError):
		n.apiErrors++
	case errors.Is(err, wire.ErrMalformed):
		n.malformed++
	case errors.Is(err, wire.ErrTruncated):
		n.cut++
	}
}

// checkRecording reads a response whole, in many pieces and in other spellings.
func checkRecording(t *testing.T, r recording) (*wire.Message, error) {
	t.Helper()
	want := oracle(r.Body)
	events, m, err := read(strings.NewReader(r.Body))
	require.Equal(t, want.calls, written(m.Calls), r.File)
	requireTurn(t, m, only(new(anthropic.Codec).Results(m, nil)))
	var apiError *wire.APIError
	switch {
	case want.apiError != "":
		require.ErrorAs(t, err, &apiError, r.File)
		require.Equal(t, want.apiError, apiError.Message)
	case want.foreign:
		require.True(t, errors.Is(err, wire.ErrTruncated) || errors.Is(err, wire.ErrMalformed) || errors.As(err, &apiError), "%s: %v", r.File, err)
	case want.malformed:
		require.ErrorIs(t, err, wire.ErrMalformed, r.File)
	case want.cut:
		require.ErrorIs(t, err, wire.ErrTruncated, r.File)
	default:
		require.NoError(t, err, r.File)
		require.Equal(t, want.text, m.Text, r.File)
		if !want.odd {
			requireHistory(t, want.blocks, m, r.File)
		}
	}
	for _, body := range pieces(r.Body) {
		again, n, errAgain := read(body)
		require.Equal(t, events, again, r.File)
		require.Equal(t, m, n, r.File)
		require.Equal(t, fmt.Sprint(err), fmt.Sprint(errAgain), r.File)
	}
	return m, err
}

func written(calls []pegboard.Call) []string {
	var all []string
	for _, c := range calls {
		all = append(all, c.ID+" "+c.Name+" "+string(c.Input))
	}
	return all
}

// requireHistory compares what is sent back with what came, block by block.
func requireHistory(t *testing.T, want []map[string]any, m *wire.Message, file string) {
	t.Helper()
	var got struct{ Content []json.RawMessage }
	if history := only(m.History); history != nil {
		require.NoError(t, json.Unmarshal(history, &got))
	}
	require.Len(t, got.Content, len(want), file)
	for i, block := range want {
		raw, err := json.Marshal(block)
		require.NoError(t, err)
		require.JSONEq(t, string(raw), string(got.Content[i]), file)
	}
}

// pieces returns the ways in which a body may arrive: a byte at a time, split
// in two at any place (or at some, if it is long), and with other line ends.
func pieces(body string) []io.Reader {
	all := []io.Reader{iotest.OneByteReader(strings.NewReader(body)), iotest.DataErrReader(strings.NewReader(body))}
	if !strings.HasPrefix(body, "{") {
		crlf := strings.ReplaceAll(strings.ReplaceAll(body, "\r\n", "\n"), "\n", "\r\n")
		all = append(all, strings.NewReader(crlf), iotest.OneByteReader(strings.NewReader("\ufeff: comment\r\n"+crlf)))
	}
	split := func(at int) {
		all = append(all, io.MultiReader(strings.NewReader(body[:at]), strings.NewReader(body[at:])))
	}
	const each = 1024
	random := rand.New(rand.NewPCG(11, uint64(len(body))))
	for i := range min(len(body), each) {
		if len(body) <= each {
			split(i)
		} else if i%32 == 0 {
			split(random.IntN(len(body)))
		}
	}
	return all
}

// checkRequest builds the tools of a recorded request and compares how they are
// declared with what was sent. What its messages made known is found again.
func checkRequest(t *testing.T, r recording) (tools, loaded int) {
	t.Helper()
	var request struct {
		Tools    []json.RawMessage
		Messages []json.RawMessage
	}
	if json.Unmarshal(r.Request, &request) != nil {
		return 0, 0
	}
	var own []pegboard.Tool
	var server, want []json.RawMessage
	for _, raw := range request.Tools {
		var d struct {
			Name, Description string
			InputSchema       json.RawMessage `json:"input_schema"`
			DeferLoading      bool            `json:"defer_loading"`
			Parameters        any             // of another API
		}
		require.NoError(t, json.Unmarshal(raw, &d))
		if d.Parameters != nil {
			return 0, 0
		}
		want = append(want, raw)
		if d.InputSchema == nil {
			server = append(server, raw)
			continue
		}
		built, err := pegboard.BuildRaw(d.InputSchema, pegboard.Definition[json.RawMessage, *pegboard.Result]{
			Info:        pegboard.Info{Name: d.Name, Loading: loading(d.DeferLoading)},
			Description: d.Description,
			Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) {
				return nil, nil
			},
		})
		require.NoError(t, err, r.File)
		own = append(own, built)
	}
	w := anthropic.New(poolOf(t, own...), anthropic.Config{ServerTools: server})
	var got []json.RawMessage
	require.NoError(t, json.Unmarshal(w.Tools(), &got))
	require.ElementsMatch(t, decoded(t, want), decoded(t, got), r.File)
	require.Empty(t, w.Omitted(), r.File)
	requireTaken(t, w)

	known := w.Loaded(request.Messages)
	require.ElementsMatch(t, known, knownIn(decoded(t, request.Messages)), r.File)
	return len(own), len(known)
}

// decoded returns values in which only what they say can differ.
func decoded(t *testing.T, raw []json.RawMessage) (all []any) {
	t.Helper()
	for _, r := range raw {
		var v any
		require.NoError(t, json.Unmarshal(r, &v))
		all = append(all, v)
	}
	return all
}

// knownIn returns the tools that are called or referred to anywhere below v.
func knownIn(v any) (tools []string) {
	add := func(names ...string) {
		for _, name := range names {
			if !slices.Contains(tools, name) {
				tools = append(tools, name)
			}
		}
	}
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			add(knownIn(element)...)
		}
	case map[string]any:
		switch v["type"] {
		case "tool_use":
			add(fmt.Sprint(v["name"]))
		case "tool_reference":
			add(fmt.Sprint(v["tool_name"]))
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			add(knownIn(v[name])...)
		}
	}
	return tools
}
