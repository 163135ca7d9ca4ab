package frontmatter_test

import (
	"encoding/json"
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
		{name: "colon in a value", file: head("name: x", "description: Use it when: always"), line: 3, want: "double quotes"},
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
