package shelltable_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/shelltable"
)

func TestWildcardSpecsAreSound(t *testing.T) {
	t.Parallel()
	for name, list := range shelltable.WildcardSpecs {
		words := map[string]bool{}
		for _, s := range list {
			require.NotEmpty(t, s.Source, name)
			require.False(t, words[s.Words], "%s %s stands there twice", name, s.Words)
			words[s.Words] = true
			for _, flags := range []string{s.Flags, s.AfterDashes} {
				seen := map[string]bool{}
				for known := range strings.FieldsSeq(flags) {
					require.Regexp(t, `^(-[A-Za-z0-9][=?]?|--[A-Za-z0-9][A-Za-z0-9-]*[=?]?)$`, known, name)
					flag := strings.TrimRight(known, "=?")
					require.False(t, seen[flag], "%s %s lists %s twice", name, s.Words, flag)
					seen[flag] = true
				}
			}
			for flag := range s.Values {
				require.Contains(t, s.Flags+" "+s.AfterDashes, flag, name)
			}
		}
	}
}
