package frontmatter

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// The limits of a file. Files of agents and skills stay far below them.
const (
	MaxBytes = 1 << 20  // of the file
	MaxHead  = 64 << 10 // bytes between the lines of hyphens
	MaxDepth = 32       // levels of lists and maps
	MaxNodes = 10_000   // values and keys, those of an alias counted wherever it stands
)

// A Document is a file.
type Document struct {
	// Headed says that the file begins with a head, which may be empty.
	Headed bool
	// Fields are the values of the head in the order of the file. Each name is there once.
	Fields []Field
	// Unquoted is the line of a description that is no YAML, since it has a colon in it, and that
	// was read as the text that it is meant to be; 0 if there is none.
	Unquoted int
	// Body is the rest of the file, or all of it, with line feeds as line ends. Blank lines
	// before and after it are cut.
	Body string
}

// A Field is a named value of a head.
type Field struct {
	Name  string
	Line  int // of the name in the file, counted from 1
	Value Value
}

// Parse splits a file into its head and its body. A byte order mark is ignored. A file has a
// head if its first line is three hyphens, maybe with blanks after them; the head ends with the
// next such line. The error is an *Error. It says that the file is too large, not UTF-8, that
// its head does not end or is no map of names to values, or that it goes beyond a limit.
func Parse(data []byte) (*Document, error) {
	if len(data) > MaxBytes {
		return nil, errorAt(0, "the file has %d bytes; at most %d are read", len(data), MaxBytes)
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if at := strictjson.IndexInvalidUTF8(data); at < len(data) {
		return nil, errorAt(1+bytes.Count(data[:at], []byte("\n")), "the text is not UTF-8; save the file as UTF-8")
	}
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(data))
	head, body, headed, err := split(text)
	if err != nil {
		return nil, err
	}
	d := &Document{Headed: headed, Body: strings.TrimRight(trimBlankLines(body), " \t\n")}
	if d.Fields, err = fields(head); err == nil {
		return d, nil
	}
	quoted, line := quoteDescription(head)
	if line == 0 {
		return nil, err
	}
	var again error
	if d.Fields, again = fields(quoted); again != nil {
		return nil, err
	}
	d.Unquoted = line
	return d, nil
}

// UnquotedAdvice says what to do about [Document].Unquoted.
const UnquotedAdvice = "the description has a colon and is read as text; put it into double quotes"

// quoteDescription returns a head whose description, if it is one line without quotes, is quoted,
// and the line in the file.
func quoteDescription(head string) (quoted string, line int) {
	const name = "description: "
	lines := strings.Split(head, "\n")
	i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, name) })
	if i < 0 {
		return "", 0
	}
	text := strings.TrimSpace(strings.TrimPrefix(lines[i], name))
	if text == "" || strings.ContainsAny(text[:1], "\"'|>[{&*!#%@`") {
		return "", 0
	}
	literal, err := json.Marshal(text) // is a value in double quotes of YAML, too
	if err != nil {
		return "", 0
	}
	lines[i] = name + string(literal)
	return strings.Join(lines, "\n"), i + 2
}

// Field returns the value of a name, and whether there is one that is not null.
func (d *Document) Field(name string) (Field, bool) {
	i := slices.IndexFunc(d.Fields, func(f Field) bool { return f.Name == name })
	if i < 0 || d.Fields[i].Value.Null() {
		return Field{}, false
	}
	return d.Fields[i], true
}

// split returns the parts of a text with line feeds.
func split(text string) (head, body string, headed bool, err error) {
	first, rest, more := strings.Cut(text, "\n")
	if !isFence(first) {
		return "", text, false, nil
	}
	if !more {
		return "", "", false, unclosed()
	}
	for at := 0; at < len(rest); {
		line, _, _ := strings.Cut(rest[at:], "\n")
		if isFence(line) {
			if at > MaxHead {
				return "", "", false, errorAt(1, "the head has %d bytes; at most %d are read", at, MaxHead)
			}
			return rest[:at], strings.TrimPrefix(rest[at+len(line):], "\n"), true, nil
		}
		at += len(line) + 1
	}
	return "", "", false, unclosed()
}

func unclosed() error {
	return errorAt(1, "the head does not end; write a line of three hyphens after it")
}

// isFence reports whether a line begins or ends a head.
func isFence(line string) bool { return strings.TrimRight(line, " \t") == "---" }

// trimBlankLines cuts blank lines at the start of a text. The indentation of the first line
// stays, since it may be code.
func trimBlankLines(text string) string {
	for {
		line, rest, more := strings.Cut(text, "\n")
		if !more || strings.TrimSpace(line) != "" {
			return text
		}
		text = rest
	}
}

// fields returns the values of a head.
func fields(head string) ([]Field, error) {
	root, err := load(head)
	switch {
	case err != nil:
		return nil, err
	case root == nil || isNull(root):
		return nil, nil
	case root.Kind != yaml.MappingNode:
		return nil, errorAt(lineOf(root), "the head is %s; write a name, a colon, a blank and a value on each line", describe(root))
	}
	limit := &limiter{}
	if err := limit.check(root, 0); err != nil {
		return nil, err
	}
	all := make([]Field, 0, len(root.Content)/2)
	for key, value := range pairs(root) {
		all = append(all, Field{Name: key.Value, Line: lineOf(key), Value: Value{node: value}})
	}
	return all, nil
}

// load returns the top value of a head, or nil if it has none.
func load(head string) (*yaml.Node, error) {
	for i, r := range head {
		if r == utf8.RuneError || r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return nil, errorAt(2+strings.Count(head[:i], "\n"), "the head has the character %U, which no YAML may have; take it out", r)
		}
	}
	var document yaml.Node
	err := goroutine.Try(func() error {
		loader, err := yaml.NewLoader(strings.NewReader(head), yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(MaxDepth))))
		if err != nil {
			return err
		}
		if err := loader.Load(&document); err != nil {
			return err
		}
		var second yaml.Node
		switch err := loader.Load(&second); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		return errorAt(lineOf(&second), "the head has a second document; leave one")
	})
	var own *Error
	switch {
	case errors.Is(err, io.EOF):
		return nil, nil
	case errors.As(err, &own):
		return nil, own
	case err != nil:
		return nil, notYAML(err)
	case len(document.Content) == 0:
		return nil, nil
	}
	return document.Content[0], nil
}
