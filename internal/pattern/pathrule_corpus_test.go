package pattern_test

import (
	"encoding/json"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

// corpusRow is a row about paths, as far as spelling and rules decide it.
type corpusRow struct {
	ID, Class, Platform, Mode, Op, Path, Expect, Not string
	Rules                                            map[string][]string
	Fixture                                          struct{ Symlinks map[string]string }
}

// TestCorpusPaths decides the rows of a corpus that no disk is needed for, on
// their own platforms, with no more than this package: doubts, protected paths,
// rules and the working directory.
func TestCorpusPaths(t *testing.T) {
	t.Parallel()
	classes := []string{"rule-anchor", "case", "windows", "unicode", "prefix-collision", "protected", "benign"}
	all := 0
	for _, folder := range corpus.Folders(t) {
		decided := 0
		for _, line := range corpus.Lines(t, filepath.Join(folder, "security", "path.jsonl")) {
			var row corpusRow
			require.NoError(t, json.Unmarshal(line, &row))
			onDisk := len(row.Fixture.Symlinks) > 0 || strings.Contains(row.Path, "junction")
			if !slices.Contains(classes, row.Class) || onDisk || row.Expect == "any" {
				continue
			}
			for name := range strings.SplitSeq(row.Platform, "|") {
				got := row.decide(map[string]pattern.Platform{"darwin": pattern.Darwin, "windows": pattern.Windows}[name])
				decided++
				if row.Not != "" {
					require.NotEqual(t, row.Not, got, "%s on %s", row.ID, name)
				} else {
					require.Equal(t, row.Expect, got, "%s on %s", row.ID, name)
				}
			}
		}
		corpus.Report(t, folder, "%d rows decided", decided)
		all += decided
	}
	require.NotZero(t, all)
}

func (row corpusRow) decide(p pattern.Platform) string {
	b := pattern.Base{Dir: "/root/proj", Root: "/root/proj", Home: "/root/home", Platform: p}
	if p == pattern.Windows {
		b = pattern.Base{Dir: `C:\root\proj`, Root: `C:\root\proj`, Home: `C:\root\home`, Platform: p}
	}
	dir, _ := pattern.Canonical(p, b.Dir)
	root := path.Dir(dir)
	name, doubt := pattern.Canonical(p, strings.ReplaceAll(row.Path, "{{ROOT}}", root))
	if !path.IsAbs(name) {
		name = path.Join(dir, name)
	}
	name = path.Clean(name)
	x := pattern.Subject{Kind: pattern.Path, Write: row.Op != "read", Names: []string{name}}
	_, protected := pattern.Protected(p, name)
	inside := strings.HasPrefix(name, dir+"/") || strings.HasPrefix(name, root+"/lib/") // the second is an additional directory
	switch {
	case row.rule("deny", root, func(s pattern.Spec) bool { return s.Touches(x, b) }):
		return "deny"
	case row.rule("ask", root, func(s pattern.Spec) bool { return s.Touches(x, b) }):
		return "ask"
	case doubt != "", x.Write && protected:
		return "ask"
	case row.rule("allow", root, func(s pattern.Spec) bool { return s.Covers(x, b) }), inside && (!x.Write || row.Mode == "acceptEdits"):
		return "allow"
	}
	return "ask"
}

// rule reports whether a rule with a specifier is about the row's path. Rules that
// do not parse are about nothing.
func (row corpusRow) rule(list, root string, about func(pattern.Spec) bool) bool {
	return slices.ContainsFunc(row.Rules[list], func(rule string) bool {
		tool, rest, _ := strings.Cut(strings.ReplaceAll(rule, "{{ROOT}}", root), "(")
		text, whole := strings.CutSuffix(rest, ")")
		if rest == "" {
			return strings.EqualFold(tool, row.Op)
		}
		s, err := pattern.Parse(tool, text)
		return whole && err == nil && about(s)
	})
}
