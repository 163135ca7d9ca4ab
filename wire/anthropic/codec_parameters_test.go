package anthropic_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
)

// TestParametersHaveOtherNames in requests and replies if the API does not take theirs.
func TestParametersHaveOtherNames(t *testing.T) {
	t.Parallel()
	find := tool(t, "find", "", `{"type":"object","properties":{"$x":{"type":"boolean"}},"required":["$x"]}`)
	var r pegboard.Registry
	require.NoError(t, r.Add(find))
	pool := r.AssemblePool(session(t), pegboard.PoolConfig{})
	c := anthropic.New(pool, anthropic.Config{})
	require.Empty(t, c.Omitted())
	require.Contains(t, string(c.Tools()), `"_x":{`)
	require.Contains(t, string(c.Tools()), `"required":["_x"]`)
	m, err := c.Read(strings.NewReader(stream(start, begin(0, use("toolu_1", "find")), partial(0, `{"_x":`), partial(0, `true}`), end(0), because("tool_use"), stop))).Message()
	require.NoError(t, err)
	require.Equal(t, `{"$x":true}`, string(m.Calls[0].Input))
	require.Contains(t, string(only(m.History)), "_x", "the history is as the model wrote it")
}
