package schema

import (
	"encoding/json"
	"reflect"
	"strconv"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// A rewriter writes a valid JSON text anew, for a Codec.
type rewriter struct {
	in      jsonscan.Scanner
	out     []byte
	encodes bool // Codec.Encode instead of Codec.Decode
	tries   bool // decode leaves, see Codec.Fault

	path string // of the value of err
	err  error  // the first one
}

func (r *rewriter) value(s *shape, at *strictjson.Trail) {
	r.in.Next()
	switch first := r.in.Text[r.in.Pos]; {
	case s == nil:
		r.out = append(r.out, r.in.Value()...)
	case s.leaf != nil:
		r.leaf(s.leaf, at)
	case s.duration != noDuration:
		r.duration(s.duration, at)
	case first == '{':
		r.object(s, at)
	case first == '[' && s.element != nil:
		r.list(s, at)
	default:
		r.out = append(r.out, r.in.Value()...)
	}
}

func (r *rewriter) leaf(t reflect.Type, at *strictjson.Trail) {
	text := r.in.Value()
	r.out = append(r.out, text...)
	if r.tries && r.err == nil {
		if err := json.Unmarshal(text, reflect.New(t).Interface()); err != nil {
			r.path, r.err = at.Path(), err
		}
	}
}

func (r *rewriter) list(s *shape, at *strictjson.Trail) {
	r.bracket('[')
	for i := 0; r.in.More(); i++ {
		r.comma(i == 0)
		r.value(s.element, at.Index(i))
	}
	r.bracket(']')
}

func (r *rewriter) object(s *shape, at *strictjson.Trail) {
	r.bracket('{')
	given := map[string]bool{}
	for r.in.More() {
		literal := r.in.Value()
		r.comma(len(given) == 0)
		r.out = append(append(r.out, literal...), ':')
		key := jsonscan.Unquote(literal)
		given[key] = true
		if s.fields != nil {
			r.value(s.fields[key], at.Key(key))
		} else {
			r.value(s.element, at.Key(key))
		}
	}
	for _, d := range s.defaults {
		if given[d.name] || r.encodes {
			continue
		}
		r.comma(len(given) == 0)
		given[d.name] = true
		r.out = append(append(r.out, jsonobject.Quote(d.name)...), ':')
		inner := rewriter{in: jsonscan.Scanner{Text: d.text}}
		inner.value(s.fields[d.name], nil)
		r.out = append(r.out, inner.out...)
	}
	r.bracket('}')
}

// duration writes the string of a duration as nanoseconds, and nanoseconds as a string.
func (r *rewriter) duration(form durationForm, at *strictjson.Trail) {
	text := r.in.Value()
	var n int64
	quoted := text[0] == '"'
	switch {
	case r.tries:
	case r.encodes:
		plain := text
		if quoted {
			plain = text[1 : len(text)-1]
		}
		if err := json.Unmarshal(plain, &n); err == nil && text[0] != 'n' {
			text = jsonobject.Quote(time.Duration(n).String())
		}
	case quoted:
		written := jsonscan.Unquote(text)
		d, err := time.ParseDuration(written)
		if err != nil && r.err == nil {
			r.path = at.Path()
			r.err = NewInvalid(r.path, strictjson.Quote(written)+` is no duration; write a number with its unit, such as "90s" or "1m30s"`)
		}
		text = strconv.AppendInt(nil, int64(d), 10)
		if form == quotedDuration {
			text = jsonobject.Quote(string(text))
		}
	}
	r.out = append(r.out, text...)
}

// bracket steps over a bracket and writes it.
func (r *rewriter) bracket(b byte) {
	r.in.Pos++
	r.out = append(r.out, b)
}

func (r *rewriter) comma(first bool) {
	if !first {
		r.out = append(r.out, ',')
	}
}
