package tooltest_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// ruledPool returns a pool of the file tools under rules.
func ruledPool(dir string, mode pegboard.Mode, rules ...pegboard.RuleSet) (*pegboard.Pool, *pegboard.Session, error) {
	permissions, err := pegboard.NewPermissions(mode, rules...)
	if err != nil {
		return nil, nil, err
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: dir, Permissions: permissions})
	if err != nil {
		return nil, nil, err
	}
	var registry pegboard.Registry
	if err := registry.Add(files.Tools()...); err != nil {
		return nil, nil, err
	}
	return registry.AssemblePool(s, pegboard.PoolConfig{}), s, nil
}

func TestCheckRules(t *testing.T) { //nolint:tparallel // the cases take no time
	t.Parallel()
	write := func(path string) tooltest.RuleRow {
		return tooltest.RuleRow{Tool: "Write", Input: []byte(`{"file_path": "` + path + `", "content": ""}`)}
	}
	want := func(b pegboard.Behavior, r tooltest.RuleRow) tooltest.RuleRow { r.Want = b; return r }
	rules := pegboard.RuleSet{Allow: []string{"Edit(/src/**)"}, Deny: []string{"Edit(/src/vendor/**)"}}
	broken := map[string]bool{}
	for _, tt := range []struct {
		name  string
		rules pegboard.RuleSet
		rows  []tooltest.RuleRow
		rule  string
		got   []string
	}{
		{name: "as wanted", rules: rules, rows: []tooltest.RuleRow{
			want(pegboard.Allow, write("src/a.go")), want(pegboard.Ask, write("a.go")), want(pegboard.Deny, write("src/vendor/a.go")), want(pegboard.Ask, write("src/../a.go")),
		}},
		{name: "no row", rules: rules, rule: tooltest.RuleRulesRows, got: []string{"none of 0 rows"}},
		{name: "another mode", rules: rules, rows: []tooltest.RuleRow{{Tool: "Write", Mode: pegboard.ModePlan}}, rule: tooltest.RuleRulesRows, got: []string{"none of 1 rows is about the mode default"}},
		{name: "no such tool", rules: rules, rows: []tooltest.RuleRow{{Tool: "Wirte", Input: []byte(`{}`), Want: pegboard.Deny}}, rule: tooltest.RuleRulesCalls, got: []string{"Wirte"}},
		{name: "not its input", rules: rules, rows: []tooltest.RuleRow{{Tool: "Write", Input: []byte(`{"path":"a"}`), Want: pegboard.Deny}}, rule: tooltest.RuleRulesCalls, got: []string{"path"}},
		{name: "nothing wanted", rules: rules, rows: []tooltest.RuleRow{write("a.go")}, rule: tooltest.RuleRulesCalls, got: []string{"the wanted behavior is undecided"}},
		{name: "too wide", rules: pegboard.RuleSet{Allow: []string{"Edit(**)"}}, rows: []tooltest.RuleRow{want(pegboard.Ask, write("a.go"))}, rule: tooltest.RuleRulesDecided, got: []string{"ask is wanted, and the decision is allow:\nit would write", "allow: "}},
		{name: "too narrow", rules: pegboard.RuleSet{Allow: []string{"Edit(/src/*.go)"}}, rows: []tooltest.RuleRow{want(pegboard.Allow, write("src/x/a.go"))}, rule: tooltest.RuleRulesDecided, got: []string{"allow is wanted, and the decision is ask:"}},
		{name: "misspelt", rules: pegboard.RuleSet{Deny: []string{"Wirte(/src/**)"}}, rows: []tooltest.RuleRow{want(pegboard.Ask, write("a.go"))}, rule: tooltest.RuleRulesTools, got: []string{"Wirte"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pool, s, err := ruledPool(t.TempDir(), pegboard.ModeDefault, tt.rules)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
			err = tooltest.CheckRules(pool, tt.rows...)
			if tt.rule == "" {
				require.NoError(t, err)
				return
			}
			broken[tt.rule] = true
			require.Equal(t, []string{tt.rule}, rulesOf(t, err), "%v", err)
			for _, got := range tt.got {
				require.ErrorContains(t, err, got)
			}
		})
	}
	requireRules(t, "check_rules.go", tooltest.RulesRules(), broken)
}

