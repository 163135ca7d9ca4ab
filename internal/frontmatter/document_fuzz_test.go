package frontmatter_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/frontmatter"
)

func FuzzParse(f *testing.F) {
	for _, seed := range heads() {
		f.Add("---\n" + seed + "\n---\nbody\n")
	}
	f.Add("\uFEFF---\r\na: b\r\n---\r\n")
	f.Add("---\na: b\r\r\n---\r\r\n0\r\r\n0")
	f.Add("---\na: &a [*a]\n---\n")
	f.Fuzz(func(t *testing.T, file string) {
		d, err := frontmatter.Parse([]byte(file))
		if err != nil {
			var at *frontmatter.Error
			require.ErrorAs(t, err, &at)
			breaks := strings.NewReplacer("\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n").Replace(file)
			require.LessOrEqual(t, at.Line, 2+strings.Count(breaks, "\n"))
			return
		}
		seen := map[string]bool{}
		for _, field := range d.Fields {
			require.False(t, seen[field.Name], field.Name)
			seen[field.Name] = true
			require.Positive(t, field.Line)
			for _, err := range decodeAll(field.Value) {
				var at *frontmatter.Error
				require.ErrorAs(t, err, &at)
			}
		}
		// The body has no head of the file in it, and line ends of one kind.
		if d.Headed {
			require.Less(t, len(d.Body), len(file))
		}
		require.NotContains(t, d.Body, "\r")
	})
}

// decodeAll decodes a value in all ways and returns the errors.
func decodeAll(v frontmatter.Value) []error {
	_, text := v.Text()
	_, boolean := v.Bool()
	_, number := v.Int()
	_, list := v.List()
	_, data := v.JSON()
	var all []error
	for _, err := range []error{text, boolean, number, list, data} {
		if err != nil {
			all = append(all, err)
		}
	}
	return all
}

func FuzzSplitList(f *testing.F) {
	f.Add("Bash(git add:*), Agent(a, b) Read")
	f.Add("a,{b c")
	f.Fuzz(func(t *testing.T, text string) {
		all := frontmatter.SplitList(text)
		require.NotNil(t, all)
		// Only separators are lost.
		separators := strings.NewReplacer(",", "", " ", "", "\t", "", "\n", "", "\r", "")
		require.Equal(t, separators.Replace(text), separators.Replace(strings.Join(all, "")))
		for _, item := range all {
			require.NotEmpty(t, item)
			if !strings.ContainsAny(item, "({") {
				require.Equal(t, separators.Replace(item), item)
			}
		}
	})
}
