package frontmatter_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/frontmatter"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		name   string
		file   string
		body   string
		fields string // as JSON
		plain  bool   // there is no head
	}{
		{name: "empty file", plain: true, fields: `{}`},
		{name: "no head", file: "# Title\n\ntext\n", body: "# Title\n\ntext", plain: true, fields: `{}`},
		{name: "a rule further down is no head", file: "\n---\na: b\n---\n", body: "---\na: b\n---", plain: true, fields: `{}`},
		{name: "four hyphens", file: "----\na: b\n---\n", body: "----\na: b\n---", plain: true, fields: `{}`},
		{name: "head and body", file: "---\nname: x\n---\nbody\n", body: "body", fields: `{"name":"x"}`},
		{name: "head without a body", file: "---\nname: x\n---", fields: `{"name":"x"}`},
		{name: "empty head", file: "---\n---\nbody", body: "body", fields: `{}`},
		{name: "head of a comment", file: "---\n# nothing\n---\nbody", body: "body", fields: `{}`},
		{name: "byte order mark", file: "\uFEFF---\nname: x\n---\nbody", body: "body", fields: `{"name":"x"}`},
		{name: "CRLF", file: "---\r\nname: x\r\ntext: |\r\n  a\r\n  b\r\n---\r\nbody\r\nmore\r\n", body: "body\nmore", fields: `{"name":"x","text":"a\nb\n"}`},
		{name: "CR", file: "---\rname: x\r---\rbody\rmore\r", body: "body\nmore", fields: `{"name":"x"}`},
		{name: "tab after the colon", file: "---\nname:\tx\n---\n", fields: `{"name":"x"}`},
		{name: "blanks after the hyphens", file: "--- \nname: x\n---\t\nbody", body: "body", fields: `{"name":"x"}`},
		{name: "indented hyphens do not end it", file: "---\nname: x\ntext: |\n  a\n  ---\n  b\n---\nbody", body: "body", fields: `{"name":"x","text":"a\n---\nb\n"}`},
		{name: "only the first pair counts", file: "---\na: b\n---\nx\n---\nc: d\n---\n", body: "x\n---\nc: d\n---", fields: `{"a":"b"}`},
		{name: "the indentation of the body stays", file: "---\na: b\n---\n\n  \n    code\nx\n\n", body: "    code\nx", fields: `{"a":"b"}`},
		{name: "types", file: "---\na: 1\nb: 1.50\nc: true\nd: ~\ne: 2024-01-02\nf: 'x'\ng: yes\nh: 0x10\ni: 123456789012345678901234567890\nj:\n---\n",
			fields: `{"a":1,"b":1.50,"c":true,"d":null,"e":"2024-01-02","f":"x","g":"yes","h":16,"i":123456789012345678901234567890,"j":null}`},
		{name: "maps keep their order", file: "---\nhooks:\n  Stop:\n    - hooks: [{type: command, command: \"x \\\"y\\\"\"}]\n  B: {}\n  A: []\n---\n",
			fields: `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x \"y\""}]}],"B":{},"A":[]}}`},
		{name: "keys that are no texts", file: "---\nm: {1: a, true: b}\n---\n", fields: `{"m":{"1":"a","true":"b"}}`},
		{name: "aliases", file: "---\na: &x [1, 2]\nb: *x\n---\n", fields: `{"a":[1,2],"b":[1,2]}`},
		{name: "folded text", file: "---\nd: >-\n  one\n  two\n---\n", fields: `{"d":"one two"}`},
		{name: "tagged text", file: "---\nd: !!str 12\n---\n", fields: `{"d":"12"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, err := frontmatter.Parse([]byte(tt.file))
			require.NoError(t, err)
			require.Equal(t, tt.body, d.Body)
			require.Equal(t, !tt.plain, d.Headed)
			require.Equal(t, tt.fields, asJSON(t, d))
		})
	}
}

// TestParseReadsAColonInADescription: many files of skills have one, which other readers accept.
func TestParseReadsAColonInADescription(t *testing.T) {
	for text, want := range map[string]string{
		`Use it when: always`:           `"Use it when: always"`,
		`Says "a": b, \ and c: # d`:     `"Says \"a\": b, \\ and c: # d"`,
		`Übersetzt: Ärger <b> & mehr: `: `"Übersetzt: Ärger <b> & mehr:"`,
	} {
		d, err := frontmatter.Parse([]byte("---\nname: x\ndescription: " + text + "\ntools: [Read]\n---\nbody"))
		require.NoError(t, err, text)
		require.JSONEq(t, `{"name": "x", "description": `+want+`, "tools": ["Read"]}`, asJSON(t, d))
		require.Equal(t, 3, d.Unquoted)
		require.Equal(t, 4, d.Fields[2].Line)
	}
	d, err := frontmatter.Parse([]byte("---\ndescription: nothing to mend\n---\n"))
	require.NoError(t, err)
	require.Zero(t, d.Unquoted)
}

