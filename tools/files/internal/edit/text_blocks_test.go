package edit_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/edit"
)

// blockOf returns a block from lines with a blank, "-" or "+" before them, by "|".
func blockOf(text string) edit.Block {
	var b edit.Block
	for line := range strings.SplitSeq(text, "|") {
		switch line[0] {
		case '@':
			b.Headers = append(b.Headers, line[1:])
		case '$':
			b.AtEnd = true
		case '-':
			b.Old = append(b.Old, line[1:])
		case '+':
			b.New, b.AddsEnd = append(b.New, line[1:]), true
		default:
			b.Old, b.New, b.AddsEnd = append(b.Old, line[1:]), append(b.New, line[1:]), false
		}
	}
	return b
}

func TestReplaceBlocks(t *testing.T) {
	t.Parallel()
	const classes = "class A:\n    def f(self):\n        return 1\n\nclass B(A):\n    def f(self):\n        return 1\n    def g(self):\n        return 1\n"
	for _, tt := range []struct {
		name   string
		file   string
		blocks []string
		want   string
		level  edit.MatchLevel
	}{
		{name: "one line", file: "a\nb\nc\n", blocks: []string{" a|-b|+B| c"}, want: "a\nB\nc\n"},
		{name: "only removed", file: "a\nb\nc\n", blocks: []string{"-b"}, want: "a\nc\n"},
		{name: "only added, between lines", file: "a\nb\nc\n", blocks: []string{" a|+x| b"}, want: "a\nx\nb\nc\n"},
		{name: "several, in order", file: "a\nb\na\nb\n", blocks: []string{" a|-b|+1| a", "-b|+2"}, want: "a\n1\na\n2\n"},
		{name: "several, out of order", file: "a\nb\nc\nd\n", blocks: []string{"-c|+C", "-a|+A"}, want: "A\nb\nC\nd\n"},
		{name: "the later of two, after a block", file: "x\na\ny\na\n", blocks: []string{"-y|+Y", "-a|+A"}, want: "x\na\nY\nA\n"},
		{name: "the one that is left", file: "a\nb\na\n", blocks: []string{"-b|+c", "-a|+A", "-a|+B"}, want: "B\nc\nA\n"},
		{name: "header", file: classes, blocks: []string{"@class B(A):|         return 1|+        # first"}, want: strings.Replace(classes, "class B(A):\n    def f(self):\n        return 1\n", "class B(A):\n    def f(self):\n        return 1\n        # first\n", 1)},
		{name: "a part of a header", file: classes, blocks: []string{"@class B|-    def f(self):|+    def h(self):"}, want: strings.Replace(classes, "class B(A):\n    def f", "class B(A):\n    def h", 1)},
		{name: "headers below each other", file: classes, blocks: []string{"@class B(A):|@def g(self):|-        return 1|+        return 2"}, want: strings.TrimSuffix(classes, "1\n") + "2\n"},
		{name: "the header is the first line, too", file: classes, blocks: []string{"@class B(A):| class B(A):|-    def f(self):|+    def h(self):"}, want: strings.Replace(classes, "class B(A):\n    def f", "class B(A):\n    def h", 1)},
		{name: "a header that is not there, and lines found once", file: "a\nb\n", blocks: []string{"@func x()|-b|+B"}, want: "a\nB\n"},
		{name: "a header before the block before", file: "f\na\ng\nb\n", blocks: []string{"-b|+B", "@f|-a|+A"}, want: "f\nA\ng\nB\n"},
		{name: "added after a header", file: "f\na\n", blocks: []string{"@f|+x"}, want: "f\nx\na\n"},
		{name: "added at the end", file: "a\n", blocks: []string{"+x|+y"}, want: "a\nx\ny\n"},
		{name: "added at the end of a file without a last line end", file: "a", blocks: []string{"+x", "+y"}, want: "a\nx\ny\n"},
		{name: "added to an empty file", file: "", blocks: []string{"+x"}, want: "x\n"},
		{name: "at the end", file: "a\nb\na\nb\n", blocks: []string{"-a| b|$"}, want: "a\nb\nb\n"},
		{name: "at the end, with a header before", file: "a\nb\na\n", blocks: []string{"@b|+x|$"}, want: "a\nb\na\nx\n"},
		{name: "the last line, without a line end, is replaced", file: "a\nb", blocks: []string{"-b|+c"}, want: "a\nc\n"},
		{name: "the last line, without a line end, stays", file: "a\nb", blocks: []string{"-a|+c| b"}, want: "c\nb"},
		{name: "added below the last line without a line end", file: "a\nb", blocks: []string{" b|+c"}, want: "a\nb\nc\n"},
		{name: "the last line is replaced, and another is added", file: "a\nb", blocks: []string{"-b|+c", "+d"}, want: "a\nc\nd\n"},
		{name: "all lines removed", file: "a\nb\n", blocks: []string{"-a|-b"}, want: ""},
		{name: "blank lines count", file: "a\n\nb\na\nb\n", blocks: []string{" a| |+x"}, want: "a\n\nx\nb\na\nb\n"},
		{name: "only a blank line", file: "a\n\nb\n", blocks: []string{" |+x"}, want: "a\n\nx\nb\n"},
		{name: "line ends of the file", file: "a\r\nb\r\n", blocks: []string{" a|-b|+B|+c"}, want: "a\r\nB\r\nc\r\n"},
		{name: "white space at line ends", file: "a  \nb\n", blocks: []string{" a|-b|+c"}, want: "a  \nc\n", level: edit.TrailingSpace},
		{name: "other indentation", file: "\tif a {\n\t\tb()\n\t}\n", blocks: []string{" if a {|-    b()|+    c()|+    d()| }"}, want: "\tif a {\n\t\tc()\n\t\td()\n\t}\n", level: edit.Indentation},
		{name: "other quotes", file: "say “so”\nnow\n", blocks: []string{` say "so"|-now|+then`}, want: "say “so”\nthen\n", level: edit.Punctuation},
		{name: "similar lines", file: "the quick brown fox jumps\nover it\n", blocks: []string{" the quick brown f0x jumps|-over it|+under it"}, want: "the quick brown fox jumps\nunder it\n", level: edit.Fuzzy},
		{name: "a block that only shows lines", file: "a\nb\n", blocks: []string{" a", "-b|+c"}, want: "a\nc\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var blocks []edit.Block
			for _, text := range tt.blocks {
				blocks = append(blocks, blockOf(text))
			}
			change, levels, err := parse(t, tt.file).ReplaceBlocks(blocks)
			require.NoError(t, err)
			require.Equal(t, tt.want, string(change.Data))
			require.Equal(t, tt.level, slices.Max(levels))
			require.Equal(t, tt.level, change.Level)
		})
	}
}

func TestReplaceBlocksRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		file   string
		blocks []string
		want   string
	}{
		{name: "absent", file: "alpha\nbeta\n", blocks: []string{"-gamma|+x"}, want: "block 1: the old text is not in the file; nothing was changed."},
		{name: "absent, and made before", file: "alpha\nreturn compute(b)\n", blocks: []string{"-zzzzzzzz|+return compute(b)"}, want: "The new text is there already, at line 2"},
		{name: "several places after the block before", file: "x\na\na\n", blocks: []string{"-x|+y", "-a|+A"}, want: "block 2: its lines are found several times, at lines 2, 3. Write the function or class"},
		{name: "several places before the block before", file: "a\na\nx\n", blocks: []string{"-x|+y", "-a|+A"}, want: "block 2: its lines are found several times, at lines 1, 2"},
		{name: "several places, similar", file: "\ta()\n  a()\n", blocks: []string{"-a()|+b()"}, want: "at lines 1, 2 (match without regard to indentation)"},
		{name: "at the end, twice, one of them", file: "a\nb\na\nc\n", blocks: []string{"-a|+x|$"}, want: "found several times, at lines 1, 3"},
		{name: "blocks that overlap", file: "a\nb\nc\n", blocks: []string{" a|-b|+x", "-b|+y"}, want: "block 2: it changes lines that a block before it changes, too; make one block of both"},
		{name: "an omission", file: "a\n", blocks: []string{"-a|+// ... existing code ..."}, want: "stands for text that was left out"},
		{name: "nothing new", file: "a\nb\n", blocks: []string{" a| b"}, want: edit.ErrPresent.Error()},
		{name: "no text", file: "a\n", blocks: []string{"-a|+\x00"}, want: edit.ErrBadText.Error()},
		{name: "another encoding", file: "caf\xe9\na\n", blocks: []string{"-a|+é"}, want: "the new text is not plain ASCII"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var blocks []edit.Block
			for _, text := range tt.blocks {
				blocks = append(blocks, blockOf(text))
			}
			change, _, err := parse(t, tt.file).ReplaceBlocks(blocks)
			require.Nil(t, change)
			require.ErrorContains(t, err, tt.want)
		})
	}
}

