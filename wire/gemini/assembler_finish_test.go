package gemini_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
)

func TestFinish(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]pegboard.FinishReason{
		"STOP": pegboard.FinishStop, "MAX_TOKENS": pegboard.FinishLength,
		"SAFETY": pegboard.FinishFilter, "RECITATION": pegboard.FinishFilter, "BLOCKLIST": pegboard.FinishFilter,
		"PROHIBITED_CONTENT": pegboard.FinishFilter, "SPII": pegboard.FinishFilter, "LANGUAGE": pegboard.FinishFilter,
		"IMAGE_SAFETY": pegboard.FinishFilter, "MODEL_ARMOR": pegboard.FinishFilter,
		"MALFORMED_FUNCTION_CALL": pegboard.FinishBadCall, "UNEXPECTED_TOOL_CALL": pegboard.FinishBadCall, "TOO_MANY_TOOL_CALLS": pegboard.FinishBadCall,
		"OTHER": pegboard.FinishError, "": pegboard.FinishError, "A_REASON_OF_NEXT_YEAR": pegboard.FinishError,
	} {
		require.Equal(t, want, finishOf(ends(reason)), reason)
	}
	require.Equal(t, pegboard.FinishToolCalls, finishOf(ends("STOP", calls("clock", "{}"))))
	require.Equal(t, pegboard.FinishLength, finishOf(ends("MAX_TOKENS", calls("clock", "{}"))))
	require.Equal(t, pegboard.FinishFilter, finishOf(`{"promptFeedback":{"blockReason":"OTHER"}}`))
}

// finishOf reads a reply, which may be cut.
func finishOf(reply string) pegboard.FinishReason {
	_, m, _ := read(strings.NewReader(reply))
	return m.Finish
}

// TestFinishOfBrokenReply reads replies that say how they ended, and are not whole:
// nothing that writes may run on them.
func TestFinishOfBrokenReply(t *testing.T) {
	t.Parallel()
	clock := calls("clock", "{}")
	tests := []struct {
		name string
		body string
		err  error
	}{
		{name: "a call is open", body: stream(ends("STOP", clock, begins("f"))), err: wire.ErrTruncated},
		{name: "no JSON follows", body: stream(ends("STOP", clock), "x"), err: wire.ErrMalformed},
		{name: "the array is cut", body: "[" + ends("STOP", clock) + ",", err: wire.ErrTruncated},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, m, err := read(strings.NewReader(tt.body))
			require.ErrorIs(t, err, tt.err)
			require.Len(t, m.Calls, 1)
			require.Empty(t, m.StopReason)
			require.Equal(t, pegboard.FinishError, m.Finish)
		})
	}
	_, m, err := read(strings.NewReader(stream(ends("MAX_TOKENS", clock), ends("STOP"))))
	require.NoError(t, err)
	require.Equal(t, pegboard.FinishLength, m.Finish, "a later STOP does not take it back")
}
