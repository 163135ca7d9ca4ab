package applypatch_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/files/internal/applypatch"
)

// wrapped returns lines between the marks of a patch.
func wrapped(lines string) string { return "*** Begin Patch\n" + lines + "\n*** End Patch" }

func TestParse(t *testing.T) {
	t.Parallel()
	update := func(hunks ...applypatch.Hunk) []applypatch.Section {
		return []applypatch.Section{{Action: applypatch.Update, Path: "a", Line: 2, Hunks: hunks}}
	}
	for _, tt := range []struct {
		name string
		text string
		want []applypatch.Section
	}{
		{name: "every action", text: wrapped("*** Add File: a b\n+x\n+\n++y\n*** Delete File: c\n*** Update File: d\n*** Move to: e/f\n@@\n-x\n+y"), want: []applypatch.Section{
			{Action: applypatch.Add, Path: "a b", Content: "x\n\n+y\n", Line: 2},
			{Action: applypatch.Delete, Path: "c", Line: 6},
			{Action: applypatch.Update, Path: "d", MoveTo: "e/f", Line: 7, Hunks: []applypatch.Hunk{{Old: []string{"x"}, New: []string{"y"}, AddsEnd: true, Line: 9}}},
		}},
		{name: "an empty file", text: wrapped("*** Add File: a"), want: []applypatch.Section{{Action: applypatch.Add, Path: "a", Line: 2}}},
		{name: "a file that is only moved", text: wrapped("*** Update File: a\n*** Move to: b"), want: []applypatch.Section{{Action: applypatch.Update, Path: "a", MoveTo: "b", Line: 2}}},
		{name: "headers of hunks", text: wrapped("*** Update File: a\n@@ class A\n@@ \tdef f():\n x\n-y\n@@ class B @@\n+z\n*** End of File"), want: update(
			applypatch.Hunk{Headers: []string{"class A", "def f():"}, Old: []string{"x", "y"}, New: []string{"x"}, Line: 3},
			applypatch.Hunk{Headers: []string{"class B"}, New: []string{"z"}, AddsEnd: true, AtEnd: true, Line: 7},
		)},
		{name: "the first hunk has no line @@", text: wrapped("*** Update File: a\n-x\n@@\n-y"), want: update(
			applypatch.Hunk{Old: []string{"x"}, Line: 3}, applypatch.Hunk{Old: []string{"y"}, Line: 4},
		)},
		{name: "a unified diff", text: wrapped("*** Update File: a\n--- a/a\n+++ b/a\n@@ -1,2 +1 @@ func f() {\n-x\n y\n\\ No newline at end of file"), want: update(
			applypatch.Hunk{Headers: []string{"func f() {"}, Old: []string{"x", "y"}, New: []string{"y"}, Line: 5},
		)},
		{name: "a line that begins with two dashes", text: wrapped("*** Update File: a\n--- x\n+- y"), want: update(
			applypatch.Hunk{Old: []string{"-- x"}, New: []string{"- y"}, AddsEnd: true, Line: 3},
		)},
		{name: "an empty line stays", text: wrapped("*** Update File: a\n@@\n x\n\n-y\n\n\n*** Update File: b\n*** Move to: c"), want: append(update(
			applypatch.Hunk{Old: []string{"x", "", "y"}, New: []string{"x", ""}, Line: 3},
		), applypatch.Section{Action: applypatch.Update, Path: "b", MoveTo: "c", Line: 9})},
		{name: "marks in the lines of files", text: wrapped("*** Add File: a\n+*** End Patch\n+*** Add File: b"), want: []applypatch.Section{
			{Action: applypatch.Add, Path: "a", Content: "*** End Patch\n*** Add File: b\n", Line: 2},
		}},
		{name: "marks as context", text: wrapped("*** Update File: a\n@@\n *** End Patch\n-*** Update File: b\n *** End of File"), want: update(
			applypatch.Hunk{Old: []string{"*** End Patch", "*** Update File: b", "*** End of File"}, New: []string{"*** End Patch", "*** End of File"}, Line: 3},
		)},
		{name: "line ends of Windows", text: strings.ReplaceAll(wrapped("*** Update File: a\n@@\n-x"), "\n", "\r\n"), want: update(applypatch.Hunk{Old: []string{"x"}, Line: 3})},
		{name: "white space around marks", text: "  *** Begin Patch \n*** Update File:a \n@@ \n-x\n *** End Patch  \n\n", want: update(applypatch.Hunk{Old: []string{"x"}, Line: 3})},
		{name: "no sections between two", text: wrapped("\n*** Delete File: a\n\n\n*** Delete File: b\n"), want: []applypatch.Section{
			{Action: applypatch.Delete, Path: "a", Line: 3}, {Action: applypatch.Delete, Path: "b", Line: 6},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := applypatch.Parse(tt.text)
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
}

// TestParseUnwraps what models write around a patch: the sections are the same.
func TestParseUnwraps(t *testing.T) {
	t.Parallel()
	patch := wrapped("*** Add File: a\n+EOF")
	for _, around := range []string{
		"%s", "\n\n%s\n", "```\n%s\n```", "```diff\n%s\n```\n",
		"apply_patch <<'EOF'\n%s\nEOF", "apply_patch <<EOF\n%s\nEOF\n", "applypatch <<\"PATCH\"\n%s\nPATCH", "<<'EOF'\n%s\nEOF", "apply_patch <<-'end_patch'\n%s\nend_patch",
		"```bash\napply_patch <<'EOF'\n%s\nEOF\n```", "apply_patch <<'EOF'\n\n%s", "%s\nEOF",
	} {
		got, err := applypatch.Parse(fmt.Sprintf(around, patch))
		require.NoError(t, err, around)
		require.Len(t, got, 1)
		require.Equal(t, "EOF\n", got[0].Content, around)
	}
}

// TestParseErrors say what to write instead.
func TestParseErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		text string
		line int
		says string
	}{
		{name: "nothing", text: "", line: 1, says: `does not begin with a line "*** Begin Patch"`},
		{name: "no begin", text: "*** Update File: a\n@@\n-x\n*** End Patch", line: 1, says: "does not begin"},
		{name: "no end", text: "*** Begin Patch\n*** Update File: a\n@@\n-x", line: 4, says: `does not end with a line "*** End Patch", so it may have been cut off`},
		{name: "only a begin", text: "*** Begin Patch", line: 1, says: "does not end"},
		{name: "something after the end", text: wrapped("*** Delete File: a") + "\nDone!", line: 4, says: "does not end"},
		{name: "no sections", text: wrapped(""), says: "it has no file sections"},
		{name: "not a header", text: wrapped("*** Rename File: a"), line: 2, says: "expected the header of a file"},
		{name: "no path", text: wrapped("*** Update File: \n-x"), line: 2, says: "the path is missing"},
		{name: "no path to move to", text: wrapped("*** Update File: a\n*** Move to:"), line: 3, says: "the path to move to is missing"},
		{name: "a line of a new file without a plus", text: wrapped("*** Add File: a\n+x\ny"), line: 4, says: "each line of a new file begins with a +"},
		{name: "an empty line in a new file", text: wrapped("*** Add File: a\n+x\n\n+y"), line: 4, says: "also an empty one"},
		{name: "lines of a file that is deleted", text: wrapped("*** Delete File: a\n-x"), line: 3, says: "nothing can follow"},
		{name: "no hunks", text: wrapped("*** Update File: a\n*** Update File: b\n-x"), line: 2, says: "the file is updated by no lines"},
		{name: "no lines", text: wrapped("*** Update File: a\n@@ f\n@@\n"), line: 4, says: "no lines follow the line @@"},
		{name: "a line without a mark", text: wrapped("*** Update File: a\n@@\n x\ny\n-z"), line: 5, says: "begins with a blank if it stays"},
		{name: "an unknown mark", text: wrapped("*** Update File: a\n@@\n x\n*** Stop"), line: 5, says: "expected a line of the hunk"},
		{name: "a move after a hunk", text: wrapped("*** Update File: a\n@@\n-x\n*** Move to: b"), line: 5, says: `comes right below the line "*** Update File:"`},
		{name: "a move of a new file", text: wrapped("*** Add File: a\n+x\n*** Move to: b"), line: 4, says: `comes right below the line "*** Update File:"`},
		{name: "two patches", text: wrapped("*** Delete File: a") + "\n" + wrapped("*** Update File: b\n-x"), line: 3, says: "put the sections of all files between one"},
		{name: "two patches, the first with hunks", text: wrapped("*** Update File: b\n-x") + "\n" + wrapped("*** Delete File: a"), line: 4, says: "put the sections of all files between one"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := applypatch.Parse(tt.text)
			require.Empty(t, got)
			var syntax *applypatch.SyntaxError
			require.ErrorAs(t, err, &syntax)
			require.Equal(t, tt.line, syntax.Line, err)
			require.ErrorContains(t, err, tt.says)
		})
	}
}

