package shellparse_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLinksAreNotEditsOnly(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"cp -s a b", "cp -P a b", "cp -d a b", "cp -a a b", "cp -ra a b", "cp --symbolic-link a b", "cp -l a b", "cp --preserve=links a b", "ln -s a b", "ln a b"} {
		require.False(t, parse(line).Commands[0].EditsOnly, "%q", line)
	}
	require.True(t, parse("cp a b").Commands[0].EditsOnly)
}
