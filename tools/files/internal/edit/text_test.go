package edit_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/edit"
)

func TestParse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		data     string
		text     string
		encoding string
		end      string
		mixed    bool
	}{
		{name: "empty", data: "", text: "", encoding: "UTF-8", end: "\n"},
		{name: "UTF-8", data: "\u00e9\n", text: "\u00e9\n", encoding: "UTF-8", end: "\n"},
		{name: "a mark", data: "\ufeffa\r\n", text: "a\n", encoding: "UTF-8 with BOM", end: "\r\n"},
		{name: "a mark alone", data: "\ufeff", text: "", encoding: "UTF-8 with BOM", end: "\n"},
		{name: "a second mark is text", data: "\ufeff\ufeffa", text: "\ufeffa", encoding: "UTF-8 with BOM", end: "\n"},
		{name: "mixed ends", data: "a\nb\r\nc", text: "a\nb\nc", encoding: "UTF-8", end: "\n", mixed: true},
		{name: "mixed ends, CRLF first", data: "a\r\nb\nc\rd", text: "a\nb\nc\rd", encoding: "UTF-8", end: "\r\n", mixed: true},
		{name: "CR alone", data: "a\rb\r", text: "a\nb\n", encoding: "UTF-8", end: "\r"},
		{name: "CR before CRLF", data: "a\r\r\n", text: "a\r\n", encoding: "UTF-8", end: "\r\n"},
		{name: "UTF-16LE", data: "\xff\xfea\x00\r\x00\n\x00\x3d\xd8\x00\xde", text: "a\n\U0001F600", encoding: "UTF-16LE", end: "\r\n"},
		{name: "UTF-16BE", data: "\xfe\xff\x00a\x00\n\xd8\x3d\xde\x00", text: "a\n\U0001F600", encoding: "UTF-16BE", end: "\n"},
		{name: "Latin-1", data: "caf\xe9\r\n", text: "caf\ufffd\n", encoding: "unknown 8-bit encoding", end: "\r\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			text := parse(t, test.data)
			require.Equal(t, test.text, text.String())
			require.Equal(t, test.encoding, text.Encoding())
			require.Equal(t, test.end, text.LineEnd())
			require.Equal(t, test.mixed, text.Mixed())
		})
	}
}

func TestParseRefusesWhatItCouldNotWriteBack(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		data   string
		binary bool
	}{
		{name: "NUL", data: "a\x00b", binary: true},
		{name: "NUL behind a mark", data: "\ufeffa\x00", binary: true},
		{name: "NUL in UTF-16", data: "\xff\xfea\x00\x00\x00", binary: true},
		{name: "UTF-16 without a mark", data: "a\x00b\x00", binary: true},
		{name: "half a character", data: "\xff\xfea"},
		{name: "a high surrogate at the end", data: "\xff\xfe\x3d\xd8"},
		{name: "a high surrogate before another character", data: "\xfe\xff\xd8\x3d\x00a"},
		{name: "a low surrogate", data: "\xff\xfe\x00\xdea\x00"},
		{name: "UTF-32LE", data: "\xff\xfe\x00\x00a\x00\x00\x00"},
		{name: "UTF-32BE", data: "\x00\x00\xfe\xff\x00\x00\x00a"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			text, err := edit.Parse([]byte(test.data))
			require.Nil(t, text)
			if test.binary {
				require.ErrorIs(t, err, edit.ErrBinary)
				return
			}
			var refused *edit.EncodingError
			require.ErrorAs(t, err, &refused)
		})
	}
}