func TestParseRuleRows(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		want       []tooltest.RuleRow
		err        string
	}{
		{name: "nothing"},
		{name: "by hand", text: `{"tool":"A","behavior":"deny"}` + "\n" + `{"tool":"B","input":{"x":1},"behavior":"ask","mode":"plan"}`, want: []tooltest.RuleRow{
			{Tool: "A", Input: []byte(`{}`), Want: pegboard.Deny, Row: 1},
			{Tool: "B", Input: []byte(`{"x":1}`), Want: pegboard.Ask, Mode: pegboard.ModePlan, Row: 2},
		}},
		{name: "from a log", text: `
			{"time":"t","trace":"1","call":"c1","tool":"A","behavior":"allow","by":"rule","mode":"default","input":{}}
			{"time":"t","trace":"1","call":"c1","tool":"A","behavior":"deny","by":"rule","mode":"default","input":{}}
			{"time":"t","trace":"2","call":"c1","tool":"A","behavior":"allow","by":"person","mode":"default","input":{}}
			{"time":"t","trace":"2","call":"c2","tool":"A","behavior":"deny","by":"nobody","mode":"default","input":{}}
			{"time":"t","trace":"2","call":"c3","tool":"A","behavior":"allow","by":"hook","mode":"default","input":{}}
			{"time":"t","trace":"2","call":"c4","tool":"A","behavior":"notRun","stage":"decode"}
			{"time":"t","trace":"2","call":"c5","tool":"A","behavior":"allow","by":"rule","agent":"a1","input":{}}
			{"time":"t","trace":"2","call":"c6","tool":"A","behavior":"allow","by":"rule","parent":"c1","input":{}}
			{"time":"t","trace":"2","call":"c7","tool":"A","behavior":"allow","by":"rule"}
			{"time":"t","trace":"2","call":"c8","tool":"A","behavior":"deny","by":"rule","input":"{"}`, want: []tooltest.RuleRow{
			{Tool: "A", Input: []byte(`{}`), Want: pegboard.Allow, Mode: pegboard.ModeDefault, Row: 1},
			{Tool: "A", Input: []byte(`{}`), Want: pegboard.Ask, Mode: pegboard.ModeDefault, Row: 3},
			{Tool: "A", Input: []byte(`{}`), Want: pegboard.Ask, Mode: pegboard.ModeDefault, Row: 4},
		}},
		{name: "no tool", text: `{"behavior":"allow"}`, err: `row 1: the field "tool" is missing`},
		{name: "no behavior", text: `{"tool":"A"}`, err: `row 1: unknown behavior ""`},
		{name: "no JSON", text: `{"tool":"A","behavior":"ask"} tool`, want: []tooltest.RuleRow{{Tool: "A", Input: []byte(`{}`), Want: pegboard.Ask, Row: 1}}, err: "row 2: invalid character"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rows, err := tooltest.ParseRuleRows(strings.NewReader(tt.text))
			require.Equal(t, tt.want, rows)
			if tt.err == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, tt.err)
			}
		})
	}
}

func FuzzParseRuleRows(f *testing.F) {
	f.Add(`{"tool":"A","input":{},"behavior":"allow","by":"rule"}`)
	f.Add(`{"tool":1}`)
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := tooltest.ParseRuleRows(strings.NewReader(text))
		for i, r := range rows {
			require.NotEmpty(t, r.Tool)
			require.NotEmpty(t, r.Input)
			require.NotEqual(t, pegboard.Undecided, r.Want)
			require.Greater(t, r.Row, i)
		}
		if err == nil && strings.TrimSpace(text) != "" {
			require.Contains(t, text, "{")
		}
	})
}

func ExampleCheckRules() {
	pool, session, err := ruledPool("", pegboard.ModeDefault, pegboard.RuleSet{
		Allow: []string{"Edit(/src/*.go)"},
		Deny:  []string{"Read(.env)"},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = session.Close(context.Background()) }()
	rows, err := tooltest.ParseRuleRows(strings.NewReader(`
{"tool": "Write", "input": {"file_path": "src/a.go", "content": ""}, "behavior": "allow"}
{"tool": "Write", "input": {"file_path": "a.go", "content": ""}, "behavior": "ask"}
{"tool": "Read", "input": {"file_path": ".env"}, "behavior": "deny"}
{"tool": "Write", "input": {"file_path": "src/cmd/main.go", "content": ""}, "behavior": "allow"}
`))
	if err != nil {
		log.Fatal(err)
	}
	var v *tooltest.ContractError
	if errors.As(tooltest.CheckRules(pool, rows...), &v) { // one star does not go below a folder
		first, _, _ := strings.Cut(v.Got, "\n")
		fmt.Println(v.Rule)
		fmt.Println(first)
	}
	// Output:
	// calls are decided as wanted
	// row 4: allow is wanted, and the decision is ask:
}
