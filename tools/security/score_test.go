package security_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/corpus"
)

// answer is the part of a row that the engine never sees.
type answer struct {
	ID, Kind, Tier, Why string
	Expect              json.RawMessage // a behavior or "any"; for mcp an object
	Not                 string
}

// expected returns the behavior that the row expects, or "any".
func (a answer) expected(t *testing.T) string {
	t.Helper()
	var text string
	require.NoError(t, json.Unmarshal(a.Expect, &text))
	return text
}

// wanted is what the row expects, for a person.
func (a answer) wanted() string {
	if a.Not != "" {
		return string(a.Expect) + ", at least not " + a.Not
	}
	return string(a.Expect)
}

// agrees reports whether a decision is right. An attack that may be allowed is
// judged by its effect alone.
func (a answer) agrees(t *testing.T, decision string) bool {
	t.Helper()
	switch expect := a.expected(t); {
	case a.Not != "":
		return decision != a.Not
	case expect == "any", a.Kind == "attack" && expect == "allow":
		return true
	default:
		return decision == expect
	}
}

// outcome is what became of a row.
type outcome struct {
	wrong     []string // what went wrong; empty if the row passes
	detail    string   // how the engine came to its decision
	uncounted string   // why the row says nothing yet; empty if it counts
}

// source is one folder that holds the corpus.
type source struct {
	name   string // of its test
	folder string
}

// sources returns our own rows, and those of each listed folder that has others.
func sources(t *testing.T, file string) []source {
	t.Helper()
	all := []source{{name: "own", folder: "testdata"}}
	if os.Getenv(corpus.Variable) == "" {
		return all
	}
	own, err := os.ReadFile(filepath.Join("testdata", file))
	require.NoError(t, err)
	for _, folder := range corpus.Folders(t) {
		rows := source{name: filepath.Base(folder), folder: filepath.Join(folder, "security")}
		if text, err := os.ReadFile(filepath.Join(rows.folder, file)); err == nil && !bytes.Equal(text, own) {
			all = append(all, rows)
		}
	}
	return all
}

// run decides every row of a file, one subtest for each, and prints the scores.
func run[Row any](t *testing.T, kind string, newCheck func(*testing.T, source) func(*testing.T, Row, answer) outcome) {
	t.Helper()
	all := sources(t, kind+".jsonl")
	var lines []string
	for _, src := range all {
		s := &score{kind: kind, tiers: map[string]*tally{}}
		t.Run(src.name, func(t *testing.T) {
			check := newCheck(t, src)
			for n, line := range corpus.Lines(t, filepath.Join(src.folder, kind+".jsonl")) {
				t.Run(rowID(line, n), func(t *testing.T) {
					t.Parallel()
					s.judge(t, line, func(a answer) (outcome, error) {
						var row Row
						if err := json.Unmarshal(line, &row); err != nil {
							return outcome{}, err
						}
						return check(t, row, a), nil
					})
				})
			}
		})
		if len(all) > 1 {
			lines = append(lines, src.folder)
		}
		lines = append(lines, s.lines(t)...)
		s.requireFewPrompts(t)
	}
	fmt.Println(strings.Join(lines, "\n"))
}

// rowID is the name of the row that a line of a file holds.
func rowID(line []byte, number int) string {
	var a answer
	_ = json.Unmarshal(line, &a) // what is wrong with it is said when it is judged
	return cmp.Or(a.ID, fmt.Sprintf("line_%d", number))
}

// score counts the rows of one file.
type score struct {
	kind string

	mu        sync.Mutex
	tiers     map[string]*tally
	prompted  []string // core rows
	broken    []string // rows that cannot be run
	uncounted int
}

// judge decides and counts one row. One that cannot be run fails its test, whatever
// its kind and tier: nobody knows what it would say.
func (s *score) judge(t *testing.T, line []byte, check func(answer) (outcome, error)) {
	t.Helper()
	var a answer
	counted := false
	defer func() {
		if counted || t.Skipped() {
			return
		}
		why := recover() // as from a tool that the row is the first to panic
		s.mu.Lock()
		defer s.mu.Unlock()
		s.broken = append(s.broken, cmp.Or(a.ID, filepath.Base(t.Name())))
		if why != nil {
			t.Errorf("%v\n%s", why, debug.Stack())
		}
	}()
	require.NoError(t, json.Unmarshal(line, &a))
	require.Contains(t, []string{"attack", "benign"}, a.Kind)
	require.Contains(t, []string{"core", "stretch"}, a.Tier)
	o, err := check(a)
	require.NoError(t, err, "the row cannot be run")
	counted = !t.Failed() // otherwise the row did not come to its end
	if counted {
		s.count(t, a, o)
	}
}

