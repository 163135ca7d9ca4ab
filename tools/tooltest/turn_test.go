package tooltest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func TestWantErrors(t *testing.T) {
	t.Parallel()
	denied := answer("b")
	denied.Err = &pegboard.CallError{Tool: "T", Stage: pegboard.StagePermission, Err: pegboard.ErrDenied}
	outcomes := []pegboard.Outcome{answer("a"), denied}
	for _, tt := range []struct {
		name string
		want []error
		err  string
	}{
		{name: "as wanted", want: []error{nil, pegboard.ErrDenied}},
		{name: "another error", want: []error{nil, pegboard.ErrPanic}, err: `b: got error "permission T: denied", want error "panicked"`},
		{name: "an error too many", want: []error{nil, nil}, err: `b: got error "permission T: denied", want no error`},
		{name: "an error too few", want: []error{pegboard.ErrDenied, pegboard.ErrDenied}, err: `a: got no error, want error "denied"`},
		{name: "another number", want: []error{nil}, err: "got 2 outcomes, want 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := tooltest.WantErrors(tt.want...)(outcomes)
			if tt.err == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, tt.err)
		})
	}
}
