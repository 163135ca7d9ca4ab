package shellparse

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHas(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		list, name string
		want       bool
	}{
		{list: "-x --exec run", name: "-x", want: true},
		{list: "-x --exec run", name: "--exec", want: true},
		{list: "-x --exec run", name: "run", want: true},
		{list: "-x --exec run", name: "--exe"},
		{list: "-x --exec run", name: "exec"},
		{list: "-x --exec run", name: "-x --exec"},
		{list: "-x --exec run", name: ""},
		{list: "", name: ""},
		{list: "", name: "run"},
	} {
		require.Equal(t, tt.want, has(tt.list, tt.name), "%q in %q", tt.name, tt.list)
	}
}

func FuzzHas(f *testing.F) {
	for _, list := range []string{"", " ", "a", "aaa b", "ab a", "a  b", " a ", "--fix-all --fix", "a\tb"} {
		for _, name := range []string{"", " ", "a", "aa", "a b", "b ", "--fix", "\t"} {
			f.Add(list, name)
		}
	}
	f.Fuzz(func(t *testing.T, list, name string) {
		require.Equal(t, name != "" && slices.Contains(strings.Split(list, " "), name), has(list, name))
	})
}
