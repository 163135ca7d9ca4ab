package edit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

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