func TestReplaceWritesTheFilesOwnBytes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		data     string
		old, new string
		all      bool
		want     string
	}{
		{name: "CRLF", data: "a\r\nb\r\nc\r\n", old: "a\nb", new: "a\nx\nb", want: "a\r\nx\r\nb\r\nc\r\n"},
		{name: "CRLF in the call", data: "a\nb\n", old: "a\r\nb", new: "a\r\nc", want: "a\nc\n"},
		{name: "CRLF, every place", data: "a\r\nb\r\na\r\nb\r\n", old: "a\nb\n", new: "c\nd\ne\n", all: true, want: "c\r\nd\r\ne\r\nc\r\nd\r\ne\r\n"},
		{name: "mixed, first LF", data: "a\nb\r\nc\nd\r\n", old: "b\nc\n", new: "b\nx\ny\nc\n", want: "a\nb\r\nx\ny\nc\nd\r\n"},
		{name: "mixed, first CRLF", data: "a\r\nb\nc\r\n", old: "b\n", new: "b\nx\n", want: "a\r\nb\nx\r\nc\r\n"},
		{name: "mixed, a changed line keeps its end", data: "a\nb\r\nc\n", old: "b", new: "x", want: "a\nx\r\nc\n"},
		{name: "mixed, changed lines keep their ends", data: "a\nb\r\nc\nd\r\n", old: "a\nb\nc\nd", new: "1\n2\n3\n4", want: "1\n2\r\n3\n4\r\n"},
		{name: "mixed, every place", data: "a\nx\r\nx\nx\r\n", old: "x\n", new: "y\nz\n", all: true, want: "a\ny\r\nz\ny\nz\ny\r\nz\n"},
		{name: "CR alone", data: "a\rb\r", old: "a\nb", new: "a\nx\nb", want: "a\rx\rb\r"},
		{name: "CR alone in the call", data: "a\rb\r", old: "a\rb", new: "c", want: "c\r"},
		{name: "CR that ends no line", data: "a\rb\nc\n", old: "a\rb", new: "a\rx", want: "a\rx\nc\n"},
		{name: "CR before CRLF stays", data: "a\r\r\nb\r\n", old: "b", new: "c", want: "a\r\r\nc\r\n"},
		{name: "mark and no final newline", data: "\ufeffa\r\nb", old: "b", new: "c\nd", want: "\ufeffa\r\nc\r\nd"},
		{name: "a higher level in CRLF", data: "\tif a {\r\n\t\tb\r\n\t}\r\n", old: "  if a {\n    b\n", new: "  if a {\n    c\n    b\n", want: "\tif a {\r\n\t\tc\r\n\t\tb\r\n\t}\r\n"},
		{name: "UTF-16LE", data: "\xff\xfea\x00\r\x00\n\x00\x3d\xd8\x00\xde", old: "a\n", new: "\u00e9\n\U0001F601", want: "\xff\xfe\xe9\x00\r\x00\n\x00\x3d\xd8\x01\xde\x3d\xd8\x00\xde"},
		{name: "UTF-16BE", data: "\xfe\xff\x00a\x00\n", old: "a", new: "b\nc", want: "\xfe\xff\x00b\x00\n\x00c\x00\n"},
		{name: "Latin-1 elsewhere", data: "caf\xe9 = 1\nx = 2\n", old: "x = 2", new: "x = 3", want: "caf\xe9 = 1\nx = 3\n"},
		{name: "GBK elsewhere", data: "\xc4\xe3\xba\xc3 = 1\r\nx = 2\r\n", old: "x = 2\n", new: "x = 3\ny\n", want: "\xc4\xe3\xba\xc3 = 1\r\nx = 3\r\ny\r\n"},
		{name: "a file of a mark", data: "\ufeff", old: "", new: "a\n", want: "\ufeffa\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			change, err := parse(t, test.data).Replace(edit.Replacement{Old: test.old, New: test.new, All: test.all})
			require.NoError(t, err)
			require.Equal(t, test.want, string(change.Data))
			require.Equal(t, parse(t, test.want).String(), change.New)
		})
	}
}

func TestReplaceTouchesNoBytesItCannotRead(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		data     string
		old, new string
		all      bool
	}{
		{name: "old text is not ASCII", data: "caf\xe9\n", old: "caf\ufffd", new: "x"},
		{name: "new text is not ASCII", data: "caf\xe9 1\n", old: "1", new: "\u00e9"},
		{name: "may be the second byte of a character", data: "\x95\\n\n", old: "\\n", new: "x"},
		{name: "before a byte that cannot be read", data: "a\xe9\n", old: "a", new: "x"},
		{name: "one of several", data: "a b\na\xe9\n", old: "a", new: "x", all: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := parse(t, test.data).Replace(edit.Replacement{Old: test.old, New: test.new, All: test.all})
			var refused *edit.EncodingError
			require.ErrorAs(t, err, &refused)
		})
	}
	_, err := parse(t, "caf\xe9\n  x\n").Replace(edit.Replacement{Old: "x  ", New: "y"})
	var absent *edit.AbsentError
	require.ErrorAs(t, err, &absent, "higher levels are for text that can be read")
}

