package workflow_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/workflow"
)

func TestNestedSource(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"!", "a=>", "[", "(", "{", "a=>{", "`${", "f("} {
		_, _, _, err := workflow.ParseScript(strings.Repeat(part, workflow.MaxScript/len(part)))
		require.ErrorIs(t, err, workflow.ErrScript)
		require.Less(t, len(err.Error()), 1000, part)
	}
}

func TestMeta(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, script       string
		want, about, wrong string
		phases             []string
	}{
		{name: "none", script: "return 1"},
		{name: "all", script: "export const meta = { name: 'n', 'description': \"d\", phases: [`a`, {title: 'b', detail: 'x'}], other: 7 }", want: "n", about: "d", phases: []string{"a", "b"}},
		{name: "without export", script: "\n// first\n/* more */ const meta = {name: 'n'}", want: "n"},
		{name: "after a comment", script: "\n// first\n/* more */ export const meta = {name: 'n'}", want: "n"},
		{name: "not first", script: "log(1); const meta = {name: 'n'}"},
		{name: "computed", script: "const meta = {name: 'a' + 'b'}", wrong: "meta.name: meta is an object of plain values"},
		{name: "template", script: "const meta = {name: `a${1}`}", wrong: "meta.name"},
		{name: "spread", script: "const meta = {...x}", wrong: "meta is an object of plain values"},
		{name: "getter", script: "const meta = {get name() { return 'x' }}", wrong: "meta is an object of plain values"},
		{name: "no object", script: "const meta = 1", wrong: "meta is an object of plain values"},
		{name: "phases", script: "const meta = {phases: 'a'}", wrong: "meta.phases"},
		{name: "phase without a title", script: "const meta = {phases: [{}]}", wrong: "meta.phases"},
		{name: "export of something else", script: "export const x = 1", wrong: "a workflow has no import and no export"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			name, about, phases, err := workflow.ParseScript(test.script)
			if test.wrong != "" {
				require.ErrorContains(t, err, test.wrong)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.want, name)
			require.Equal(t, test.about, about)
			require.Equal(t, test.phases, phases)
		})
	}
}