// FuzzParse: sections that are read are whole, and in the form in which they can be written
// again they are read as the same.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "*** Begin Patch", wrapped("*** Add File: a\n+x\n*** Delete File: b\n*** Update File: c\n*** Move to: d\n@@ f\n x\n\n-y\n+z\n*** End of File\n@@ -1 +1 @@\n+q"),
		"```\napply_patch <<'EOF'\n" + wrapped("*** Update File: a\n--- a\n+++ b\n-x") + "\nEOF\n```", strings.ReplaceAll(wrapped("*** Update File: a\n-x"), "\n", "\r\n"),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		sections, err := applypatch.Parse(text)
		if err != nil {
			var syntax *applypatch.SyntaxError
			require.ErrorAs(t, err, &syntax)
			require.Empty(t, sections)
			require.LessOrEqual(t, syntax.Line, strings.Count(text, "\n")+1)
			return
		}
		require.NotEmpty(t, sections)
		for _, s := range sections {
			require.NotEmpty(t, s.Path)
			require.True(t, s.Action != applypatch.Update || len(s.Hunks) > 0 || s.MoveTo != "")
			for _, h := range s.Hunks {
				require.NotEmpty(t, append(h.Old, h.New...))
			}
		}
		again, err := applypatch.Parse(format(sections))
		require.NoError(t, err, format(sections))
		require.Equal(t, withoutLines(sections), withoutLines(again), format(sections))
	})
}

