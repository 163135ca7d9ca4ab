package gemini_test

import (
	"strings"
	"testing"

	"github.com/seed49eaa51d/pegboard/wire/internal/wiretest"
)

func TestTrim(t *testing.T) {
	responds := func(response string, more ...string) string {
		return `{"functionResponse":{"name":"clock","response":` + response + strings.Join(more, "") + `},"x":1e2}`
	}
	wiretest.RunTrim(t, api, api.Zero, []wiretest.TrimCase{
		{Name: "nothing", Texts: []string{"left over"}},
		{Name: "no results", In: []string{hello, model(speaks), user(unknown)}, Texts: []string{"left over"}},
		{Name: "untouched", In: []string{model(clock), user(twelve), hello}, Shown: []string{"1 clock(clock): 12"}},
		{Name: "text", In: []string{hello, model(clock), user(twelve), hello}, Texts: []string{"short <1>"}, Shown: []string{"1 clock(clock): 12"},
			Want: []string{hello, model(clock), user(result("", "clock", "output", "short <1>")), hello}},
		{Name: "the second of three", In: []string{model(clock, clock, maps), user(twelve, one, route, speaks)}, Texts: []string{"", "short"}, Shown: []string{"1 clock(clock): 12", "1 clock(clock): 1", `1 map(map): {"result":{"x":1e2}}`},
			Want: []string{model(clock, clock, maps), user(twelve, `{"functionResponse":{"response":{"output":"short"},"name":"clock"}}`, route, speaks)}},
		{Name: "fewer answers than results", In: []string{model(clock), user(one), model(clock), user(one)}, Texts: []string{"short"}, Shown: []string{"1 clock(clock): 1", "2 clock(clock): 1"},
			Want: []string{model(clock), user(`{"functionResponse":{"response":{"output":"short"},"name":"clock"}}`), model(clock), user(one)}},
		{Name: "a failure", In: []string{user(responds(`{"error":"no"}`))}, Texts: []string{"short"}, Shown: []string{"0 clock(clock): no"}, Want: []string{user(responds(`{"error":"short"}`))}},
		{Name: "more than text", In: []string{user(responds(`{"code":1.0,"output":"a","error":"b","x":{}}`, `,"parts":[`, picture, `]`))}, Texts: []string{"short"}, Shown: []string{"0 clock(clock): a\nb"},
			Want: []string{user(responds(`{"code":1.0,"output":"short","x":{}}`, `,"parts":[`, picture, `]`))}},
		{Name: "text twice", In: []string{user(responds(`{"output":"a","output":"b"}`))}, Texts: []string{"short"}, Shown: []string{"0 clock(clock): a\nb"}, Want: []string{user(responds(`{"output":"short"}`))}},
		{Name: "no text", In: []string{user(responds(`{}`), responds(`null`), responds(`7`), `{"functionResponse":{"name":"clock"}}`)}, Texts: []string{"w", "x", "y", "z"}, Shown: []string{"0 clock(clock): ", "0 clock(clock): ", "0 clock(clock): ", "0 clock(clock): "}},
		{Name: "empty text", In: []string{user(responds(`{"output":""}`))}, Texts: []string{"short"}, Shown: []string{"0 clock(clock): "}},
		{Name: "blank answer", In: []string{user(responds(`{"output":"1"}`))}, Texts: []string{" \n"}, Shown: []string{"0 clock(clock): 1"}},
		{Name: "before its call", In: []string{user(`{"functionResponse":{"id":"7","response":{"output":"1"}}}`), model(callsWithID("7", "clock", "{}"))}, Shown: []string{"0 clock(7): 1"}},
		{Name: "of another form", In: []string{user(route, responds(`{"error":{"code": 5}}`))}, Texts: []string{"short", "shorter"}, Shown: []string{`0 map(map): {"result":{"x":1e2}}`, `0 clock(clock): {"error":{"code": 5}}`},
			Want: []string{user(result("", "map", "output", "short"), responds(`{"error":"shorter"}`))}},
		{Name: "names with underscores", In: []string{` {"parts": [{"function_response":{"name":"a","response":{"output":"1"}}}], "role":"function"}`}, Texts: []string{"short"}, Shown: []string{"0 a(a): 1"},
			Want: []string{`{"parts":[{"function_response":{"name":"a","response":{"output":"short"}}}],"role":"function"}`}},
		{Name: "a name that only the call has", In: []string{model(callsWithID("7", "clock", "{}")), user(`{"functionResponse":{"id":"7","response":{"output":"1"}}}`)}, Shown: []string{"1 clock(7): 1"}},
		{Name: "turns", In: []string{model(clock, maps), user(route), hello, user(one), model(speaks), model(clock), user(twelve)}, Shown: []string{`1 map(map): {"result":{"x":1e2}}`, "1 clock(clock): 1", "3 clock(clock): 12"}},
		{Name: "what cannot be read", In: []string{`null`, user(one, `7`), `{"role":"user","role":"user"}`, model(one), user(one) + "x", user(one)}, Texts: []string{"short"}, Shown: []string{"1 clock(clock): 1"},
			Want: []string{`null`, user(one, `7`), `{"role":"user","role":"user"}`, model(one), user(one) + "x", user(`{"functionResponse":{"response":{"output":"short"},"name":"clock"}}`)}},
	})
}

// TestTrimCallIDs keeps the ids of results apart, whether or not the calls have ids.
func TestTrimCallIDs(t *testing.T) {
	t.Parallel()
	for id, turn := range map[string]func(text string) []string{
		"clock": func(text string) []string {
			return []string{model(clock), user(result("", "clock", "output", text), speaks)}
		},
		"id": func(text string) []string {
			return []string{model(callsWithID("id", "clock", "{}")), user(result("id", "clock", "output", text))}
		},
		"of call": func(text string) []string {
			return []string{model(callsWithID("of call", "clock", "{}")), user(result("", "clock", "output", text))}
		},
	} {
		wiretest.RequireTrimIDs(t, api, id, turn)
	}
}

func FuzzTrim(f *testing.F) {
	wiretest.FuzzTrim(f, api,
		[]string{hello, model(thinks, clock, maps), user(route, one), user(speaks, twelve), model(clock), user(one)},
		[]string{user(`{"functionResponse":{"response":{"output":"a","error":"b","output":7}}}`), user(answers("a", "clock"), `{"functionResponse":[]}`), "null"})
}
