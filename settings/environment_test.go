package settings_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/settings"
)

func TestDeferral(t *testing.T) {
	t.Parallel()
	off := pegboard.Deferral{Mode: pegboard.DeferOff}
	tests := []struct {
		name, value, betas string
		want               pegboard.Deferral
		err                string
	}{
		{name: "unset"},
		{name: "on", value: "true"},
		{name: "off", value: " false ", want: off},
		{name: "by share", value: "auto", want: pegboard.Deferral{Mode: pegboard.DeferAuto}},
		{name: "by another share", value: "auto:25", want: pegboard.Deferral{Mode: pegboard.DeferAuto, MaxShare: 0.25}},
		{name: "any share", value: "auto:0"},
		{name: "too large a share", value: "auto:101", want: off, err: "ENABLE_TOOL_SEARCH=auto:101: after auto:"},
		{name: "no share", value: "auto:", want: off, err: "from 0 to 100"},
		{name: "no number", value: "auto:NaN", want: off, err: "from 0 to 100"},
		{name: "nonsense", value: "sometimes", want: off, err: "true, false, auto or auto:N"},
		{name: "no experiments", value: "true", betas: "1", want: off},
		{name: "experiments", value: "auto", betas: "false", want: pegboard.Deferral{Mode: pegboard.DeferAuto}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := settings.Deferral(func(name string) string {
				return map[string]string{"ENABLE_TOOL_SEARCH": tt.value, "CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS": tt.betas}[name]
			})
			require.Equal(t, tt.want, got)
			if tt.err == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tt.err)
		})
	}
}

func ExampleDeferral() {
	environment := map[string]string{"ENABLE_TOOL_SEARCH": "auto:5"}
	policy, err := settings.Deferral(func(name string) string { return environment[name] }) // os.Getenv in a host
	fmt.Println(policy.Mode, policy.MaxShare, err)
	// Output: auto 0.05 <nil>
}