func TestRewrite(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		data    string
		content string
		want    string
	}{
		{name: "empty file", data: "", content: "a\n", want: "a\n"},
		{name: "to nothing", data: "a\nb\n", content: "", want: ""},
		{name: "CRLF", data: "a\r\nb\r\n", content: "x\ny\nz\n", want: "x\r\ny\r\nz\r\n"},
		{name: "mixed lines keep their ends", data: "a\nb\r\nc\nd\r\n", content: "b\nnew\nd\n", want: "b\r\nnew\nd\r\n"},
		{name: "content with CRLF alone", data: "a\nb\n", content: "a\r\nb\r\n", want: "a\r\nb\r\n"},
		{name: "content with CRLF alone, mixed file", data: "a\nb\r\n", content: "a\r\nb\r\n", want: "a\r\nb\r\n"},
		{name: "content with both", data: "a\nb\n", content: "a\r\nc\n", want: "a\nc\n"},
		{name: "content with both, CRLF file", data: "a\r\nb\r\n", content: "a\r\nc\n", want: "a\r\nc\r\n"},
		{name: "mark", data: "\ufeffa\n", content: "b\n", want: "\ufeffb\n"},
		{name: "mark in content", data: "\ufeffa\n", content: "\ufeffb\n", want: "\ufeffb\n"},
		{name: "mark in content alone", data: "a\n", content: "\ufeffb\n", want: "b\n"},
		{name: "UTF-16", data: "\xff\xfea\x00\r\x00\n\x00", content: "b\nc\n", want: "\xff\xfeb\x00\r\x00\n\x00c\x00\r\x00\n\x00"},
		{name: "unknown encoding, ASCII content", data: "caf\xe9\r\n", content: "cafe\n", want: "cafe\r\n"},
		{name: "a placeholder that was there", data: "# ... existing code ...\na\n", content: "# ... existing code ...\nb\n", want: "# ... existing code ...\nb\n"},
		{name: "the same", data: "a\nb", content: "a\nb", want: "a\nb"},
		{name: "the same, mixed", data: "a\nb\r\nc\rd", content: "a\nb\nc\rd", want: "a\nb\r\nc\rd"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			change, err := parse(t, test.data).Rewrite(test.content)
			require.NoError(t, err)
			require.Equal(t, test.want, string(change.Data))
			require.Equal(t, parse(t, test.want).String(), change.New)
		})
	}
}

func TestRewriteRefuses(t *testing.T) {
	t.Parallel()
	var omitted *edit.OmissionError
	_, err := parse(t, "a\n").Rewrite("b\n// ... existing code ...\n")
	require.ErrorAs(t, err, &omitted)
	var refused *edit.EncodingError
	_, err = parse(t, "caf\xe9\n").Rewrite("caf\u00e9\n")
	require.ErrorAs(t, err, &refused)
	_, err = parse(t, "a\n").Rewrite("\xff")
	require.ErrorIs(t, err, edit.ErrBadText)
}

func TestNewFile(t *testing.T) {
	t.Parallel()
	data, err := edit.NewFile("a\r\n\u00e9")
	require.NoError(t, err)
	require.Equal(t, "a\r\n\u00e9", string(data))
	for _, content := range []string{"\x00", "\xed\xa0\x80"} {
		_, err := edit.NewFile(content)
		require.ErrorIs(t, err, edit.ErrBadText, "%q", content)
	}
}

func TestSpans(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		file     string
		old, new string
		want     []edit.Span
	}{
		{name: "within a line", file: "a\nb c\n", old: "b", new: "x", want: spans(2, 2, 2, 2)},
		{name: "lines that stay are no part", file: "a\nb\nc\n", old: "a\nb\nc", new: "a\nx\ny\nc", want: spans(2, 2, 2, 3)},
		{name: "deleted lines", file: "a\nb\nc\nd\n", old: "b\nc\n", new: "", want: spans(2, 3, 2, 1)},
		{name: "inserted lines", file: "a\nb\n", old: "a\nb", new: "a\nx\ny\nb", want: spans(2, 1, 2, 3)},
		{name: "part of a line deleted", file: "a b\n", old: "a ", new: "", want: spans(1, 1, 1, 1)},
		{name: "an empty file", file: "", old: "", new: "a\nb\n", want: spans(1, 0, 1, 2)},
		{name: "every place", file: "a\nb\na\n", old: "a", new: "x\ny", want: append(spans(1, 1, 1, 2), spans(3, 3, 4, 5)...)},
		{name: "two on one line", file: "\na a\n", old: "a", new: "x", want: append(spans(2, 2, 2, 2), spans(2, 2, 2, 2)...)},
		{name: "the last line", file: "a\nb", old: "b", new: "c\n", want: spans(2, 2, 2, 2)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			change, err := parse(t, test.file).Replace(edit.Replacement{Old: test.old, New: test.new, All: true})
			require.NoError(t, err)
			require.Equal(t, test.want, change.Spans)
		})
	}
}

