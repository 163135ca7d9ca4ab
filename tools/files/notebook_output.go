package files

import (
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/notebook"
)

// output returns one output of a cell for the host and for the model. Of a long
// stream or traceback the end is shown, of other texts the beginning.
func (s *sheet) output(o notebook.Output) (CellOutput, []pegboard.Part) {
	text, atTail := o.Text, o.Kind == "stream"
	if o.Kind == "error" {
		text, atTail = errorText(o), true
	}
	shown, _ := readable([]byte(plainText(text)))
	text = excerpt(string(shown), atTail)
	out := CellOutput{Type: o.Kind, Text: text}
	head := fmt.Sprintf("<output type=%q", o.Kind)
	if o.Name != "" {
		head += fmt.Sprintf(" name=%q", o.Name)
	}
	head += ">\n"
	var pictures []pegboard.Part
	for _, img := range o.Images {
		out.Images = append(out.Images, img.MIME)
		pictures = append(pictures, s.picture(img))
	}
	if text == "" && len(o.Images) == 0 && len(o.Types) > 0 {
		head += fmt.Sprintf("[%s, not shown]\n", strings.Join(o.Types, ", "))
	}
	parts := append([]pegboard.Part{{Text: head + withEnd(text)}}, pictures...)
	return out, append(parts, pegboard.Part{Text: "</output>\n"})
}

// errorText returns the traceback, or what is known without one.
func errorText(o notebook.Output) string {
	if len(o.Traceback) > 0 {
		return strings.Join(o.Traceback, "\n")
	}
	return o.Ename + ": " + o.Evalue
}

// picture returns an image of an output, or why it is not shown.
func (s *sheet) picture(img notebook.Image) pegboard.Part {
	if s.images >= maxNotebookImages {
		return pegboard.Part{Text: fmt.Sprintf("[%s of %d bytes, not shown: %d images are enough for one call. Ask for this cell alone.]\n", img.MIME, len(img.Data), maxNotebookImages)}
	}
	if int64(len(img.Data)) > s.o.MaxImageBytes {
		return pegboard.Part{Text: fmt.Sprintf("[%s of %d bytes, too large to be shown]\n", img.MIME, len(img.Data))}
	}
	p, err := s.o.fit(img.Data, img.MIME)
	if err != nil {
		return pegboard.Part{Text: fmt.Sprintf("[%s of %d bytes, not shown: %v]\n", img.MIME, len(img.Data), err)}
	}
	s.images++
	return pegboard.Part{MIME: p.mime, Data: p.data}
}

// excerpt returns text if it is short, else its end or its beginning.
func excerpt(text string, atTail bool) string {
	rest := len(text) - maxOutputBytes
	if rest <= 0 {
		return text
	}
	if atTail {
		kept := strings.ToValidUTF8(text[rest:], "")
		return fmt.Sprintf("[%d bytes before this are not shown]\n%s", len(text)-len(kept), kept)
	}
	kept := strings.ToValidUTF8(text[:maxOutputBytes], "")
	return fmt.Sprintf("%s\n[%d bytes after this are not shown]", kept, len(text)-len(kept))
}

// escape begins a sequence that colours a terminal or moves its cursor.
const escape = 0x1B

// plainText returns text without escape sequences.
func plainText(text string) string {
	at := strings.IndexByte(text, escape)
	if at < 0 {
		return text
	}
	var b strings.Builder
	for ; at >= 0; at = strings.IndexByte(text, escape) {
		b.WriteString(text[:at])
		text = text[at+sequence(text[at:]):]
	}
	return b.String() + text
}

// longestSequence is how far the end of an escape sequence is looked for.
const longestSequence = 256

// sequence returns how long the escape sequence is that text begins with. One
// without an end is the escape character alone.
func sequence(text string) int {
	if len(text) < 2 {
		return len(text)
	}
	kind := text[1]
	if kind != '[' && kind != ']' {
		return 2
	}
	for i := 2; i < min(len(text), longestSequence); i++ {
		switch c := text[i]; {
		case kind == '[' && c >= 0x40 && c <= 0x7E:
			return i + 1
		case kind == ']' && (c == 0x07 || c == '\\' && text[i-1] == escape):
			return i + 1
		}
	}
	return 1
}
