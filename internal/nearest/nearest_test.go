package nearest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/nearest"
)

func TestNames(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		want string
		have []string
		most int
		near []string
	}{
		{name: "a letter left out", want: "pth", have: []string{"limit", "path"}, most: 3, near: []string{"path"}},
		{name: "two letters swapped", want: "raed", have: []string{"read", "write"}, most: 3, near: []string{"read"}},
		{name: "letter case", want: "READ_FILE", have: []string{"read_file"}, most: 3, near: []string{"read_file"}},
		{name: "nearer first", want: "read_fil", have: []string{"read_mail", "read_file"}, most: 3, near: []string{"read_file", "read_mail"}},
		{name: "at most", want: "read_fil", have: []string{"read_mail", "read_file"}, most: 1, near: []string{"read_file"}},
		{name: "ties by name", want: "tool_x", have: []string{"tool_c", "tool_a", "tool_b"}, most: 2, near: []string{"tool_a", "tool_b"}},
		{name: "contained", want: "search", have: []string{"web_search_pages", "fetch"}, most: 3, near: []string{"web_search_pages"}},
		{name: "common beginning", want: "filename", have: []string{"file_path"}, most: 3, near: []string{"file_path"}},
		{name: "short common beginning", want: "get_weather", have: []string{"get_stock_price"}, most: 3},
		{name: "nothing near", want: "zzz", have: []string{"path", "limit"}, most: 3},
		{name: "one letter is not near another", want: "x", have: []string{"a", "xy"}, most: 3},
		{name: "one letter with a sign is not near another", want: "-r", have: []string{"-A", "-i", "-n"}, most: 3},
		{name: "nor near what begins with it", want: "-include", have: []string{"-i", "-n"}, most: 3},
		{name: "two signs", want: "--", have: []string{"-A", "__", "--"}, most: 3, near: []string{"--"}},
		{name: "letter case of one letter", want: "-R", have: []string{"-A", "-r"}, most: 3, near: []string{"-r"}},
		{name: "a letter more", want: "--glob", have: []string{"-g", "glob"}, most: 3, near: []string{"glob"}},
		{name: "letter case with a sign", want: "-NO", have: []string{"-no", "-na"}, most: 3, near: []string{"-no", "-na"}},
		{name: "no name", want: "", have: []string{"a"}, most: 3},
		{name: "nothing to choose from", want: "a", most: 3},
		{name: "none asked for", want: "a", have: []string{"a"}, most: 0},
		{name: "the same name twice", want: "paht", have: []string{"path", "path"}, most: 3, near: []string{"path"}},
		{name: "letters beyond ASCII", want: "größe", have: []string{"GRÖSSE", "Größen"}, most: 1, near: []string{"Größen"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.near, nearest.Names(tt.want, tt.have, tt.most))
		})
	}
}

func TestNamesOfGarbage(t *testing.T) {
	t.Parallel()
	have := manyNames()
	require.Empty(t, nearest.Names(strings.Repeat("\x00\xff", 1<<19), have, 3))
	long := strings.Repeat("tool_77é", 1<<17)
	require.True(t, utf8.ValidString(strings.Join(nearest.Names(long, have, 3), "")))
}

func FuzzNames(f *testing.F) {
	f.Add("pth", "path limit pattern")
	f.Add("\xff", "\xff \xfe")
	f.Fuzz(func(t *testing.T, want, list string) {
		have := strings.Fields(list)
		got := nearest.Names(want, have, 2)
		require.LessOrEqual(t, len(got), 2)
		for _, name := range got {
			require.Contains(t, have, name)
		}
		slices.Reverse(have)
		require.Equal(t, got, nearest.Names(want, have, 2))
		if len(want) > 1 && len(want) < 100 && utf8.ValidString(want) && slices.Contains(have, want) {
			require.Contains(t, got, want)
		}
	})
}

func manyNames() []string {
	names := make([]string, 10_000)
	for i := range names {
		names[i] = fmt.Sprintf("mcp__server_%d__tool_%d", i%50, i)
	}
	return names
}

func BenchmarkNames(b *testing.B) {
	have := manyNames()
	for b.Loop() {
		nearest.Names("mcp__server_7__tol_57", have, 3)
	}
}