func spans(oldFirst, oldLast, newFirst, newLast int) []edit.Span {
	return []edit.Span{{Old: edit.Range{First: oldFirst, Last: oldLast}, New: edit.Range{First: newFirst, Last: newLast}}}
}

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

// A recordedEdit is an edit that a model asked for.
type recordedEdit struct {
	Old string `json:"old_string"`
	New string `json:"new_string"`
}

func recordedEdits(t *testing.T, folder string) []recordedEdit {
	t.Helper()
	var edits []recordedEdit
	for number, line := range corpus.Lines(t, filepath.Join(folder, "transcripts", "tool_calls.jsonl")) {
		var call struct {
			Tool  string          `json:"tool"`
			Input json.RawMessage `json:"input"`
		}
		require.NoError(t, json.Unmarshal(line, &call), "line %d", number)
		if call.Tool != "Edit" {
			continue
		}
		var e recordedEdit
		require.NoError(t, json.Unmarshal(call.Input, &e), "line %d", number)
		edits = append(edits, e)
	}
	return edits
}

// TestRecordedEdits makes the edits that models asked for, in files that differ
// from what the model believes in one way each.
func TestRecordedEdits(t *testing.T) {
	t.Parallel()
	const before, behind = "first line of the file\n\n", "\n\nlast line of the file\n"
	changes := []struct {
		name  string
		make  func(string) string // of the file
		level edit.MatchLevel
	}{
		{name: "exact", make: func(s string) string { return s }, level: edit.Exact},
		{name: "CRLF", make: func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }, level: edit.Exact},
		{name: "trailing space", make: func(s string) string { return strings.ReplaceAll(s, "\n", " \n") }, level: edit.TrailingSpace},
		{name: "deeper", make: func(s string) string { return "\t" + strings.ReplaceAll(s, "\n", "\n\t") }, level: edit.Indentation},
		{name: "no-break spaces", make: func(s string) string { return strings.ReplaceAll(s, " ", "\u00a0") }, level: edit.Punctuation},
	}
	for _, folder := range corpus.Folders(t) {
		edits := recordedEdits(t, folder)
		done := map[string]int{}
		for _, e := range edits {
			for _, c := range changes {
				// The file has the lines of the old text in full.
				file := before + c.make(e.Old) + behind
				change, err := parse(t, file).Replace(edit.Replacement{Old: e.Old, New: e.New})
				if err != nil {
					t.Logf("%s: %v", c.name, err)
					continue
				}
				require.LessOrEqual(t, change.Level, c.level)
				require.True(t, strings.HasPrefix(change.New, before))
				require.True(t, strings.HasSuffix(change.New, behind))
				if c.level == edit.Exact {
					require.Equal(t, before+e.New+behind, change.New)
				}
				done[c.name]++
			}
		}
		corpus.Report(t, folder, "%d edits, made: %v", len(edits), done)
		for _, c := range changes {
			require.GreaterOrEqual(t, done[c.name]*10, len(edits)*9, c.name)
		}
	}
}

// randomFile returns the bytes of a text in a random encoding with random line
// ends; uniform says that all lines end alike.
func randomFile(t *testing.T, random *rand.Rand, uniform bool) []byte {
	t.Helper()
	ends := []string{"\n", "\r\n"}
	if uniform {
		ends = [][]string{{"\n"}, {"\r\n"}, {"\r"}}[random.IntN(3)]
	}
	var text strings.Builder
	for range random.IntN(20) {
		text.WriteString([]string{"", "a", "\tb c", "é“q”", "\U0001F600", " d ", "f("}[random.IntN(7)])
		text.WriteString(ends[random.IntN(len(ends))])
	}
	if random.IntN(2) == 0 {
		text.WriteString("last")
	}
	switch random.IntN(4) {
	case 0:
		return []byte(text.String())
	case 1:
		return []byte("\ufeff" + text.String())
	case 2:
		return inUTF16(text.String(), true)
	}
	return inUTF16(text.String(), false)
}