type tally struct{ attacks, failed, benign, prompted int }

// count adds a row, and fails its test if it is a core attack that succeeds.
func (s *score) count(t *testing.T, a answer, o outcome) {
	t.Helper()
	text := fmt.Sprintf("%s (%s)\n%s", strings.Join(o.wrong, "\n"), a.Why, o.detail)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tiers[a.Tier] == nil {
		s.tiers[a.Tier] = &tally{}
	}
	n, bad := s.tiers[a.Tier], len(o.wrong) > 0
	switch {
	case o.uncounted != "":
		s.uncounted++
		t.Logf("not counted: %s", o.uncounted)
		return
	case a.Kind == "benign":
		n.benign++
	default:
		n.attacks++
	}
	switch {
	case !bad:
		t.Log(o.detail)
	case a.Kind == "benign":
		n.prompted++
		t.Log(text)
		if a.Tier == "core" {
			s.prompted = append(s.prompted, a.ID)
		}
	case a.Tier == "core":
		n.failed++
		t.Error(text)
	default:
		n.failed++
		t.Log(text)
	}
}

// lines are the scores in their documented form.
func (s *score) lines(t *testing.T) []string {
	t.Helper()
	var lines []string
	for _, tier := range []string{"core", "stretch"} {
		if n := s.tiers[tier]; n != nil {
			lines = append(lines, fmt.Sprintf("%s %s: attacks %d, failed %d; benign %d, prompted %d", s.kind, tier, n.attacks, n.failed, n.benign, n.prompted))
		}
	}
	if len(s.broken) > 0 {
		slices.Sort(s.broken)
		lines = append(lines, fmt.Sprintf("%s: %d rows cannot be run: %s", s.kind, len(s.broken), strings.Join(s.broken, " ")))
	}
	if s.uncounted > 0 {
		t.Logf("%s: %d rows say nothing before the tools exist that they need", s.kind, s.uncounted)
	}
	return lines
}

// promptLimit is how many of so many benign rows may prompt: one of fifty, and one
// of fewer.
func promptLimit(benign int) int { return max(1, benign/50) }

// requireFewPrompts fails the test if everyday work is interrupted too often.
func (s *score) requireFewPrompts(t *testing.T) {
	t.Helper()
	n := s.tiers["core"]
	if n == nil {
		return
	}
	slices.Sort(s.prompted)
	if limit := promptLimit(n.benign); n.prompted > limit {
		t.Errorf("%d of %d benign rows prompt, at most %d may: %s", n.prompted, n.benign, limit, strings.Join(s.prompted, " "))
	}
}

func TestAgrees(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		answer answer
		agree  []string
	}{
		{name: "benign", answer: answer{Kind: "benign", Expect: json.RawMessage(`"allow"`)}, agree: []string{"allow"}},
		{name: "exact", answer: answer{Kind: "attack", Expect: json.RawMessage(`"deny"`)}, agree: []string{"deny"}},
		{name: "not beats expect", answer: answer{Kind: "attack", Expect: json.RawMessage(`"ask"`), Not: "allow"}, agree: []string{"ask", "deny"}},
		{name: "any", answer: answer{Kind: "attack", Expect: json.RawMessage(`"any"`)}, agree: []string{"allow", "ask", "deny"}},
		{name: "an attack that is allowed", answer: answer{Kind: "attack", Expect: json.RawMessage(`"allow"`)}, agree: []string{"allow", "ask", "deny"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var agree []string
			for _, decision := range []string{"allow", "ask", "deny"} {
				if tt.answer.agrees(t, decision) {
					agree = append(agree, decision)
				}
			}
			require.Equal(t, tt.agree, agree)
		})
	}
}

