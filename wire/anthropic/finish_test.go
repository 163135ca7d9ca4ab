package anthropic_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

func TestFinish(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]pegboard.FinishReason{
		"end_turn": pegboard.FinishStop, "stop_sequence": pegboard.FinishStop, "pause_turn": pegboard.FinishStop,
		"tool_use": pegboard.FinishToolCalls, "max_tokens": pegboard.FinishLength,
		"model_context_window_exceeded": pegboard.FinishLength, "refusal": pegboard.FinishFilter,
		"": pegboard.FinishError, "a reason of next year": pegboard.FinishError,
	} {
		_, m, err := read(strings.NewReader(fmt.Sprintf(`{"type":"message","content":[],"stop_reason":%q}`, reason)))
		require.NoError(t, err)
		require.Equal(t, want, m.Finish, reason)
	}
}
