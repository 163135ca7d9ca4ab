package shellparse

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProgramsOfJq(t *testing.T) {
	t.Parallel()
	runEffectCases(t, []effectCase{
		{name: "field", line: "jq .env a.json", reads: "a.json"},
		{name: "flags", line: "jq -rc '.a[]' a b", reads: "a b"},
		{name: "flag after operands", line: "jq .a b -r", reads: "b"},
		{name: "standard input", line: "jq . -"},
		{name: "values", line: "jq --arg a b --argjson c 1 --indent 2 '$a' d", reads: "d"},
		{name: "value is one word", line: `jq --arg a "$x" '$a' d`, reads: "d"},
		{name: "value may be several", line: `jq --arg a $x '$a' d`, class: Unknown},
		{name: "files in values", line: "jq -n --slurpfile a b --rawfile c d '$a'", reads: "b d"},
		{name: "program from a file", line: "jq -n -f a.jq", class: Unknown},
		{name: "program from a file in a bundle", line: "jq -nf a.jq", class: Unknown},
		{name: "module", line: "jq -n -L lib 'import \"m\" as m; m::x'", class: Unknown},
		{name: "module path glued", line: "jq -Llib .", class: Unknown},
		{name: "environment", line: "jq -n env", class: Unknown},
		{name: "unknown program", line: `jq "$x" a`, class: Unknown},
		{name: "glob", line: "jq . *", class: Unknown},
		{name: "abbreviated flag", line: "jq --null . a", class: Unknown},
		{name: "several readings", line: "jq . -- a", class: Unknown},
	})
	for program, want := range map[string]bool{
		`.`:                              true,
		`.a + 1`:                         true,
		`.scripts["test"]`:               true,
		`.scripts | to_entries[] | .key`: true,
		`.env.import`:                    true,
		`.["env"]`:                       true,
		`{a: .b, "c": [.d[]?]}`:          true,
		`"a\(.b) \("c")"`:                true,
		`@base64d`:                       true,
		`select(.a == "import x")`:       true,
		`[...env]`:                       true, // ".." and then ".env"
		`env`:                            false,
		`$ENV`:                           false,
		`$ ENV`:                          false,
		`. | env.PATH`:                   false,
		`. env`:                          false,
		`..env`:                          false,
		`"\(env)"`:                       false,
		`"\("\($ENV.A)")"`:               false,
		`{$ENV}`:                         false,
		`import "m" as m; .`:             false,
		`include "m"; .`:                 false,
		`"m" | modulemeta`:               false,
		"# \"\nenv":                      false,
		`"a`:                             false,
		`")" | env`:                      false,
		`.a)`:                            false,
		`"\(.a"`:                         false,
		`"\\" | env`:                     false,
		`"\\(" | env`:                    false,
	} {
		require.Equal(t, want, jqOnlyReads(program), "%q", program)
	}
}
