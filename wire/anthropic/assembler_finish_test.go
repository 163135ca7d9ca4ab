package anthropic_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
)

func TestFinish(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]pegboard.FinishReason{
		"end_turn": pegboard.FinishStop, "stop_sequence": pegboard.FinishStop, "pause_turn": pegboard.FinishPause,
		"tool_use": pegboard.FinishToolCalls, "max_tokens": pegboard.FinishLength,
		"model_context_window_exceeded": pegboard.FinishLength, "refusal": pegboard.FinishFilter,
		"": pegboard.FinishError, "a reason of next year": pegboard.FinishError,
	} {
		_, m, err := read(strings.NewReader(fmt.Sprintf(`{"type":"message","content":[],"stop_reason":%q}`, reason)))
		require.NoError(t, err)
		require.Equal(t, want, m.Finish, reason)
	}
}

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
