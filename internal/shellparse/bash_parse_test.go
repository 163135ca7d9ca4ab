package shellparse_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNestedTextsOfUnparsedLines(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"open quote":      "echo 'a; touch marker",
		"open list":       "touch marker &&",
		"if":              "if touch marker",
		"carriage return": "ls\rtouch marker",
		"zero byte":       "ls\x00; touch marker",
		"quoted name":     `"to"uch marker &&`,
		"path":            "/usr/bin/touch marker &&",
		"under sudo":      "sudo -u me touch marker &&",
		"assigned":        "A=1 touch marker &&",
		"too long":        "touch marker; echo " + strings.Repeat("a", 10_000),
	}
	for name, line := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := parse(line)
			require.NotEmpty(t, l.Unknown)
			require.Contains(t, allTexts(l), "touch marker")
		})
	}
}
