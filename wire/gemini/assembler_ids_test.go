package gemini_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMadeIDs makes ids beside ids that the API gave, which look like those.
func TestMadeIDs(t *testing.T) {
	t.Parallel()
	clock := calls("clock", "{}")
	tests := []struct {
		name  string
		parts []string
		want  []string
	}{
		{name: "none given", parts: []string{clock, clock}, want: []string{"r-1", "r-2"}},
		{name: "given between", parts: []string{clock, callsWithID("x", "clock", "{}"), clock}, want: []string{"r-1", "x", "r-3"}},
		{name: "given before", parts: []string{callsWithID("r-2", "clock", "{}"), callsWithID("r-3", "clock", "{}"), clock, clock}, want: []string{"r-2", "r-3", "r-4", "r-5"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, m, err := read(strings.NewReader(ends("STOP", tt.parts...)))
			require.NoError(t, err)
			var got []string
			for _, c := range m.Calls {
				got = append(got, c.ID)
			}
			require.Equal(t, tt.want, got)
		})
	}
}

// TestManyCalls reads a reply that is made to take long: no call costs a look at the
// whole response, or at all ids before it.
func TestManyCalls(t *testing.T) {
	t.Parallel()
	const n = 5_000
	var parts []string
	for i := range n {
		parts = append(parts, callsWithID(fmt.Sprintf("r-%d", n+i+1), "f", "{}"))
	}
	for range n {
		parts = append(parts, calls("f", "{}"))
	}
	body := ends("STOP", parts...)
	_, m, err := read(strings.NewReader(body))
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf("r-%d", 3*n), m.Calls[2*n-1].ID)

	_, m, err = read(strings.NewReader(strings.Replace(body, `,"responseId":"r"`, "", 1)))
	require.NoError(t, err)
	require.Len(t, m.Calls, 2*n)
}
