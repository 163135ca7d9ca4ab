package tooltest_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// TestSchemasOfOthersPassCheck checks one tool for each function that others
// described, with a call that they call valid: Check must find no fault with any
// that it can be built from.
func TestSchemasOfOthersPassCheck(t *testing.T) {
	t.Parallel()
	for _, folder := range corpus.Folders(t, "mcp-schemas", "bfcl") {
		inputs := validInputs(t, filepath.Join(folder, "bfcl", "calls.jsonl"))
		checked, unbuilt, without := 0, 0, 0
		for n, line := range corpus.Lines(t, filepath.Join(folder, "bfcl", "functions.jsonl")) {
			var f struct {
				ID, Name   string
				Parameters json.RawMessage
			}
			require.NoError(t, json.Unmarshal(line, &f))
			tool, err := pegboard.BuildRaw(f.Parameters, pegboard.Definition[json.RawMessage, *pegboard.Result]{
				Info: pegboard.Info{Name: f.Name}, Call: nothing,
			})
			switch input, ok := inputs[f.ID]; {
			case err != nil:
				unbuilt++
			case !ok:
				without++
			default:
				checked++
				require.NoError(t, tooltest.Check(tool, input), "functions.jsonl:%d", n)
			}
		}
		corpus.Report(t, folder, "%d tools pass, %d have no valid call, %d cannot be built", checked, without, unbuilt)
	}
}

// validInputs returns one input for each function that has any.
func validInputs(t *testing.T, path string) map[string]string {
	t.Helper()
	inputs := map[string]string{}
	for _, line := range corpus.Lines(t, path) {
		var c struct {
			FunctionID string `json:"function_id"`
			Valid      bool
			Arguments  json.RawMessage
		}
		require.NoError(t, json.Unmarshal(line, &c))
		if c.Valid {
			inputs[c.FunctionID] = string(c.Arguments)
		}
	}
	return inputs
}
