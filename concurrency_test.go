package pegboard_test

import (
	"go/ast"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLocksStandInTheirOrder holds the tables of docs/concurrency.md against the mutexes of
// the engine, of the MCP bridge, of the agents, of the skills and of the workflows: none is missing, and none is listed that is gone.
func TestLocksStandInTheirOrder(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("docs/concurrency.md")
	require.NoError(t, err)
	files, err := parseModule(os.DirFS("."))
	require.NoError(t, err)
	tests := []struct {
		table string // its first cell
		holds func(goFile) bool
	}{
		{table: "lock", holds: func(f goFile) bool { return f.folder == "." || engineFolders[f.folder] }},
		{table: "lock of `tools/mcp`", holds: func(f goFile) bool { return f.below("tools/mcp") }},
		{table: "lock of `tools/skills`", holds: func(f goFile) bool { return f.below("tools/skills") }},
		{table: "lock of `tools/workflow`", holds: func(f goFile) bool { return f.below("tools/workflow") }},
		{table: "lock of `tools/agents`", holds: func(f goFile) bool { return f.below("tools/agents") }},
	}
	for _, tt := range tests {
		t.Run(tt.table, func(t *testing.T) {
			t.Parallel()
			locks := map[string]bool{}
			for _, file := range files {
				if tt.holds(file) {
					maps.Copy(locks, mutexFields(file))
				}
			}
			require.Equal(t, listedLocks(t, string(text), tt.table), locks)
		})
	}
}

// listedLocks returns the names in the first column of a table of locks.
func listedLocks(t *testing.T, text, first string) map[string]bool {
	t.Helper()
	_, table, found := strings.Cut(text, "| "+first+" | guards | held while |\n")
	require.True(t, found)
	listed := map[string]bool{}
	for row := range strings.Lines(table) {
		if !strings.HasPrefix(row, "|") {
			break
		}
		names := strings.Split(row, "|")[1]
		for i, name := range strings.Split(names, "`") {
			if i%2 == 1 && name != "Closers.turn" {
				listed[name] = true
			}
		}
	}
	delete(listed, "values.init") // a map of locks
	return listed
}

// engineFolders are the internal packages whose locks the engine holds together
// with its own.
var engineFolders = map[string]bool{
	"internal/lane": true, "internal/lifetime": true, "internal/asking": true, "internal/breaker": true, "internal/throttle": true,
}

// mutexFields yields the fields of structs that are mutexes, as Type.field.
func mutexFields(file goFile) map[string]bool {
	fields := map[string]bool{}
	for n := range ast.Preorder(file.syntax) {
		declared, ok := n.(*ast.TypeSpec)
		if !ok {
			continue
		}
		structure, ok := declared.Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, field := range structure.Fields.List {
			selector, ok := field.Type.(*ast.SelectorExpr)
			if !ok {
				continue
			}
			switch qualifierOf(selector) + "." + selector.Sel.Name {
			case "lock.Mutex", "sync.Mutex", "sync.RWMutex":
				for _, name := range field.Names {
					fields[declared.Name.Name+"."+name.Name] = true
				}
			}
		}
	}
	return fields
}