// format writes sections as a patch.
func format(sections []applypatch.Section) string {
	var b strings.Builder
	for _, s := range sections {
		fmt.Fprintf(&b, "*** %s File: %s\n", s.Action, s.Path)
		if s.MoveTo != "" {
			fmt.Fprintf(&b, "*** Move to: %s\n", s.MoveTo)
		}
		for line := range strings.Lines(s.Content) {
			b.WriteString("+" + line)
		}
		for _, h := range s.Hunks {
			b.WriteString("@@\n")
			for _, header := range h.Headers {
				b.WriteString("@@ " + header + "\n")
			}
			formatLines(&b, h)
			if h.AtEnd {
				b.WriteString("*** End of File\n")
			}
		}
	}
	return wrapped(strings.TrimSuffix(b.String(), "\n"))
}

// formatLines writes the lines of a hunk. Only the last one of New stays, if it is in Old.
func formatLines(b *strings.Builder, h applypatch.Hunk) {
	mark := func(mark string, lines []string) {
		for _, line := range lines {
			b.WriteString(mark + line + "\n")
		}
	}
	last := len(h.New) - 1
	if last < 0 || h.AddsEnd {
		mark("-", h.Old)
		mark("+", h.New)
		return
	}
	at := len(h.Old) - 1
	for h.Old[at] != h.New[last] {
		at--
	}
	mark("-", h.Old[:at])
	mark("+", h.New[:last])
	mark(" ", h.New[last:])
	mark("-", h.Old[at+1:])
}

// withoutLines returns the sections without the numbers of their lines.
func withoutLines(sections []applypatch.Section) []applypatch.Section {
	var all []applypatch.Section
	for _, s := range sections {
		s.Line = 0
		s.Hunks = append([]applypatch.Hunk(nil), s.Hunks...)
		for i := range s.Hunks {
			s.Hunks[i].Line = 0
		}
		all = append(all, s)
	}
	return all
}
