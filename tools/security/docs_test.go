package security_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// shown are the rows whose traces stand in the documentation.
var shown = []string{"sh-0196", "sh-0323", "sh-1113"}

const permissionsDoc = "../../docs/permissions.md"

// TestDocumentShowsTraces compares the traces in the documentation with those of
// today. Run with PEGBOARD_UPDATE=1 to write them anew.
func TestDocumentShowsTraces(t *testing.T) {
	t.Parallel()
	src := source{folder: "testdata"}
	b := newBase(t, src)
	rows := map[string]shellRow{}
	for _, line := range corpus.Lines(t, filepath.Join(src.folder, "shell.jsonl")) {
		var row shellRow
		var a answer
		require.NoError(t, json.Unmarshal(line, &row))
		require.NoError(t, json.Unmarshal(line, &a))
		rows[a.ID] = row
	}
	var text strings.Builder
	for _, id := range shown {
		text.WriteString(rows[id].document(t, b))
	}
	doc, err := os.ReadFile(permissionsDoc)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(doc), "<!-- traces -->\n")
	require.True(t, ok)
	now, after, ok := strings.Cut(rest, "<!-- end of traces -->")
	require.True(t, ok)
	if os.Getenv("PEGBOARD_UPDATE") != "" {
		require.NoError(t, os.WriteFile(permissionsDoc, []byte(before+"<!-- traces -->\n"+text.String()+"<!-- end of traces -->"+after), 0o644)) //nolint:gosec // a document
		return
	}
	require.Equal(t, text.String(), now, "the document has drifted; run PEGBOARD_UPDATE=1 go test -run Document ./tools/security")
}

// document returns the trace of a row as a part of the documentation.
func (r shellRow) document(t *testing.T, b base) string {
	t.Helper()
	tr := tree{root: b.folder}
	if r.Fixture != nil {
		tr = b.grow(t, *r.Fixture, "proj")
	}
	s := sessionIn(t, tr, "proj", pegboard.SessionConfig{Permissions: permissions(t, r.Mode, r.Rules.set(t, tr.fill))})
	line := tr.fill(r.Command)
	trace := pool(t, s, shell.Bash(shell.Options{})).ExplainDecision(t.Context(), call(t, "Bash", map[string]string{"command": line}))
	var rules []string
	for _, rule := range s.Permissions().Rules() {
		rules = append(rules, fmt.Sprintf("%v %s", rule.Behavior, rule))
	}
	if rules == nil {
		rules = []string{"no rules"}
	}
	if strings.Contains(line, "\n") {
		line = strconv.Quote(line)
	}
	text := fmt.Sprintf("`%s` with %s:\n\n```\n%s```\n\n", line, strings.Join(rules, ", "), trace)
	return strings.ReplaceAll(text, tr.root, "")
}
