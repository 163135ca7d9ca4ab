package anthropic_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/wire"
)

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
