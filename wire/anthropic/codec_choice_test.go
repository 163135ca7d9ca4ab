package anthropic_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
)

func TestChoice(t *testing.T) {
	t.Parallel()
	w := anthropic.New(poolOf(t, tool(t, "clock", "", anyObject), tool(t, "notes.add", "", anyObject)), anthropic.Config{})
	tests := []struct {
		name   string
		choice wire.Choice
		want   string
	}{
		{name: "zero", want: `{"type":"auto"}`},
		{name: "auto, one at a time", choice: wire.Choice{Sequential: true}, want: `{"type":"auto","disable_parallel_tool_use":true}`},
		{name: "required", choice: wire.Choice{Mode: wire.Required}, want: `{"type":"any"}`},
		{name: "required, one at a time", choice: wire.Choice{Mode: wire.Required, Sequential: true}, want: `{"type":"any","disable_parallel_tool_use":true}`},
		{name: "required of one", choice: wire.Choice{Mode: wire.Required, Tools: []string{"clock"}}, want: `{"type":"tool","name":"clock"}`},
		{name: "required of some", choice: wire.Choice{Mode: wire.Required, Tools: []string{"clock", "notes.add"}}, want: `{"type":"any"}`},
		{name: "auto of one", choice: wire.Choice{Tools: []string{"clock"}}, want: `{"type":"auto"}`},
		{name: "none", choice: wire.Choice{Mode: wire.None, Sequential: true}, want: `{"type":"none"}`},
		{name: "one", choice: wire.Choice{Mode: wire.One, Tool: "clock"}, want: `{"type":"tool","name":"clock"}`},
		{name: "one by another name", choice: wire.Choice{Mode: wire.One, Tool: "notes.add", Sequential: true},
			want: `{"type":"tool","name":"` + w.Name("notes.add") + `","disable_parallel_tool_use":true}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, `{"tool_choice":`+tt.want+`}`, string(w.Choice(tt.choice)))
			require.Equal(t, "{}", string(anthropic.New(poolOf(t), anthropic.Config{}).Choice(tt.choice)), "the API takes no choice without tools")
		})
	}
}