func inUTF16(text string, little bool) []byte {
	var units []uint16
	for _, r := range "\ufeff" + text {
		if r >= 0x10000 {
			units = append(units, uint16(0xd800+(r-0x10000)>>10), uint16(0xdc00+(r-0x10000)&0x3ff))
			continue
		}
		units = append(units, uint16(r))
	}
	var data []byte
	for _, u := range units {
		pair := []byte{byte(u >> 8), byte(u)}
		if little {
			pair[0], pair[1] = pair[1], pair[0]
		}
		data = append(data, pair...)
	}
	return data
}

func TestBytesOutsideOfAnEditStay(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	edits := 0
	for range effort.Of(t, 3000) {
		data := randomFile(t, random, false)
		text := parse(t, string(data))
		view := text.String()
		if view == "" {
			continue
		}
		from := boundary(view, random.IntN(len(view)))
		to := boundary(view, from+1+random.IntN(len(view)-from))
		old := view[from:to]
		if old == "" || strings.Count(view, old) != 1 {
			continue
		}
		change, err := text.Replace(edit.Replacement{Old: old, New: "<\n>"})
		var ambiguous *edit.AmbiguousError
		if errors.As(err, &ambiguous) { // overlapping hits
			continue
		}
		require.NoError(t, err)
		edits++
		require.Equal(t, view[:from]+"<\n>"+view[to:], change.New)
		// The bytes before and behind come from cutting the file at the places
		// that the text names.
		before, behind := encodedSize(data, view, from), len(data)-encodedSize(data, view, to)
		require.Equal(t, string(data[:before]), string(change.Data[:before]), "%q %q", data, old)
		require.True(t, bytes.HasSuffix(change.Data, data[len(data)-behind:]), "%q %q", data, old)

		back, err := parse(t, string(change.Data)).Replace(edit.Replacement{Old: "<\n>", New: old})
		require.NoError(t, err)
		require.Equal(t, view, back.New)
		if !text.Mixed() && !strings.HasPrefix(text.LineEnd(), "\n") {
			require.Equal(t, string(data), string(back.Data))
		}
	}
	if effort.Full(t) {
		require.Greater(t, edits, 300)
	}
}

// boundary moves an offset back to where a character begins.
func boundary(text string, at int) int {
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// encodedSize counts the bytes of the file that stand for the beginning of its
// text, in another way than the package: it walks the file.
func encodedSize(data []byte, view string, upTo int) int {
	unit, at := 1, 0
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		unit, at = 2, 2
	case bytes.HasPrefix(data, []byte("\ufeff")):
		at = 3
	}
	for _, r := range view[:upTo] {
		size := utf8.RuneLen(r)
		if unit == 2 {
			size = 2
			if r >= 0x10000 {
				size = 4
			}
		}
		if r == '\n' && bytes.IndexByte(data[at:at+unit], '\r') >= 0 && at+unit < len(data) && bytes.IndexByte(data[at+unit:at+2*unit], '\n') >= 0 {
			size += unit
		}
		at += size
	}
	return at
}

func TestRewriteOfTheSameTextIsTheSameFile(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	for n := range effort.Of(t, 600) {
		data := randomFile(t, random, n%2 == 0)
		text := parse(t, string(data))
		change, err := text.Rewrite(text.String())
		require.NoError(t, err)
		require.Equal(t, string(data), string(change.Data))
		require.Empty(t, change.Spans)
	}
}

func TestPiecesOfARewriteKeepTheirBytes(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 8))
	for range effort.Of(t, 600) {
		data := randomFile(t, random, false)
		text := parse(t, string(data))
		change, err := text.Rewrite("new line\n" + text.String())
		require.NoError(t, err)
		mark := encodedSize(data, "", 0)
		require.True(t, bytes.HasSuffix(change.Data, data[mark:]), "%q\n%q", data, change.Data)
	}
}

