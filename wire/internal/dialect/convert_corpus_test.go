package dialect_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/schema"
	"github.com/seed49eaa51d/pegboard/wire/internal/dialect"
)

func dialects() []dialect.Dialect {
	return []dialect.Dialect{
		dialect.Anthropic, dialect.AnthropicStrict, dialect.OpenAI, dialect.OpenAIStrict, dialect.GeminiSchema, dialect.GeminiJSON,
	}
}

// TestSchemasInEveryDialect converts every real schema. A checker that shares no
// code finds nothing wrong with what comes out, and what cannot be converted has a
// reason.
func TestSchemasInEveryDialect(t *testing.T) {
	for _, folder := range corpus.Folders(t, "mcp-schemas", "bfcl") {
		for _, file := range []string{"bfcl/functions.jsonl", "mcp-schemas/tools.jsonl"} {
			tallies := map[dialect.Dialect]*tally{}
			for _, d := range dialects() {
				tallies[d] = &tally{reasons: map[string]int{}}
			}
			all, skipped := compiled(t, filepath.Join(folder, filepath.FromSlash(file)))
			for _, row := range all {
				for d, n := range tallies {
					n.add(t, row, d)
				}
			}
			corpus.Report(t, folder, "%s: %d schemas, %d that do not compile are skipped", file, len(all), skipped)
			for _, d := range dialects() {
				corpus.Report(t, folder, "%s: %-29s %s", file, d.String()+":", tallies[d])
				require.Positive(t, tallies[d].converted)
			}
			for _, d := range []dialect.Dialect{dialect.OpenAI} {
				require.Empty(t, tallies[d].reasons, "%s", d)
			}
		}
	}
}

// row is a definition of the corpus.
type row struct {
	id     string
	raw    json.RawMessage
	schema *schema.Schema
}

// compiled returns the schemas of a file that tools can be built with.
func compiled(t *testing.T, path string) (all []row, skipped int) {
	t.Helper()
	for n, line := range corpus.Lines(t, path) {
		var r struct {
			ID         string          `json:"id"`
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
		}
		require.NoError(t, json.Unmarshal(line, &r))
		s, err := schema.Compile(r.Parameters)
		if err != nil {
			skipped++
			continue
		}
		all = append(all, row{id: cmp.Or(r.ID, fmt.Sprintf("%s:%d", r.Name, n)), raw: s.Bytes(), schema: s})
	}
	return all, skipped
}

// tally counts what became of schemas in one dialect.
type tally struct {
	converted, lossless int
	reasons             map[string]int
}

func (n *tally) add(t *testing.T, r row, d dialect.Dialect) {
	t.Helper()
	before := string(r.raw)
	c, err := dialect.Convert(r.raw, d)
	require.Equal(t, before, string(r.raw))
	if err != nil {
		var refusal *dialect.RefusalError
		require.ErrorAs(t, err, &refusal, "%s", r.id)
		require.NotEmpty(t, refusal.Reason)
		n.reasons[refusal.Reason]++
		return
	}
	n.converted++
	if len(c.Lost) == 0 {
		n.lossless++
	}
	require.Empty(t, check(t, c.Schema, d), "%s in %s\n%s\n%s", r.id, d, r.raw, c.Schema)
	again, err := dialect.Convert(r.raw, d)
	require.NoError(t, err)
	require.Equal(t, string(c.Schema), string(again.Schema))
	require.Equal(t, d == dialect.OpenAIStrict, c.Nulls)
}

func (n *tally) String() string {
	refused := 0
	for _, count := range n.reasons {
		refused += count
	}
	text := fmt.Sprintf("%4d converted, %4d lossless, %3d weakened, %3d refused", n.converted, n.lossless, n.converted-n.lossless, refused)
	var why []string
	for _, reason := range slices.SortedFunc(maps.Keys(n.reasons), func(a, b string) int {
		return cmp.Or(n.reasons[b]-n.reasons[a], strings.Compare(a, b))
	}) {
		why = append(why, fmt.Sprintf("%d× %s", n.reasons[reason], reason))
	}
	if len(why) > 0 {
		text += ": " + strings.Join(why, ", ")
	}
	return text
}
