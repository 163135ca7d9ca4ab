package repair_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/repair"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

const (
	allText   = repair.Kinds(1<<repair.ControlCharacters | 1<<repair.CodeFence | 1<<repair.TrailingText)
	allValues = repair.Kinds(1<<repair.JSONInString | 1<<repair.JoinStrings | 1<<repair.DropNulls | 1<<repair.Scalars)
)

func TestText(t *testing.T) {
	t.Parallel()
	control := []repair.Kind{repair.ControlCharacters}
	trailing := []repair.Kind{repair.TrailingText}
	fence := []repair.Kind{repair.CodeFence}
	tests := []struct {
		name  string
		input string
		want  string
		kinds []repair.Kind
	}{
		{name: "line break in a string", input: "{\"a\":\"x\ny\"}", want: `{"a":"x\ny"}`, kinds: control},
		{name: "several control characters", input: "{\"a\":\"\x00\t\r\x1f\"}", want: `{"a":"\u0000\t\r\u001f"}`, kinds: control},
		{name: "line break in a key", input: "{\"a\n\":1}", want: `{"a\n":1}`, kinds: control},
		{name: "space outside strings stays", input: "{\n\t\"a\":\"\n\"}", want: "{\n\t\"a\":\"\\n\"}", kinds: control},
		{name: "after an escaped quote", input: "{\"a\":\"\\\"\n\"}", want: `{"a":"\"\n"}`, kinds: control},
		{name: "tag at the end", input: `{"a":1}</function>`, want: `{"a":1}`, kinds: trailing},
		{name: "prose at the end", input: "{\"a\":[1]}\n\nI am reading it now.", want: `{"a":[1]}`, kinds: trailing},
		{name: "bracket too many", input: `{"a":1}}`, want: `{"a":1}`, kinds: trailing},
		{name: "brackets and a tag", input: `[1]]} </x>`, want: `[1]`, kinds: trailing},
		{name: "brackets inside strings", input: `{"a":"}]{["}!`, want: `{"a":"}]{["}`, kinds: trailing},
		{name: "space before", input: " \n{} .", want: " \n{}", kinds: trailing},
		{name: "fence with a language", input: "```json\n{\"a\":1}\n```", want: "\n{\"a\":1}", kinds: fence},
		{name: "fence in one line, space around", input: " ```{\"a\":1}``` \n", want: `{"a":1}`, kinds: fence},
		{
			name: "everything", input: "```\n{\"a\":\"x\ny\"}\n```\nDone.", want: "\n{\"a\":\"x\\ny\"}",
			kinds: []repair.Kind{repair.CodeFence, repair.TrailingText, repair.ControlCharacters},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			repaired, repairs, ok := repair.Text([]byte(tt.input), allText)
			require.True(t, ok)
			require.Equal(t, tt.want, string(repaired))
			require.Equal(t, tt.kinds, kindsOf(repairs))
			require.Equal(t, len(tt.kinds) > 0, repairs[0].Note != "")

			_, _, ok = repair.Text([]byte(tt.input), repair.KindsOf(tt.kinds...))
			require.True(t, ok, "with only what is needed")
			for _, needed := range tt.kinds {
				same, _, ok := repair.Text([]byte(tt.input), allText&^repair.KindsOf(needed))
				require.False(t, ok, "without %s", needed)
				require.Equal(t, tt.input, string(same))
			}
		})
	}
}

func TestTextLeavesAlone(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, input string }{
		{name: "an object", input: " {\"a\" : 1}\n"},
		{name: "a fence in a string", input: "\"```json {} ```\""},
		{name: "nothing", input: ``},
		{name: "only a fence", input: "```json\n```"},
		{name: "equal keys", input: "{\"a\":1,\"a\":\"\n\"}"},
		{name: "equal keys before text", input: `{"a":1,"a":2}!`},
		{name: "half a character", input: `{"a":"\ud800"}!`},
		{name: "not UTF-8", input: "{\"a\":\"\xff\n\"}"},
		{name: "not UTF-8 that is cut", input: "{\"a\":\"\xff\"}!"},
		{name: "a second object", input: `{"a":1}{"a":2}`},
		{name: "a second object behind text", input: `{"a":1} and {"a":2}`},
		{name: "bracket closed too early", input: `{"a":1},"b":2}`},
		{name: "bracket closed too early, key without quotes", input: `{"a":1}, b: 2}`},
		{name: "bracket too many and more", input: `{"a":1}}, then`},
		{name: "unfinished object", input: `{"a":1`},
		{name: "unfinished string", input: "{\"a\":\"x\n"},
		{name: "unfinished object in a fence", input: "```json\n{\"a\":[1\n```"},
		{name: "fence that does not close", input: "```json\n{\"a\":1}"},
		{name: "text before", input: `Here: {"a":1}`},
		{name: "text after no bracket", input: `1 2`},
		{name: "backslash before a line break", input: "{\"a\":\"x\\\ny\"}"},
		{name: "control character outside strings", input: "{\x00\"a\":1}"},
		{name: "comma too many", input: `{"a":1,}`},
		{name: "wrong bracket", input: `{"a":1] .`},
		{name: "too deep", input: strings.Repeat("[", 129) + strings.Repeat("]", 129) + "!"},
		{name: "too long", input: `{"a":"` + strings.Repeat("x", strictjson.DefaultBytes) + `"}!`},
		{name: "too long with escapes", input: `{"a":"` + strings.Repeat("\x01", strictjson.DefaultBytes/2) + `"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			same, repairs, ok := repair.Text([]byte(tt.input), allText)
			require.False(t, ok)
			require.Empty(t, repairs)
			require.Equal(t, tt.input, string(same))
		})
	}
}

func kindsOf(repairs []repair.Repair) []repair.Kind {
	var kinds []repair.Kind
	for _, r := range repairs {
		kinds = append(kinds, r.Kind)
	}
	return kinds
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{
		"{\"a\":\"x\ny\"}", `{"a":1}</function>`, "```json\n{\"a\":[1]}\n```", `{"a":1}}`, `{"a":1},"b":2}`, "{\"a\":\"\\\n\"}", `{"a":"\ud800"}`,
	} {
		f.Add([]byte(seed), uint8(allText))
	}
	f.Fuzz(func(t *testing.T, data []byte, allow uint8) {
		before := bytes.Clone(data)
		repaired, repairs, ok := repair.Text(data, repair.Kinds(allow))
		require.Equal(t, before, data)
		require.Equal(t, ok, len(repairs) > 0)
		_, err := strictjson.Decode(data, strictjson.Limits{})
		if !ok {
			require.Equal(t, data, repaired)
			return
		}
		require.Error(t, err, "touched what was fine")
		_, err = strictjson.Decode(repaired, strictjson.Limits{})
		require.NoError(t, err)
		for _, r := range repairs {
			require.True(t, repair.Kinds(allow).Has(r.Kind))
		}
		again, _, ok := repair.Text(repaired, repair.Kinds(allow))
		require.False(t, ok)
		require.Equal(t, repaired, again)
	})
}
