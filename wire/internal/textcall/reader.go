package textcall

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// namespace may stand before the names of elements.
const namespace = "antml:"

// openings returns the beginnings of calls in a form with tags.
func openings() []string {
	return []string{
		"<function_calls>", "<invoke ", "<" + namespace + "function_calls>", "<" + namespace + "invoke ",
		"<tool_call>", "<function_call>", "<tools>", "<function=", "[TOOL_CALLS]", "<|python_tag|>",
	}
}

// A reader reads calls in a text, from at on. Its methods report whether they found their piece
// of the text, and move at behind a piece that they found.
type reader struct {
	text  string
	at    int
	tools Tools
}

func (r *reader) rest() string { return r.text[r.at:] }

func (r *reader) space() {
	r.at = len(r.text) - len(strings.TrimLeft(r.rest(), " \t\r\n"))
}

func (r *reader) literal(s string) bool {
	if !strings.HasPrefix(r.rest(), s) {
		return false
	}
	r.at += len(s)
	return true
}

// until returns the text before the next s, and moves behind that.
func (r *reader) until(s string) (before string, ok bool) {
	before, _, ok = strings.Cut(r.rest(), s)
	if ok {
		r.at += len(before) + len(s)
	}
	return before, ok
}

// run reads all calls of one form, and the text that closes them. Nil means that it found no call.
func (r *reader) run() []Call {
	for _, form := range []func() []Call{r.invocations, r.toolCalls, r.functions, r.mistral, r.pythonTag} {
		begin := r.at
		if calls := form(); len(calls) > 0 {
			return calls
		}
		r.at = begin
	}
	return nil
}

// invocations reads <invoke> elements, which <function_calls> may surround. Its end may be
// missing: servers stop there and leave it out.
func (r *reader) invocations() (calls []Call) {
	space := ""
	if strings.HasPrefix(r.rest(), "<"+namespace) {
		space = namespace
	}
	r.literal("<" + space + "function_calls>")
	for {
		r.space()
		if !r.literal("<" + space + `invoke name="`) {
			r.literal("</" + space + "function_calls>")
			return calls
		}
		name, ok := r.until(`">`)
		if !ok {
			return nil
		}
		input, ok := r.parameters(name, parameterForm{
			open: "<" + space + `parameter name="`, named: `">`, close: "</" + space + "parameter>", end: "</" + space + "invoke>",
		})
		if !ok {
			return nil
		}
		calls = append(calls, Call{Name: name, Input: input})
	}
}

// toolCalls reads elements that hold a call each.
func (r *reader) toolCalls() (calls []Call) {
	for _, tag := range []string{"tool_call", "function_call", "tools"} {
		for r.literal("<" + tag + ">") {
			r.space()
			var found []Call
			if value, rest, ok := firstValue(r.rest()); ok {
				r.at = len(r.text) - len(rest)
				found, _ = callsIn(value, false)
			} else if c, ok := r.function(); ok {
				found = []Call{c}
			}
			if found == nil {
				return nil
			}
			calls = append(calls, found...)
			r.space()
			if !r.literal("</"+tag+">") && r.rest() != "" { // servers may leave out the end
				return nil
			}
			r.space()
		}
		if calls != nil {
			return calls
		}
	}
	return nil
}

// functions reads <function=NAME> elements. Models that lose the tag before them still
// write the one behind.
func (r *reader) functions() (calls []Call) {
	for {
		r.space()
		c, ok := r.function()
		if !ok {
			return calls
		}
		calls = append(calls, c)
		r.space()
		r.literal("</tool_call>")
	}
}

func (r *reader) function() (c Call, ok bool) {
	begin := r.at
	defer func() {
		if !ok {
			r.at = begin
		}
	}()
	if !r.literal("<function=") {
		return c, false
	}
	if c.Name, ok = r.until(">"); !ok {
		return c, false
	}
	r.space()
	if value, rest, isJSON := firstValue(r.rest()); isJSON && value[0] == '{' {
		r.at = len(r.text) - len(rest)
		r.space()
		c.Input = value
		return c, r.literal("</function>")
	}
	c.Input, ok = r.parameters(c.Name, parameterForm{open: "<parameter=", named: ">", close: "</parameter>", end: "</function>", lines: true})
	return c, ok
}

// mistral reads calls behind [TOOL_CALLS].
func (r *reader) mistral() (calls []Call) {
	for r.literal("[TOOL_CALLS]") {
		r.space()
		if value, rest, ok := firstValue(r.rest()); ok {
			found, _ := callsIn(value, false)
			if found == nil {
				return nil
			}
			r.at = len(r.text) - len(rest)
			calls = append(calls, found...)
			r.space()
			continue
		}
		name, _, _ := strings.Cut(r.rest(), "{")
		r.at += len(name)
		name, _, _ = strings.Cut(strings.TrimSuffix(name, "[ARGS]"), "[CALL_ID]")
		value, rest, ok := firstValue(r.rest())
		if !ok || name == "" {
			return nil
		}
		r.at = len(r.text) - len(rest)
		calls = append(calls, Call{Name: name, Input: value})
		r.space()
	}
	return calls
}

// pythonTag reads JSON behind <|python_tag|>, up to the end of the text.
func (r *reader) pythonTag() []Call {
	if !r.literal("<|python_tag|>") {
		return nil
	}
	text := r.rest()
	for _, end := range []string{"<|eom_id|>", "<|eot_id|>"} {
		text = strings.TrimSuffix(text, end)
	}
	calls, ok := jsonCalls(text, true)
	if !ok {
		return nil
	}
	r.at = len(r.text)
	return calls
}

// A parameterForm says how a form writes parameters.
type parameterForm struct {
	open, named, close string // around name and value: open NAME named VALUE close
	end                string // of the call
	lines              bool   // a value stands on lines of its own
}

// parameters reads the parameters of a call up to its end, and makes an input of them.
func (r *reader) parameters(tool string, form parameterForm) (input json.RawMessage, ok bool) {
	schema, ok := r.tools(tool)
	if !ok {
		return nil, false
	}
	o := jsonobject.Object{}
	for {
		r.space()
		if r.literal(form.end) {
			return o.Encode(), true
		}
		if !r.literal(form.open) {
			return nil, false
		}
		name, ok := r.until(form.named)
		if !ok || len(o) == maxParts || slices.ContainsFunc(o, func(m jsonobject.Member) bool { return m.Name == name }) {
			return nil, false
		}
		value, ok := r.value(form)
		if !ok {
			return nil, false
		}
		o.Set(name, valueOf(schema, name, value))
	}
}

// value reads a value and the text that closes it. A value may hold that text: then it ends where
// another parameter or the end of the call follows.
func (r *reader) value(form parameterForm) (value string, ok bool) {
	begin := r.at
	for {
		if _, ok := r.until(form.close); !ok {
			return "", false
		}
		end := r.at
		r.space()
		if next := r.rest(); strings.HasPrefix(next, form.open) || strings.HasPrefix(next, form.end) {
			value = r.text[begin : end-len(form.close)]
			break
		}
		r.at = end
	}
	if form.lines {
		value = strings.TrimSuffix(strings.TrimPrefix(value, "\n"), "\n")
	}
	return value, true
}
