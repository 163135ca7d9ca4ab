package tooltest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func TestNewSessionRefusesMissingFolder(t *testing.T) {
	t.Parallel()
	_, err := tooltest.NewSession(t.TempDir() + "/none")
	require.Error(t, err)
}
