package results_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/results"
)

// A unit test that calls the tool directly gets an error, not a panic.
func TestReviewWithoutSession(t *testing.T) {
	t.Parallel()
	tool := results.Read(results.Options{})
	require.NotPanics(t, func() {
		_, err := tool.Call(t.Context(), &pegboard.Call{ID: "1", Name: "ReadResult", Input: []byte(`{"ref":"x"}`)})
		require.Error(t, err)
	})
}