// asJSON returns the fields of a document as one JSON object.
func asJSON(t testing.TB, d *frontmatter.Document) string {
	var b strings.Builder
	for i, f := range d.Fields {
		value, err := f.Value.JSON()
		require.NoError(t, err)
		require.True(t, json.Valid(value), "%s", value)
		name, err := json.Marshal(f.Name)
		require.NoError(t, err)
		b.WriteString([]string{"{", ","}[min(i, 1)] + string(name) + ":" + string(value))
	}
	if len(d.Fields) == 0 {
		return "{}"
	}
	return b.String() + "}"
}

func TestParseRefuses(t *testing.T) {
	head := func(lines ...string) string { return "---\n" + strings.Join(lines, "\n") + "\n---\nbody" }
	bomb := []string{"a: &a [x,x,x,x,x,x,x,x,x,x]"}
	for c := 'b'; c < 'k'; c++ {
		p := string(c - 1)
		bomb = append(bomb, string(c)+": &"+string(c)+" [*"+p+strings.Repeat(",*"+p, 9)+"]")
	}
	for _, tt := range []struct {
		name, file, want string
		line             int
	}{
		{name: "unclosed head", file: "---\nname: x\n", line: 1, want: "the head does not end"},
		{name: "one line", file: "---", line: 1, want: "the head does not end"},
		{name: "a list", file: head("- a"), line: 2, want: "the head is a list"},
		{name: "a text", file: head("", "hello"), line: 3, want: `the head is the text "hello"`},
		{name: "colon in a value", file: head("name: x", "hint: Use it when: always"), line: 3, want: "double quotes"},
		{name: "colon in a description, and another fault", file: head("description: Use it when: always", "a: [b"), line: 2, want: "double quotes"},
		{name: "colon in a description of two lines", file: head("description: Use it when: always", "  or never: x"), line: 2, want: "double quotes"},
		{name: "tab", file: head("a:", "\tb: c"), line: 3, want: "indent with blanks"},
		{name: "open quote", file: head(`a: "b`), want: "not valid YAML"},
		{name: "open list", file: head("a: [b"), want: "not valid YAML"},
		{name: "key twice", file: head("a: 1", "b: 2", "a: 3"), line: 4, want: `the key "a" is there twice, in line 2, too`},
		{name: "key twice below", file: head("m:", "  a: 1", `  "a": 3`), line: 4, want: "twice"},
		{name: "key twice in another spelling", file: head("m: {1: a, \"1\": b}"), line: 2, want: "twice"},
		{name: "merge key", file: head("a: &a {x: y}", "b:", "  <<: *a"), line: 4, want: "merge key"},
		{name: "list as a key", file: head("? [a]", ": b"), line: 2, want: "a key is a list"},
		{name: "empty key", file: head(`"": b`), line: 2, want: "empty"},
		{name: "tag", file: head("a: !thing b"), line: 2, want: "the tag !thing is not supported"},
		{name: "tag of a type", file: head("a: !!binary aGk="), line: 2, want: "not supported"},
		{name: "unknown alias", file: head("a: *b"), want: "not valid YAML"},
		{name: "alias of itself", file: head("a: &a [*a]"), want: "nested more than 32 levels"},
		{name: "alias bomb", file: head(bomb...), want: "more than 10000 values"},
		{name: "bomb of one long text", file: head("a: &a "+strings.Repeat("x", 50_000), "b: [*a"+strings.Repeat(",*a", 3_000)+"]"), want: "bytes, those of aliases counted"},
		{name: "deep lists", file: head("a: " + strings.Repeat("[", 5_000) + strings.Repeat("]", 5_000)), want: "depth"},
		{name: "deep maps", file: head("a:" + deepMap(200)), want: "depth"},
		{name: "second document", file: head("a: b", "...", "c: d"), want: "document"},
		{name: "control character", file: head("a: b", "c: \x00"), line: 3, want: "U+0000"},
		{name: "not UTF-8", file: "---\na: b\n---\n\nx\xff", line: 5, want: "not UTF-8"},
		{name: "large head", file: head("a: b", "c: "+strings.Repeat("x", frontmatter.MaxHead)), line: 1, want: "at most 65536"},
		{name: "large file", file: strings.Repeat("x", frontmatter.MaxBytes+1), want: "at most 1048576"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			began := time.Now()
			_, err := frontmatter.Parse([]byte(tt.file))
			require.ErrorContains(t, err, tt.want)
			var at *frontmatter.Error
			require.ErrorAs(t, err, &at)
			if tt.line != 0 {
				require.Equal(t, tt.line, at.Line, "%v", err)
			}
			require.Less(t, time.Since(began), 30*time.Second)
		})
	}
}

