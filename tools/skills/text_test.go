package skills_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/skills"
)

func TestPlaceholders(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body, args string
		arguments        []string
		want             string
	}{
		{name: "all", body: "[$ARGUMENTS]", args: ` a  "b c" `, want: `[ a  "b c" ]`},
		{name: "by number", body: "$0 $1 $ARGUMENTS[1]", args: `a "b c"`, want: "a b c b c"},
		{name: "no such number", body: "$0 $7 $ARGUMENTS[12]", args: "a", want: "a $7 $ARGUMENTS[12]"},
		{name: "by name", body: "$issue of $branch.", args: "12 main", arguments: []string{"issue", "branch"}, want: "12 of main."},
		{name: "the longer name", body: "$a $ab $a-b $abc", args: "1 2 3", arguments: []string{"a", "ab", "a-b"}, want: "1 2 3 $abc"},
		{name: "no such name", body: "[$issue] $other", arguments: []string{"issue"}, want: "[] $other"},
		{name: "at the end", body: "Do it.", args: "now", want: "Do it.\n\nARGUMENTS: now"},
		{name: "nothing at the end", body: "Do it.", args: "  ", want: "Do it."},
		{name: "escaped", body: `\$0 \$ARGUMENTS \$1.00 \$x \\$0 \${CLAUDE_SESSION_ID}`, args: "a b", arguments: nil, want: `$0 $ARGUMENTS $1.00 \$x \\a \conversation-1`},
		{name: "variables", body: "${CLAUDE_SESSION_ID} ${CLAUDE_EFFORT} ${OWN} ${UNKNOWN} ${} ${A B}", want: "conversation-1 high mine ${UNKNOWN} ${} ${A B}"},
		{name: "part of a word", body: "$ARGUMENTSX $ARGUMENTS_ $ARGUMENTS[x] $", args: "a", want: "$ARGUMENTSX $ARGUMENTS_ a[x] $"},
		{name: "quotes", body: "$0|$1|$2|$3", args: `'a "b' "c 'd\"" e\ f ""`, want: `a "b|c 'd"|e f|`},
		{name: "a quote that is open", body: "$0|$1", args: `a "b c`, want: "a|b c"},
		{name: "a placeholder in an argument", body: "$0", args: "$1 ${CLAUDE_SESSION_ID}", want: "$1"},
		{name: "no command", body: "!`` !` ` !`a\nb` ! `a` \\!`", want: "!`` !` ` !`a\nb` ! `a` \\!`"},
		{name: "a block that is open", body: "```!\ndate\n", want: "```!\ndate"},
		{name: "an empty block", body: "```!\n\n```\nx", want: "```!\n\n```\nx"},
		{name: "a block with a language", body: "```!sh\ndate\n```", want: "```!sh\ndate\n```"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			skill := skills.Skill{Name: "it", Body: strings.TrimRight(tt.body, "\n"), Arguments: tt.arguments, Variables: map[string]string{"OWN": "mine"}}
			w := newWorld(t, worldConfig{rules: allowSkills(), options: skills.Options{
				List:   func(*pegboard.Session, []string) []skills.Skill { return []skills.Skill{skill} },
				Effort: func(*pegboard.Session) string { return "high" },
			}})
			o := w.load(t, "it", tt.args)
			require.NoError(t, o.Err)
			require.Equal(t, tt.want, strings.TrimPrefix(messages(o), "Skill it:\n\n"))
		})
	}
}

func TestDirectoryVariables(t *testing.T) {
	t.Parallel()
	skill := skills.Skill{Name: "it", Body: "${CLAUDE_PROJECT_DIR} ${CLAUDE_SKILL_DIR}"}
	w := newWorld(t, worldConfig{list: []skills.Skill{skill}, rules: allowSkills()})
	require.Equal(t, "Skill it:\n\n"+w.dir+" ${CLAUDE_SKILL_DIR}", messages(w.load(t, "it", "")))
}
