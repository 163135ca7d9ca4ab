package anthropic_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
)

// TestFinishOfBrokenReply reads replies that say how they ended, and are not whole:
// nothing that writes may run on them.
func TestFinishOfBrokenReply(t *testing.T) {
	t.Parallel()
	begun := stream(start, begin(0, use("a", "clock")), end(0), because("tool_use"))
	tests := []struct {
		name string
		body string
		err  error
	}{
		{name: "no message_stop", body: begun, err: wire.ErrTruncated},
		{name: "no JSON follows", body: begun + "event: message_delta\ndata: x\n\n", err: wire.ErrMalformed},
		{name: "an error follows", body: begun + stream(`{"type":"error","error":{"type":"overloaded_error","message":"later"}}`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, m, err := read(strings.NewReader(tt.body))
			if tt.err == nil {
				var refused *wire.APIError
				require.ErrorAs(t, err, &refused)
			} else {
				require.ErrorIs(t, err, tt.err)
			}
			require.Len(t, m.Calls, 1)
			require.Empty(t, m.StopReason)
			require.Equal(t, pegboard.FinishError, m.Finish)
		})
	}
}

// TestTooManyBlocks reads a reply whose blocks are many and small.
func TestTooManyBlocks(t *testing.T) {
	t.Parallel()
	body := `{"type":"message","id":"m","stop_reason":"end_turn","content":[` + strings.Repeat("{},", 1<<17) + `{}]}`
	_, m, err := read(strings.NewReader(body))
	require.ErrorIs(t, err, wire.ErrMalformed)
	require.ErrorContains(t, err, "more than 131072 content blocks")
	require.Equal(t, pegboard.FinishError, m.Finish)
}

// TestTextOfAnyType sends text whose media type is not one of text, as sources have
// it for resources.
func TestTextOfAnyType(t *testing.T) {
	t.Parallel()
	_, m, err := read(strings.NewReader(stream(start, begin(0, use("a", "clock")), end(0), because("tool_use"), stop)))
	require.NoError(t, err)
	got := only(new(anthropic.Codec).Results(m, []pegboard.Outcome{{Call: &m.Calls[0], Result: &pegboard.Result{Parts: []pegboard.Part{
		{MIME: "application/json", Text: "[1]"}, {MIME: "a b", Text: "c", Title: "d"},
	}}}}))
	require.Equal(t, fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[%s,%s]}]}`, `{"type":"text","text":"[1]"}`,
		`{"type":"document","source":{"type":"text","media_type":"text/plain","data":"c"},"title":"d"}`), string(got))
}

// TestTooManyMembers reads deltas that are made to take long.
func TestTooManyMembers(t *testing.T) {
	t.Parallel()
	var all, each []string
	for i := range 1000 {
		all = append(all, fmt.Sprintf(`"m%d":"x"`, i))
		each = append(each, fmt.Sprintf(`{"type":"content_block_delta","index":0,"delta":{"type":"x_delta","m%d":"x"}}`, i))
	}
	for _, deltas := range [][]string{each, {`{"type":"content_block_delta","index":0,"delta":{"type":"x_delta",` + strings.Join(all, ",") + `}}`}} {
		events := append([]string{start, begin(0, `{"type":"x"}`)}, deltas...)
		_, _, err := read(strings.NewReader(stream(append(events, end(0), because("end_turn"), stop)...)))
		require.ErrorIs(t, err, wire.ErrMalformed)
		require.ErrorContains(t, err, "more than 256 members")
	}
}

// TestOneNamePerCall reads calls whose name readers could differ on. What is handed
// out is what History says.
func TestOneNamePerCall(t *testing.T) {
	t.Parallel()
	_, _, err := read(strings.NewReader(stream(start, begin(0, `{"type":"tool_use","id":"a","name":"clock","name":"rm","input":{}}`), end(0), because("tool_use"), stop)))
	require.ErrorIs(t, err, wire.ErrMalformed)

	_, m, err := read(strings.NewReader(stream(start, begin(0, `{"type":"tool_use","id":"a","name":"clock","NAME":"rm","input":{}}`), end(0), because("tool_use"), stop)))
	require.NoError(t, err)
	require.Equal(t, "clock", m.Calls[0].Name)
}
