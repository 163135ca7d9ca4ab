package shelltable_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/shelltable"
)

func TestOptionSpecsAreSound(t *testing.T) {
	t.Parallel()
	check := func(name string, s shelltable.OptionSpec) {
		require.NotEmpty(t, s.Source, name)
		seen := map[string]bool{}
		for text := range strings.FieldsSeq(s.Options) {
			require.Regexp(t, `^(-[A-Za-z0-9]|-[A-Za-z][\w.-]+|--[a-zA-Z][\w.-]*|\*[\w-]+)[!=~>]?$`, text, name)
			option := strings.TrimRight(text, "!=~>")
			require.False(t, seen[option], "%s lists %s twice", name, option)
			seen[option] = true
			require.False(t, len(option) == 2 && strings.Contains(s.Valued, option[1:]), "%s lists %s as harmless, too", name, option)
		}
	}
	check("any", shelltable.GenericOptions)
	for name, list := range shelltable.OptionSpecs {
		words := map[string]bool{}
		for _, s := range list {
			require.False(t, words[s.Words], "%s %s stands there twice", name, s.Words)
			words[s.Words] = true
			check(name, s)
		}
	}
}
