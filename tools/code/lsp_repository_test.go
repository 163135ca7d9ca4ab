package code_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/code"
)

// TestLSPOfThisRepository holds gopls on this repository against a table made by hand. Places
// are named by their text, which moves less than their lines.
func TestLSPOfThisRepository(t *testing.T) {
	t.Parallel()
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	server := gopls(t)
	server.Request = 5 * time.Minute // nothing is cached in a new environment
	permissions := acceptEdits(t).WithDirectories(pegboard.AddedDirectory{Path: dir})
	g := newGround(t, code.Options{Servers: []code.Server{server}}, pegboard.SessionConfig{Permissions: permissions}, map[string]string{"a.txt": ""})
	require.NoError(t, g.session.SetDir(dir))
	tests := []struct {
		name, operation string
		file, at        string // the position is that of the last word of at
		want            []string
	}{
		{name: "function of another package", operation: "goToDefinition", file: "tools/code/conversation.go", at: "languageserver.NewPool", want: []string{"tools/internal/languageserver/pool.go\n", ": func NewPool() *Pool"}},
		{name: "type of the root", operation: "goToDefinition", file: "tools/code/lsp.go", at: "pegboard.Traits", want: []string{"info.go\n", ": type Traits struct {"}},
		{name: "method", operation: "goToDefinition", file: "tools/code/question.go", at: "q.call.Behavior", want: []string{"call.go\n", ": func (c *Call) Behavior(t Target) Behavior {"}},
		{name: "hover", operation: "hover", file: "tools/code/lsp.go", at: "pegboard.Traits", want: []string{"type Traits struct"}},
		{name: "references", operation: "findReferences", file: "tools/code/file_lines.go", at: "func decoded", want: []string{"tools/code/file_lines.go\n", "bufio.NewReader(decoded(file))"}},
		{name: "outgoing calls", operation: "outgoingCalls", file: "tools/code/file_lines.go", at: "func readLines", want: []string{"internal/realpath/", "function Open"}},
	}
	for _, tt := range tests {
		line, character := placeOf(t, filepath.Join(dir, tt.file), tt.at)
		out := g.ask(t, tt.operation, tt.file, line, character)
		require.NoError(t, out.Err, tt.name)
		for _, want := range tt.want {
			require.Contains(t, out.Result.Text(), want, tt.name)
		}
	}
}

// placeOf returns where the last word of a text is in a file.
func placeOf(t *testing.T, path, text string) (line, character int) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	before, _, found := strings.Cut(string(data), text)
	require.True(t, found, text)
	before += text[:strings.LastIndexAny(text, " .")+1]
	return strings.Count(before, "\n") + 1, len([]rune(before[strings.LastIndex(before, "\n")+1:])) + 1
}
