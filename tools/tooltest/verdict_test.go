package tooltest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func TestContractErrorText(t *testing.T) {
	t.Parallel()
	v := tooltest.ContractError{Rule: "traits are pure", Got: "they changed", Why: "they must not"}
	require.EqualError(t, &v, "traits are pure: they changed; they must not")
	v.Input = `{}`
	require.EqualError(t, &v, "traits are pure: they changed (input {}); they must not")
	v.Input = strings.Repeat("x", 300)
	require.EqualError(t, &v, "traits are pure: they changed (input "+strings.Repeat("x", 200)+"… of 300 bytes); they must not")
}