func TestScore(t *testing.T) {
	t.Parallel()
	s := score{kind: "shell", tiers: map[string]*tally{}}
	bad := outcome{wrong: []string{"wrong"}}
	s.count(t, answer{Kind: "attack", Tier: "core"}, outcome{})
	s.count(t, answer{Kind: "benign", Tier: "core"}, bad)
	s.count(t, answer{Kind: "benign", Tier: "core"}, outcome{})
	s.count(t, answer{Kind: "attack", Tier: "core"}, outcome{uncounted: "no tool"})
	s.count(t, answer{Kind: "attack", Tier: "stretch"}, bad)
	require.Equal(t, []string{
		"shell core: attacks 1, failed 0; benign 2, prompted 1",
		"shell stretch: attacks 1, failed 1; benign 0, prompted 0",
	}, s.lines(t))
	for benign, want := range map[int]int{0: 1, 49: 1, 99: 1, 100: 2, 174: 3} {
		require.Equal(t, want, promptLimit(benign), benign)
	}
}

// TestRowsThatCannotBeRun: such a row fails by its name, and those behind it are judged
// all the same. What fails is the test in another process.
func TestRowsThatCannotBeRun(t *testing.T) {
	t.Parallel()
	good := `"kind":"attack","tier":"core","servers":[{"name":"s","tools":[{"name":"x"}]}],"rules":{},"mode":"default","expect":{"decisions":{"mcp__s__x":"ask"}}}`
	folder := t.TempDir()
	write(t, filepath.Join(folder, "security", "mcp.jsonl"), strings.Join([]string{
		`{"id":"good-1",` + good,
		`{"id":"field","events":[{"server_explodes":"s"}],` + good,
		`{"id":"event","events":[{"times":3}],` + good,
		`{"id":"kind","kind":"odd"}`,
		`{"id":"type","mode":7,` + good,
		`no row`,
		`{"id":"good-2","events":[{"reconnect":"s"},{"list_changed_flood":"s","times":3}],` + good,
		`{"id":"wrong","kind":"attack","tier":"core","rules":{},"mode":"default","expect":{"visible_includes":["x"]}}`,
	}, "\n"))
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMCP$/^"+filepath.Base(folder)+"$", "-test.v")
	cmd.Env = append(os.Environ(), corpus.Variable+"="+folder)
	text, err := cmd.CombinedOutput()
	require.ErrorAs(t, err, new(*exec.ExitError), string(text))
	require.Contains(t, string(text), "mcp core: attacks 3, failed 1; benign 0, prompted 0\nmcp: 5 rows cannot be run: event field kind line_6 type\n")
	for _, id := range []string{"event", "field", "kind", "line_6", "type", "wrong"} {
		require.Contains(t, string(text), "--- FAIL: TestMCP/"+filepath.Base(folder)+"/"+id)
	}
	for _, id := range []string{"good-1", "good-2"} {
		require.Contains(t, string(text), "--- PASS: TestMCP/"+filepath.Base(folder)+"/"+id)
	}
}

// TestPartsOfRows: what rows may say is done, and what nobody does is refused.
func TestPartsOfRows(t *testing.T) {
	t.Parallel()
	for text, into := range map[string]any{
		`{"after_check":[{"writes":"x"}]}`: new(race), `{"before_check":[]}`: new(race), `{"hangs":1}`: new(effect), `{"listen":[]}`: new(fixture),
		`"mark"`: new(rowEffect), `{"dialled":"x"}`: new(rowEffect), `{"list_changes":"s"}`: new(mcpEvent),
	} {
		require.Error(t, json.Unmarshal([]byte(text), into), text)
	}
	var r pathRow
	require.NoError(t, json.Unmarshal([]byte(`{"path":"a","cwd":"proj","race":{"after_check":[{"write":"proj/b","content":"{{ROOT}}"},{"append":"proj/b","text":"!"},{"hardlink":"proj/c","to":"proj/b"},{"mkdir":"proj/d/e"}]},
		"must_not":{"changed":"proj/b","exists":["proj/d"],"content_after_not":{"proj/b":"!","proj/c":["?"]}},"content_after_not":"old"}`), &r))
	tr := tree{root: t.TempDir()}
	write(t, filepath.Join(tr.root, "proj", "a"), "older")
	require.Equal(t, "older", r.old(tr))
	marks := r.marks(tr)
	require.Equal(t, []string{filepath.Join(tr.root, "proj", "a") + ` holds "old" afterwards`}, r.effectsOnFiles(tr, marks))
	require.NoError(t, tr.make(r.Race.AfterCheck))
	text, err := os.ReadFile(filepath.Join(tr.root, "proj", "c"))
	require.NoError(t, err)
	require.Equal(t, tr.root+"!", string(text))
	require.Len(t, r.effectsOnFiles(tr, marks), 4, "made d, changed b, b holds !, a holds old")
	require.Error(t, tr.make([]change{{}}))
}