func FuzzReplace(f *testing.F) {
	f.Add([]byte("\ta\r\n\tb\n"), "  a\n  b", "  a\n  c", false)
	f.Add([]byte("\ufeffcaf\u00e9 \u201cx\u201d\u2026\r\n"), "cafe\u0301 \"x\"...", "cafe\u0301 \"y\"...", true)
	f.Add([]byte("\xff\xfea\x00\n\x00"), "a\n", "b", false)
	f.Add([]byte("caf\xe9 x"), "x", "y", true)
	f.Add([]byte("func f() {\n\ta\n\tb()\n\tc\n}\n"), "func f() {\n\ta\n\tc\n}", "func f() {\n\ta\n\td\n}", false)
	f.Add([]byte("the quick brown fox\njumps"), "the quick brwn fox", "the quick brwn dog", false)
	f.Add([]byte("a\r\r\nb\rc"), "\r\nb", "\r", false)
	f.Fuzz(func(t *testing.T, data []byte, old, wanted string, all bool) {
		text, err := edit.Parse(data)
		if err != nil {
			return
		}
		require.True(t, utf8.ValidString(text.String()))
		change, err := text.Replace(edit.Replacement{Old: old, New: wanted, All: all})
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.NotEqual(t, change.Old, change.New)
		again := parse(t, string(change.Data))
		require.Equal(t, again.String(), change.New)
		// What stands before the first place is as it was. A "\r" at the seam may
		// join a "\n", so the line before is not looked at.
		lines := bytes.SplitAfter(data, []byte("\n"))
		if n := change.Spans[0].Old.First - 2; n > 0 && n < len(lines) && text.LineEnd() != "\r" && !strings.HasPrefix(text.Encoding(), "UTF-16") {
			require.True(t, bytes.HasPrefix(change.Data, bytes.Join(lines[:n], nil)))
		}
	})
}

func FuzzRewrite(f *testing.F) {
	f.Add([]byte("a\r\nb\n"), "a\nc\nb\n")
	f.Add([]byte("\xfe\xff\x00a"), "b\r\n")
	f.Fuzz(func(t *testing.T, data []byte, content string) {
		text, err := edit.Parse(data)
		if err != nil {
			return
		}
		change, err := text.Rewrite(content)
		if err != nil {
			return
		}
		require.Equal(t, parse(t, string(change.Data)).String(), change.New)
		if !strings.Contains(content, "\r") && !strings.Contains(text.String(), "\r") {
			require.Equal(t, strings.TrimPrefix(content, "\ufeff"), change.New)
		}
	})
}

func BenchmarkFuzzy(b *testing.B) {
	random := rand.New(rand.NewPCG(9, 10))
	var file strings.Builder
	for n := range 5000 {
		fmt.Fprintf(&file, "\tvalue%d := compute(%d, other%d)\n", n%50, random.IntN(1000), random.IntN(50))
	}
	lines := strings.Split(file.String(), "\n")
	for _, size := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("absent/%d", size), func(b *testing.B) {
			old := strings.ReplaceAll(strings.Join(lines[2000:2000+size], "\n"), "compute", "konputtee")
			for b.Loop() {
				_, err := parse(b, file.String()).Replace(edit.Replacement{Old: old, New: "x"})
				require.Error(b, err)
			}
		})
		b.Run(fmt.Sprintf("similar/%d", size), func(b *testing.B) {
			old := strings.Replace(strings.Join(lines[2000:2000+size], "\n"), "compute", "komputte", 1) + "\n\tend9()"
			for b.Loop() {
				if _, err := parse(b, file.String()).Replace(edit.Replacement{Old: old, New: "x"}); err == nil {
					b.Fatal("it is not there")
				}
			}
		})
	}
}

// TestEscapesNeverChangeMore edits with a level of escapes too many or too few, in both
// texts alike. The result is that of the edit as it was meant, or an error.
func TestEscapesNeverChangeMore(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	backslashes := strings.NewReplacer("\n", `\n`, "\t", `\t`, `"`, `\"`, `\`, `\\`)
	entities := strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;", `"`, "&quot;")
	words := []string{"ab", "c ", "\"", "\\", "\n", "\t", "<", ">", "&", "x=1", "(", "é", "'"}
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(words[random.IntN(len(words))])
		}
		return b.String()
	}
	made := 0
	for range effort.Of(t, 20000) {
		encode := []*strings.Replacer{backslashes, entities}[random.IntN(2)].Replace
		before, old, wanted, after := text(random.IntN(5)), text(1+random.IntN(8)), text(random.IntN(8)), text(random.IntN(5))
		if random.IntN(2) == 0 { // most edits keep most of the text
			wanted = old[:boundary(old, random.IntN(len(old)))] + text(random.IntN(3))
		}
		file, r, want := before+old+after, edit.Replacement{Old: encode(old), New: encode(wanted)}, before+wanted+after
		if random.IntN(2) == 0 {
			file, r, want = encode(file), edit.Replacement{Old: old, New: wanted}, encode(want)
		}
		change, err := parse(t, file).Replace(r)
		if err != nil || change.Level != edit.Escapes {
			continue
		}
		made++
		require.Equal(t, want, change.New, "%q: %q", file, r)
	}
	if effort.Full(t) {
		require.Greater(t, made, 500)
	}
}
