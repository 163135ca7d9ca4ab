package settings_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// TestLargeFilesAreReadInLinearTime: a file as large as may be read, on one line, takes seconds and
// not hours.
func TestLargeFilesAreReadInLinearTime(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ begin, item, end string }{
		"deny rules":        {begin: `{"permissions": {"deny": [`, item: `"Read(/a/b%d/**)"`, end: `]}}`},
		"rules that ask":    {begin: `{"permissions": {"deny": [`, item: `"Write(/a/b%d/**)"`, end: `]}}`},
		"wrong allow rules": {begin: `{"permissions": {"allow": [`, item: `"(x%d"`, end: `]}}`},
		"directories":       {begin: `{"permissions": {"additionalDirectories": [`, item: `"/d/%d"`, end: `]}}`},
		"keys":              {begin: `{`, item: `"k%d": 1`, end: `}`},
		"one key":           {begin: `{`, item: `"k": %d`, end: `}`},
		"variables":         {begin: `{"env": {`, item: `"V%d": "1"`, end: `}}`},
		"servers":           {begin: `{"enabledMcpjsonServers": [`, item: `"s%d"`, end: `]}`},
	}
	size := effort.Of(t, 4_000_000)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			b.WriteString(tt.begin)
			for i := 0; b.Len() < size; i++ {
				if i > 0 {
					b.WriteString(", ")
				}
				fmt.Fprintf(&b, tt.item, i)
			}
			b.WriteString(tt.end)
			f := files(t)
			f.Trusted = true
			write(t, f.Project, b.String())
			begun := time.Now()
			_, err := load(t, f).Permissions()
			require.NoError(t, err)
			require.Less(t, time.Since(begun), time.Minute)
		})
	}
}
