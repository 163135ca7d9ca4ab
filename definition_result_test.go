package pegboard_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

func TestResultFuncKeepsTheTypedOutputForTheHost(t *testing.T) {
	t.Parallel()
	type output struct{ N int }
	shared := pegboard.TextResult("done")
	tests := []struct {
		name   string
		result func(output) *pegboard.Result
		want   any
	}{
		{name: "default", want: output{N: 1}},
		{name: "text", result: func(output) *pegboard.Result { return pegboard.TextResult("one") }, want: output{N: 1}},
		{name: "data of its own", result: func(output) *pegboard.Result {
			return &pegboard.Result{Parts: pegboard.TextResult("one").Parts, Data: "own"}
		}, want: "own"},
		{name: "a result that is returned again", result: func(output) *pegboard.Result { return shared }, want: output{N: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, err := range []error{nil, errors.New("partly")} {
				d := pegboard.Definition[struct{}, output]{
					Info: pegboard.Info{Name: "T"}, Description: "Does it.", Result: tt.result,
					Call: func(ctx, struct{}, *pegboard.Call) (output, error) { return output{N: 1}, err },
				}
				pool := registryOf(t, pegboard.Build(d)).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
				ex := executor(pegboard.Executor{})
				out := ex.Run(t.Context(), pool, call("1", "T", `{}`))[0]
				require.Equal(t, tt.want, out.Result.Data)
			}
		})
	}
	require.Nil(t, shared.Data)
}
