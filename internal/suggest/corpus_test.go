package suggest_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/shellparse"
	"github.com/seed49eaa51d/pegboard/internal/suggest"
)

// shellRow is a row of shell.jsonl. Its answer is for judging, not for proposing.
type shellRow struct {
	ID, Class, Kind, Shell, Command, Expect, Not string
	Rules                                        struct{ Allow []string }
}

// refuses reports whether allowing the line is a failure.
func (r shellRow) refuses() bool {
	return r.Kind == "attack" && (r.Not == "allow" || r.Not == "" && r.Expect != "allow" && r.Expect != "any")
}

func (r shellRow) parse() shellparse.Line {
	env := shellparse.Env{Dir: "/root/proj", Home: "/root/home"}
	if r.Shell == "zsh" {
		env.Shell = shellparse.Zsh
	}
	return shellparse.Parse(strings.ReplaceAll(r.Command, "{{ROOT}}", "/root"), env)
}

// TestCorpusShell: what is proposed for everyday lines covers them, and covers no
// whole attack of the same program.
func TestCorpusShell(t *testing.T) {
	t.Parallel()
	for _, folder := range corpus.Folders(t) {
		rows := map[bool][]shellRow{} // by whether to refuse them
		for _, line := range corpus.Lines(t, filepath.Join(folder, "security", "shell.jsonl")) {
			var row shellRow
			require.NoError(t, json.Unmarshal(line, &row))
			if row.Kind == "benign" || row.refuses() {
				rows[row.refuses()] = append(rows[row.refuses()], row)
			}
		}
		commands, specs := proposeFor(t, rows[false])
		var n struct{ doubted, redirected, first int }
		for _, row := range rows[true] {
			line := row.parse()
			for _, spec := range specs {
				switch {
				case !wholly(t, spec, line):
				case line.Unknown != "":
					n.doubted++ // asked about whatever the rules say
				case slices.ContainsFunc(line.Paths, func(p shellparse.Path) bool { return p.Write }):
					n.redirected++ // a rule on commands says nothing of where they write to
				case len(row.Rules.Allow) == 0 && (spec == row.Command || row.Class == "git-mutation"):
					n.first++ // the same command, before anybody was asked
				default:
					require.Fail(t, "an attack is covered", "%s %s: %q by %q", row.ID, row.Class, row.Command, spec)
				}
			}
		}
		prefixes := slices.DeleteFunc(slices.Clone(specs), func(s string) bool { return !strings.HasSuffix(s, " *") })
		corpus.Report(t, folder, "%d benign rows, %d commands, %d specifiers for those to ask about, %d of them prefixes %q", len(rows[false]), commands, len(specs), len(prefixes), prefixes)
		corpus.Report(t, folder, "%d attacks, covered: %d not understood, %d to other files, %d the command itself, 0 else", len(rows[true]), n.doubted, n.redirected, n.first)
		require.NotEmpty(t, rows[true])
	}
}

// proposeFor returns how many commands rows hold, and what is proposed for those
// that a person would be asked about.
func proposeFor(t *testing.T, rows []shellRow) (commands int, specs []string) {
	t.Helper()
	for _, row := range rows {
		for _, c := range row.parse().Commands {
			commands++
			found := suggest.Command("Bash", c.Text)
			requireProven(t, "Bash", c.Text, found)
			if c.Class != shellparse.ReadOnly {
				specs = append(specs, found...)
			}
		}
	}
	require.Equal(t, len(rows) == 0, len(specs) == 0)
	slices.Sort(specs)
	return commands, slices.Compact(specs)
}

// wholly reports whether a rule covers all commands of a line.
func wholly(t *testing.T, spec string, line shellparse.Line) bool {
	t.Helper()
	return len(line.Commands) > 0 && !slices.ContainsFunc(line.Commands, func(c shellparse.Command) bool { return !covers(t, spec, c) })
}
