package responses_test

import (
	"strings"
	"testing"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/internal/wiretest"
	"github.com/seed49eaa51d/pegboard/wire/openai/responses"
)

func TestTrim(t *testing.T) {
	const (
		definitions = `"<functions>\n{\"name\":\"x\"}\n</functions>"`
		image       = `{ "type":"input_image","image_url":"data:image/png;base64,cG5n" }`
		file        = `{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,cGRm"}`
	)
	w := responses.New(poolOf(t, named(t, "notes.add", "", anyObject), tool(t, pegboard.Info{Name: "Agent", Aliases: []string{"Task"}}, "", anyObject), named(t, "find", "", anyObject)),
		responses.Config{ClientSearch: "find"})
	a, b := use("a", "clock", "{}"), use("b", "map", "{}")
	wiretest.RunTrim(t, api, w, []wiretest.TrimCase{
		{Name: "nothing", Texts: []string{"x"}},
		{Name: "no outputs", In: []string{hello, a, says}, Texts: []string{"x"}},
		{Name: "some", In: []string{system, hello, thinks, a, b, output("a", `"1"`), ` {"call_id":"b", "type":"function_call_output", "status":"completed" ,"output":"2"}`, says, goOn, use("c", "clock", "{}"), output("c", `"3"`)},
			Texts: []string{"", "<two>"},
			Shown: []string{"1 clock(a): 1", "1 map(b): 2", "3 clock(c): 3"},
			Want:  []string{system, hello, thinks, a, b, output("a", `"1"`), `{"call_id":"b","type":"function_call_output","status":"completed","output":"<two>"}`, says, goOn, use("c", "clock", "{}"), output("c", `"3"`)}},
		{Name: "one turn", In: []string{thinks, system, a, hosted, b, system, textOfB}, Shown: []string{"1 map(b): <12>"}},
		{Name: "other parts", In: []string{a, output("a", `[`+image+`,{"text":"1", "type":"input_text"},`+file+`,`+inputText("2")+`,7]`)}, Texts: []string{"\"new\""},
			Shown: []string{"1 clock(a): 1\n2"},
			Want:  []string{a, output("a", `[`+image+`,{"text":"\"new\"","type":"input_text"},`+file+`,7]`)}},
		{Name: "other kinds", In: []string{custom, patch, ofCustom, `{"type":"apply_patch_call_output","call_id":"p","status":"failed","output":"no"}`}, Texts: []string{"n", "m"},
			Shown: []string{"1 grep(a): y", "1 (p): no"},
			Want:  []string{custom, patch, strings.Replace(ofCustom, `"y"`, `"n"`, 1), `{"type":"apply_patch_call_output","call_id":"p","status":"failed","output":"m"}`}},
		{Name: "what made tools known", In: []string{sought, use("a", "ToolSearch", "{}"), use("b", "ToolSearch", "{}"), found, output("a", definitions), output("b", `[`+inputText("1")+`,{"type":"input_text","text":`+definitions+`}]`)}, Texts: []string{"n", "n", "n"},
			Shown: []string{"1 find(s), fixed: ", "1 ToolSearch(a), fixed: <functions>\n{\"name\":\"x\"}\n</functions>",
				"1 ToolSearch(b), fixed: 1\n<functions>\n{\"name\":\"x\"}\n</functions>"}},
		{Name: "without text", In: []string{a, b, imageOfA, output("b", `7`), `{"type":"apply_patch_call_output","call_id":"p","status":"completed"}`}, Texts: []string{"n", "n", "n"},
			Shown: []string{"1 clock(a): ", "1 map(b): ", "1 (p): "}},
		{Name: "names of the pool", In: []string{use("a", w.Name("notes.add"), "{}"), use("b", "Task", "{}"), use("c", "gone", "{}"), use("a", "again", "{}"), output("a", `""`), output("b", `""`), output("c", `""`), output("d", `""`)},
			Shown: []string{"1 notes.add(a): ", "1 Agent(b): ", "1 gone(c): ", "1 (d): "}},
		{Name: "out of order", In: []string{output("a", `"1"`), `{"type":"function_call_output","output":"2"}`, a, `{"type":"function_call","name":"y"}`}, Texts: []string{"n", "n"},
			Shown: []string{"0 clock(a): 1", "0 (): 2"},
			Want:  []string{output("a", `"n"`), `{"type":"function_call_output","output":"n"}`, a, `{"type":"function_call","name":"y"}`}},
		{Name: "unreadable", In: []string{`{`, a, `{"role":"tool"}`, `{"type":"function_call_output","type":"x"}`, output("a", `"1"`)}, Texts: []string{"n"},
			Shown: []string{"1 clock(a): 1"}, Want: []string{`{`, a, `{"role":"tool"}`, `{"type":"function_call_output","type":"x"}`, output("a", `"n"`)}},
		{Name: "of the API", In: []string{hosted, foundByIt, shot, `{"type":"mcp_call","output":"x"}`}, Texts: []string{"n"}},
	})
}

func FuzzTrim(f *testing.F) {
	wiretest.FuzzTrim(f, api,
		[]string{hello, use("a", "clock", "{}"), sought, imageOfA, found, textOfB, goOn, ofCustom},
		[]string{output("a", `[{"type":"input_text","text":"old"},7,{"text":"more"}]`)})
}
