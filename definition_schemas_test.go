package pegboard_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
)

type definitionRow struct {
	ID          string          `json:"id"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Server      string          `json:"server"`
}

// TestSchemas takes real definitions through BuildRaw and Attach, and real calls through
// an Executor. A call runs if its row says that it is valid; else it is answered as
// invalid input.
func TestSchemas(t *testing.T) {
	for _, folder := range corpus.Folders(t, "mcp-schemas", "bfcl") {
		registered, quarantined := attachAll(t, filepath.Join(folder, "mcp-schemas", "tools.jsonl"))
		corpus.Report(t, folder, "mcp-schemas: %d definitions offered, %d quarantined", registered, quarantined)

		pool := functions(t, filepath.Join(folder, "bfcl", "functions.jsonl"))
		for _, file := range []string{"calls.jsonl", "calls_mutated.jsonl"} {
			valid, invalid := verdicts(t, pool, filepath.Join(folder, "bfcl", file))
			corpus.Report(t, folder, "bfcl/%s: %d definitions; %d valid calls ran, %d invalid ones did not", file, pool.Len(), valid, invalid)
		}
	}
}

// attachAll attaches every definition from its own server and counts the tools that a
// pool then offers.
func attachAll(t *testing.T, path string) (offered, quarantined int) {
	t.Helper()
	var reg pegboard.Registry
	servers := map[string][]pegboard.Tool{}
	rows := 0
	for _, line := range corpus.Lines(t, path) {
		var row definitionRow
		require.NoError(t, json.Unmarshal(line, &row))
		rows++
		// Rows of one server repeat a name with another description; each counts.
		name := fmt.Sprintf("%s#%d", row.Name, rows)
		tool, err := pegboard.BuildRaw(row.Parameters, pegboard.Definition[json.RawMessage, *pegboard.Result]{
			Info: pegboard.Info{Name: name}, Description: row.Description, Call: nothing,
		})
		if err != nil {
			var be *pegboard.BuildError
			require.ErrorAs(t, err, &be)
			require.Equal(t, "input schema", be.Field)
			tool = pegboard.InvalidTool(name, err)
		}
		servers[row.Server] = append(servers[row.Server], tool)
	}
	for server, tools := range servers {
		report, err := reg.Attach(server, tools...)
		require.NoError(t, err)
		for name, err := range report.Quarantined {
			quarantined++
			t.Logf("quarantined %s: %v", name, err)
		}
	}
	pool := reg.AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{})
	require.Equal(t, rows, pool.Len()+quarantined, "every definition is offered or quarantined")
	return pool.Len(), quarantined
}

func nothing(ctx, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) { return nil, nil }

// functions registers every definition under its id.
func functions(t *testing.T, path string) *pegboard.Pool {
	t.Helper()
	var tools []pegboard.Tool
	for _, line := range corpus.Lines(t, path) {
		var row definitionRow
		require.NoError(t, json.Unmarshal(line, &row))
		tool, err := pegboard.BuildRaw(row.Parameters, pegboard.Definition[json.RawMessage, *pegboard.Result]{
			Info: pegboard.Info{Name: row.ID}, Description: row.Description,
			Traits: pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared}, Call: nothing,
		})
		require.NoError(t, err, row.Name)
		tools = append(tools, tool)
	}
	var reg pegboard.Registry
	require.NoError(t, reg.Add(tools...))
	return reg.AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{})
}

// verdicts runs every call and compares the outcome with the row. With the repairs that are
// on by default, an invalid call may run too, and its outcome then lists what was repaired.
func verdicts(t *testing.T, pool *pegboard.Pool, path string) (valid, invalid int) {
	t.Helper()
	strict := executor(pegboard.Executor{Repair: pegboard.Repair{NoScalars: true}})
	repairing := executor(pegboard.Executor{})
	for n, line := range corpus.Lines(t, path) {
		var row struct {
			Arguments  json.RawMessage `json:"arguments"`
			FunctionID string          `json:"function_id"`
			Valid      bool            `json:"valid"`
			Error      string          `json:"error"`
		}
		require.NoError(t, json.Unmarshal(line, &row))
		call := pegboard.Call{Name: row.FunctionID, Input: row.Arguments}
		out, repaired := strict.Run(t.Context(), pool, call)[0], repairing.Run(t.Context(), pool, call)[0]
		if row.Valid {
			valid++
			require.NoError(t, out.Err, "%s:%d", path, n)
			require.Empty(t, repaired.Repairs, "%s:%d", path, n)
			continue
		}
		require.Equal(t, repaired.Err == nil, len(repaired.Repairs) > 0, "%s:%d: %v", path, n, repaired.Err)
		invalid++
		require.ErrorIsf(t, out.Err, pegboard.ErrInvalidInput, "%s:%d ran although: %s", path, n, row.Error)
		require.NotContains(t, out.Result.Text(), "mem://")
	}
	return valid, invalid
}
