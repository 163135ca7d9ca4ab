package notebook_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode/utf16"
)

// pairs is a JSON object that keeps its order and may have a key twice.
type pairs []pair

type pair struct {
	key   string
	value any // string, []string, pairs, []any, or literal
}

// literal is JSON that is written as it is.
type literal string

// source is a text that is written as lines or one string, by style.
type source string

// A style is one way to write JSON.
type style struct {
	newline  string // "" for all on one line
	indent   string
	colon    string
	comma    string // on one line
	ascii    bool
	asString bool       // sources as one string
	bom      bool       // begins with a byte order mark
	end      string     // after the value
	chaos    *rand.Rand // puts any space anywhere, if set
}

func (s style) write(v any) string {
	var out strings.Builder
	if s.bom {
		out.WriteString("\ufeff")
	}
	s.value(&out, v, 0)
	out.WriteString(s.end)
	return out.String()
}

func (s style) value(out *strings.Builder, v any, depth int) {
	switch v := v.(type) {
	case literal:
		out.WriteString(string(v))
	case string:
		out.WriteString(s.text(v))
	case source:
		if s.asString {
			out.WriteString(s.text(string(v)))
			return
		}
		var lines []any
		for _, line := range sourceLines(string(v)) {
			lines = append(lines, line)
		}
		s.value(out, lines, depth)
	case []any:
		s.list(out, "[]", len(v), depth, func(i int) { s.value(out, v[i], depth+1) })
	case pairs:
		s.list(out, "{}", len(v), depth, func(i int) {
			out.WriteString(s.text(v[i].key))
			if s.chaos != nil {
				out.WriteString(s.space() + ":" + s.space())
			} else {
				out.WriteString(s.colon)
			}
			s.value(out, v[i].value, depth+1)
		})
	default:
		panic(fmt.Sprintf("no way to write %T", v))
	}
}

func (s style) list(out *strings.Builder, brackets string, size, depth int, element func(i int)) {
	out.WriteByte(brackets[0])
	for i := range size {
		switch {
		case s.chaos != nil:
			if i > 0 {
				out.WriteString(s.space() + ",")
			}
			out.WriteString(s.space())
		case s.newline != "":
			if i > 0 {
				out.WriteByte(',')
			}
			out.WriteString(s.newline + strings.Repeat(s.indent, depth+1))
		case i > 0:
			out.WriteString(s.comma)
		}
		element(i)
	}
	switch {
	case s.chaos != nil:
		out.WriteString(s.space())
	case s.newline != "" && size > 0:
		out.WriteString(s.newline + strings.Repeat(s.indent, depth))
	}
	out.WriteByte(brackets[1])
}

func (s style) space() string {
	return []string{"", "", " ", "\n", "\r\n", "\t", "\n  ", " \n "}[s.chaos.IntN(8)]
}

func (s style) text(text string) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		panic(err)
	}
	quoted := strings.TrimSuffix(out.String(), "\n")
	if s.ascii {
		return asASCII(quoted)
	}
	return quoted
}

// asASCII escapes what is beyond printable ASCII in a JSON text.
func asASCII(text string) string {
	var out strings.Builder
	for _, r := range text {
		if r <= '~' {
			out.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&out, `\u%04x`, unit)
		}
	}
	return out.String()
}

// sourceLines cuts a text as Python's splitlines(True) does, as far as the
// texts of the random notebooks need it.
func sourceLines(text string) []string {
	const cut = "\x00"
	marked := strings.NewReplacer("\r\n", "\r\n"+cut, "\n", "\n"+cut, "\f", "\f"+cut).Replace(text)
	if marked = strings.TrimSuffix(marked, cut); marked == "" {
		return nil
	}
	return strings.Split(marked, cut)
}
