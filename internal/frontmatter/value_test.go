package frontmatter_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/frontmatter"
)

// valueOf returns the value that is written as yaml in line 2 of a file.
func valueOf(t *testing.T, yaml string) frontmatter.Value {
	t.Helper()
	d, err := frontmatter.Parse([]byte("---\nkey: " + yaml + "\n---\n"))
	require.NoError(t, err)
	return d.Fields[0].Value
}

func TestValueText(t *testing.T) {
	for _, tt := range []struct{ yaml, want, err string }{
		{yaml: "a b", want: "a b"},
		{yaml: `"a: b"`, want: "a: b"},
		{yaml: "010", want: "010"},
		{yaml: "1.50", want: "1.50"},
		{yaml: "true", want: "true"},
		{yaml: "2024-01-02", want: "2024-01-02"},
		{yaml: ""},
		{yaml: "[a]", err: "line 2: there is a list; write a text"},
		{yaml: "{a: b}", err: "line 2: there is a map; write a text"},
	} {
		got, err := valueOf(t, tt.yaml).Text()
		requireError(t, tt.err, err, tt.yaml)
		require.Equal(t, tt.want, got, tt.yaml)
	}
}

func requireError(t *testing.T, want string, err error, about string) {
	t.Helper()
	if want == "" {
		require.NoError(t, err, about)
		return
	}
	require.EqualError(t, err, want, about)
}

func TestValueBool(t *testing.T) {
	for _, tt := range []struct {
		yaml string
		want bool
		err  string
	}{
		{yaml: "true", want: true},
		{yaml: "True", want: true},
		{yaml: "TRUE", want: true},
		{yaml: `"true"`, want: true},
		{yaml: "false"},
		{yaml: "null"},
		{yaml: "yes", err: `line 2: there is the text "yes"; write true or false`},
		{yaml: "1", err: `line 2: there is the value 1; write true or false`},
		{yaml: "[true]", err: `line 2: there is a list; write true or false`},
	} {
		got, err := valueOf(t, tt.yaml).Bool()
		requireError(t, tt.err, err, tt.yaml)
		require.Equal(t, tt.want, got, tt.yaml)
	}
}

func TestValueInt(t *testing.T) {
	const wrong = "; write a whole number, in decimal digits"
	for _, tt := range []struct {
		yaml string
		want int
		err  string
	}{
		{yaml: "12", want: 12},
		{yaml: "0"},
		{yaml: "-3", want: -3},
		{yaml: `"12"`, want: 12},
		{yaml: "~"},
		{yaml: "010", err: "line 2: there is the value 010" + wrong},
		{yaml: "+1", err: "line 2: there is the value +1" + wrong},
		{yaml: "0x10", err: "line 2: there is the value 0x10" + wrong},
		{yaml: "1.0", err: "line 2: there is the value 1.0" + wrong},
		{yaml: "1e3", err: "line 2: there is the value 1e3" + wrong},
		{yaml: "99999999999999999999", err: "line 2: there is the value 99999999999999999999" + wrong},
		{yaml: "many", err: `line 2: there is the text "many"` + wrong},
		{yaml: "{}", err: "line 2: there is a map" + wrong},
	} {
		got, err := valueOf(t, tt.yaml).Int()
		requireError(t, tt.err, err, tt.yaml)
		require.Equal(t, tt.want, got, tt.yaml)
	}
}

func TestValueList(t *testing.T) {
	for _, tt := range []struct {
		yaml string
		want []string
		err  string
	}{
		{yaml: ""},
		{yaml: "[]", want: []string{}},
		{yaml: `""`, want: []string{}},
		{yaml: "Read", want: []string{"Read"}},
		{yaml: "Read, Grep,Glob", want: []string{"Read", "Grep", "Glob"}},
		{yaml: "Read Grep", want: []string{"Read", "Grep"}},
		{yaml: "'*'", want: []string{"*"}},
		{yaml: "[Read, Grep]", want: []string{"Read", "Grep"}},
		{yaml: "\n  - Agent(a, b)\n  - ' Read '\n  - ''", want: []string{"Agent(a, b)", "Read"}},
		{yaml: "Bash(git add:*), Agent(a, b) Read", want: []string{"Bash(git add:*)", "Agent(a, b)", "Read"}},
		{yaml: "src/**/*.{ts,tsx}, docs/*", want: []string{"src/**/*.{ts,tsx}", "docs/*"}},
		{yaml: "Bash(git", want: []string{"Bash(git"}},
		{yaml: "[1, true]", want: []string{"1", "true"}},
		{yaml: "[[a]]", err: "line 2: there is a list; write a text"},
		{yaml: "{a: b}", err: "line 2: there is a map; write a list, or a text with commas"},
	} {
		got, err := valueOf(t, tt.yaml).List()
		requireError(t, tt.err, err, tt.yaml)
		require.Equal(t, tt.want, got, tt.yaml)
	}
}

func TestValueJSONRefusesWhatJSONCannotWrite(t *testing.T) {
	for _, yaml := range []string{".inf", "-.inf", ".nan", "[.inf]", "{a: .nan}"} {
		_, err := valueOf(t, yaml).JSON()
		require.ErrorContains(t, err, "line 2: JSON has no number")
	}
}

func TestZeroValue(t *testing.T) {
	var v frontmatter.Value
	require.True(t, v.Null())
	require.Zero(t, v.Line())
	text, err := v.Text()
	require.NoError(t, err)
	require.Empty(t, text)
	data, err := v.JSON()
	require.NoError(t, err)
	require.JSONEq(t, "null", string(data))
}