// TestReplaceBlocksAsPatch makes random changes into hunks, which patch applies, and into
// blocks without their line numbers. The result is the same, or a block is refused since
// its lines are found several times.
func TestReplaceBlocksAsPatch(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("patch")
	if err != nil {
		t.Skip("patch is the oracle of this test and not installed")
	}
	random := rand.New(rand.NewPCG(9, 10))
	applied := 0
	for n := range effort.Of(t, 1000) {
		words := 3 + random.IntN(200) // few make lines that are found several times
		text := func(lines int) []string {
			all := make([]string, lines)
			for i := range all {
				all[i] = strings.Repeat(" ", random.IntN(3)) + fmt.Sprint("word", random.IntN(words))
			}
			return all
		}
		old := text(random.IntN(60))
		now := slices.Clone(old)
		for range 1 + random.IntN(4) {
			from := random.IntN(len(now) + 1)
			to := min(len(now), from+random.IntN(4))
			now = slices.Replace(now, from, to, text(random.IntN(4))...)
		}
		before, after := lineText(old), lineText(now)
		hunks := edit.Patch(before, after, random.IntN(4))
		if len(hunks) == 0 {
			continue
		}
		var blocks []edit.Block
		for _, h := range hunks {
			b := blockOf(strings.Join(h.Lines, "|"))
			b.AtEnd = h.OldStart+h.OldLines > len(old) && len(b.Old) == 0
			blocks = append(blocks, b)
		}
		change, levels, err := parse(t, before).ReplaceBlocks(blocks)
		if err != nil {
			require.ErrorContains(t, err, "found several times", "%d", n)
			continue
		}
		if slices.ContainsFunc(blocks, func(b edit.Block) bool { return len(b.Old) == 0 && !b.AtEnd }) {
			continue // without lines around it, a block belongs at the end
		}
		applied++
		require.Equal(t, edit.Exact, slices.Max(levels))
		require.Equal(t, after, change.New, "%d: %q %q", n, before, blocks)
		require.Equal(t, patched(t, program, before, hunks), change.New)
	}
	if effort.Full(t) {
		require.Greater(t, applied, 300)
	}
}

func lineText(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// patched returns what the program patch makes of a text.
func patched(t *testing.T, program, text string, hunks []pegboard.Hunk) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	cmd := exec.CommandContext(t.Context(), program, "--quiet", "--posix", "--no-backup-if-mismatch", path)
	cmd.Stdin = strings.NewReader("--- f\n+++ f\n" + pegboard.Diff{Hunks: hunks}.Unified())
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return "" // patch removes a file that becomes empty
	}
	require.NoError(t, err)
	return string(data)
}
