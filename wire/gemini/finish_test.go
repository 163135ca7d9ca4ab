package gemini_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

func TestFinish(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]pegboard.FinishReason{
		"STOP": pegboard.FinishStop, "MAX_TOKENS": pegboard.FinishLength,
		"SAFETY": pegboard.FinishFilter, "RECITATION": pegboard.FinishFilter, "BLOCKLIST": pegboard.FinishFilter,
		"PROHIBITED_CONTENT": pegboard.FinishFilter, "SPII": pegboard.FinishFilter, "LANGUAGE": pegboard.FinishFilter,
		"IMAGE_SAFETY": pegboard.FinishFilter, "MODEL_ARMOR": pegboard.FinishFilter,
		"MALFORMED_FUNCTION_CALL": pegboard.FinishError, "UNEXPECTED_TOOL_CALL": pegboard.FinishError,
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