// deepMap returns maps in maps.
func deepMap(depth int) string {
	var b strings.Builder
	for i := range depth {
		b.WriteString("\n" + strings.Repeat(" ", i+1) + "a:")
	}
	return b.String() + " b"
}

func TestDocumentField(t *testing.T) {
	d, err := frontmatter.Parse([]byte("---\nname: x\n\nempty:\nnothing: null\n---\n"))
	require.NoError(t, err)
	f, ok := d.Field("name")
	require.True(t, ok)
	require.Equal(t, 2, f.Line)
	for _, name := range []string{"empty", "nothing", "missing"} {
		_, ok := d.Field(name)
		require.False(t, ok, name)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range heads() {
		f.Add("---\n" + seed + "\n---\nbody\n")
	}
	f.Add("\uFEFF---\r\na: b\r\n---\r\n")
	f.Add("---\na: b\r\r\n---\r\r\n0\r\r\n0")
	f.Add("---\na: &a [*a]\n---\n")
	f.Fuzz(func(t *testing.T, file string) {
		d, err := frontmatter.Parse([]byte(file))
		if err != nil {
			var at *frontmatter.Error
			require.ErrorAs(t, err, &at)
			breaks := strings.NewReplacer("\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n").Replace(file)
			require.LessOrEqual(t, at.Line, 2+strings.Count(breaks, "\n"))
			return
		}
		seen := map[string]bool{}
		for _, field := range d.Fields {
			require.False(t, seen[field.Name], field.Name)
			seen[field.Name] = true
			require.Positive(t, field.Line)
			for _, err := range decodeAll(field.Value) {
				var at *frontmatter.Error
				require.ErrorAs(t, err, &at)
			}
		}
		// The body has no head of the file in it, and line ends of one kind.
		if d.Headed {
			require.Less(t, len(d.Body), len(file))
		}
		require.NotContains(t, d.Body, "\r")
	})
}

// decodeAll decodes a value in all ways and returns the errors.
func decodeAll(v frontmatter.Value) []error {
	_, text := v.Text()
	_, boolean := v.Bool()
	_, number := v.Int()
	_, list := v.List()
	_, data := v.JSON()
	var all []error
	for _, err := range []error{text, boolean, number, list, data} {
		if err != nil {
			all = append(all, err)
		}
	}
	return all
}

func FuzzSplitList(f *testing.F) {
	f.Add("Bash(git add:*), Agent(a, b) Read")
	f.Add("a,{b c")
	f.Fuzz(func(t *testing.T, text string) {
		all := frontmatter.SplitList(text)
		require.NotNil(t, all)
		// Only separators are lost.
		separators := strings.NewReplacer(",", "", " ", "", "\t", "", "\n", "", "\r", "")
		require.Equal(t, separators.Replace(text), separators.Replace(strings.Join(all, "")))
		for _, item := range all {
			require.NotEmpty(t, item)
			if !strings.ContainsAny(item, "({") {
				require.Equal(t, separators.Replace(item), item)
			}
		}
	})
}

// heads are heads as people write them, each valid YAML without repeated keys.
func heads() []string {
	return []string{
		"name: code-reviewer\ndescription: Reviews code\ntools: Read, Grep, Glob\nmodel: sonnet",
		"name: a\ndescription: >\n  Use this agent\n  when code changes.\n\n  Second paragraph.\ntools:\n  - Read\n  - Bash(git log:*)",
		"name: a\ndescription: |-\n  One\n    two\n  three\ncolor: 'blue'",
		"name: a\ndescription: \"Colon: and \\\"quotes\\\" and \\n a line\\u00e9\"\nmaxTurns: 12",
		"name: a\ndescription: it's plain, with a # that is no comment#\nbackground: true # a comment",
		"hooks:\n  PreToolUse:\n    - matcher: \"Bash\"\n      hooks:\n        - type: command\n          command: \"./check.sh \\\"$1\\\"\"",
		"mcpServers:\n  - github\n  - slack: {type: http, url: \"https://example.com/mcp\", headers: {A: b}}",
		"a: plain\n  text over\n  lines\nb: 'single ''quoted'' text\n  over lines'",
		"a: &x {k: v}\nb: *x\nc: [*x, *x]",
		"? complex\n: value\n? - a\n  - b\n: no",
		"a: []\nb: {}\nc: ''\nd:\ne: ~",
		"a: - b",
		"a: b: c",
		"a: [1, 2",
		"a: {b: c, d}",
		"a: |+\n  keep\n\n\nb: |2\n    two\nc: >+\n  fold\n\n",
		"äöü: ß\n日本: 語\n\"q\": 'r'",
		"a: 1e3\nb: 0x1F\nc: 1_000\nd: 12:30:45\ne: 2024-01-02T03:04:05Z\nf: .5\ng: 007",
		"a: @x", "a: `x`", "a: %x", "a: x%", "a: *", "- a\n- b", "text",
		"a:\n- b\n- c", "a:\n   - b\n   -   c: d\n       e: f", "\ta: b",
		"a: b\n\n# comment\n\nc: d", "{a: b, c: [d, e]}", "a: 'x", "a: \"\\q\"", "a: >3\n     x\n    y",
		"a: https://example.com/x?y#z", "a: x:y", "a: [x:y, a: b]", "a: <b>x</b>\nexample: \"<x>\\ny</x>\"", "a: b, c: d",
	}
}

// script prints for each head a JSON line: its tree with every scalar as text, or null.
const script = `
import json, sys, yaml
for head in json.load(sys.stdin):
    try:
        tree = yaml.load(head + "\n", Loader=yaml.BaseLoader)
        json.dumps(tree)
    except Exception:
        tree = None
    print(json.dumps({"tree": tree}))
`

// TestParseAgreesWithPyYAML compares the structure of heads and the texts in them with what a
// parser in another language reads.
func TestParseAgreesWithPyYAML(t *testing.T) {
	if exec.Command("python3", "-c", "import yaml").Run() != nil {
		t.Skip("python3 or its package yaml is not installed")
	}
	input, err := json.Marshal(heads())
	require.NoError(t, err)
	command := exec.Command("python3", "-c", script)
	command.Stdin = bytes.NewReader(input)
	output, err := command.Output()
	require.NoError(t, err)
	lines := json.NewDecoder(bytes.NewReader(output))
	for _, head := range heads() {
		var want struct{ Tree any }
		require.NoError(t, lines.Decode(&want))
		d, err := frontmatter.Parse([]byte("---\n" + head + "\n---\nbody"))
		fields, isMap := want.Tree.(map[string]any)
		if !isMap {
			require.Error(t, err, head)
			continue
		}
		require.NoError(t, err, head)
		got := map[string]any{}
		for _, f := range d.Fields {
			got[f.Name] = f.Value.Texts()
		}
		require.Equal(t, fields, got, head)
	}
}
