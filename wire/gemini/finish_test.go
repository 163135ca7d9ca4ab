package gemini_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/gemini"
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
		require.Equal(t, want, (&gemini.Message{StopReason: reason}).Finish(), reason)
	}
	calls := []pegboard.Call{{Name: "clock"}}
	require.Equal(t, pegboard.FinishToolCalls, (&gemini.Message{StopReason: "STOP", Calls: calls}).Finish())
	require.Equal(t, pegboard.FinishLength, (&gemini.Message{StopReason: "MAX_TOKENS", Calls: calls}).Finish())
	require.Equal(t, pegboard.FinishFilter, (&gemini.Message{StopReason: "OTHER", Blocked: true}).Finish())
}
