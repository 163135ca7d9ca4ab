package anthropic_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHistory(t *testing.T) {
	t.Parallel()
	const (
		text     = `{"type":"text","text":"a"}`
		thinking = `{"type":"thinking","thinking":"t","signature":"s"}`
	)
	clock := use("toolu_1", "clock")
	tests := []struct {
		name string
		body string
		want string // content; empty: no message
	}{
		{name: "untouched", body: stream(start, begin(0, `{"type": "vendor", "b":1, "a":[ 1.0 ], "s":"<>"}`), end(0), stop),
			want: `[{"type": "vendor", "b":1, "a":[ 1.0 ], "s":"<>"}]`},
		{name: "text", body: stream(start, begin(0, `{"type":"text","text":"a"}`), delta(0, `{"type":"text_delta","text":"<b>"}`), delta(0, `{"type":"text_delta","text":" ü\n"}`), end(0), stop),
			want: `[{"type":"text","text":"a<b> ü\n"}]`},
		{name: "citations", body: stream(start, begin(0, `{"type":"text","text":"","citations":[]}`), delta(0, `{"type":"text_delta","text":"a"}`),
			delta(0, `{"type":"citations_delta","citation":{"n":1}}`), delta(0, `{"type":"citations_delta","citation":{"n":2}}`), delta(0, `{"type":"citations_delta"}`), end(0), stop),
			want: `[{"type":"text","text":"a","citations":[{"n":1},{"n":2}]}]`},
		{name: "thinking", body: stream(start, begin(0, `{"type":"thinking","thinking":"","signature":""}`), delta(0, `{"type":"thinking_delta","thinking":"t"}`),
			delta(0, `{"type":"signature_delta","signature":"s"}`), end(0), begin(1, text), end(1), stop), want: `[` + thinking + `,` + text + `]`},
		{name: "a delta not known yet", body: stream(start, begin(0, `{"type":"compaction","content":null,"n":1}`), delta(0, `{"type":"compaction_delta","content":"short"}`), end(0), stop),
			want: `[{"type":"compaction","content":"short","n":1}]`},
		{name: "a delta cannot change what a block is", body: stream(start, begin(0, clock), partial(0, "{}"), delta(0, `{"type":"odd_delta","id":"2","name":"x","input":"y"}`), end(0), stop),
			want: `[` + clock + `]`},
		{name: "input byte for byte", body: stream(start, begin(0, `{"type":"tool_use","id":"a","name":"b","input":{},"caller":{"type":"direct"}}`), partial(0, `{"x": 1.0,`), partial(0, ` "y":"<ü>" }`), end(0), stop),
			want: `[{"type":"tool_use","id":"a","name":"b","input":{"x": 1.0, "y":"<ü>" },"caller":{"type":"direct"}}]`},
		{name: "no input", body: stream(start, begin(0, clock), end(0), because("tool_use"), stop), want: `[` + clock + `]`},
		{name: "no input at all", body: stream(start, begin(0, `{"type":"tool_use","id":"a","name":"b"}`), end(0), stop), want: `[{"type":"tool_use","id":"a","name":"b","input":{}}]`},
		{name: "input is null", body: stream(start, begin(0, `{"type":"tool_use","id":"a","name":"b","input":null}`), end(0), stop), want: `[{"type":"tool_use","id":"a","name":"b","input":{}}]`},
		{name: "invalid input", body: stream(start, begin(0, clock), partial(0, `{"a": "<`), end(0), stop),
			want: `[{"type":"tool_use","id":"toolu_1","name":"clock","input":{"INVALID_JSON":"{\"a\": \"<"}}]`},
		{name: "input is an array", body: stream(start, begin(0, clock), partial(0, `[]`), end(0), stop),
			want: `[{"type":"tool_use","id":"toolu_1","name":"clock","input":{"INVALID_JSON":"[]"}}]`},
		{name: "whole with input as text", body: `{"type":"message","content":[{"type":"tool_use","id":"a","name":"b","input":"{}"}]}`,
			want: `[{"type":"tool_use","id":"a","name":"b","input":{"INVALID_JSON":"\"{}\""}}]`},
		{name: "server tool", body: stream(start, begin(0, `{"type":"server_tool_use","id":"srvtoolu_1","name":"a","input":{}}`), partial(0, `{"q": 1}`), end(0), stop),
			want: `[{"type":"server_tool_use","id":"srvtoolu_1","name":"a","input":{"q": 1}}]`},

		{name: "blank text is left out", body: stream(start, begin(0, `{"type":"text","text":""}`), end(0), begin(1, `{"type":"text","text":" \n"}`), end(1), begin(2, text), end(2), stop), want: `[` + text + `]`},
		{name: "thinking at the end is left out", body: stream(start, begin(0, text), end(0), begin(1, thinking), end(1), begin(2, `{"type":"redacted_thinking","data":"d"}`), end(2), begin(3, `{"type":"text","text":" "}`), end(3), because("max_tokens"), stop), want: `[` + text + `]`},
		{name: "the second call of an id is left out", body: stream(start, begin(0, clock), end(0), begin(1, clock), end(1), because("tool_use"), stop), want: `[` + clock + `]`},
		{name: "unfinished call is left out", body: stream(start, begin(0, text), end(0), begin(1, clock), partial(1, "{}")), want: `[` + text + `]`},
		{name: "unfinished thinking is left out", body: stream(start, begin(0, text), end(0), begin(1, thinking)), want: `[` + text + `]`},
		{name: "unfinished text stays", body: stream(start, begin(0, `{"type":"text","text":""}`), delta(0, `{"type":"text_delta","text":"hal"}`)), want: `[{"type":"text","text":"hal"}]`},
		{name: "nothing is left", body: stream(start, begin(0, thinking), end(0), stop)},
		{name: "nothing came", body: ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, m, _ := read(strings.NewReader(tt.body)) // some are cut on purpose
			if tt.want == "" {
				require.Nil(t, only(m.History))
				return
			}
			require.Equal(t, `{"role":"assistant","content":`+tt.want+`}`, string(only(m.History)))
		})
	}
}
