package mcpjson_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
)

// variables are those of the tests.
func variables(name string) (string, bool) {
	switch name {
	case "TOKEN":
		return "s3cret", true
	case "EMPTY":
		return "", true
	case "NESTED":
		return "${TOKEN}", true
	case "BREAK":
		return "a\r\nb", true
	case "PANIC":
		panic("lookup")
	}
	return "", false
}

func TestParse(t *testing.T) {
	t.Parallel()
	servers, problems := mcpjson.Parse([]byte("\xef\xbb\xbf"+`{
		"$schema": "https://example.com/mcp.json",
		"mcpServers": {
			"zeta": {"command": "node", "args": ["a.js", "${TOKEN}", "x${EMPTY}y", "${NONE:-default}", "$HOME"], "env": {"KEY": "${NESTED}", "B": ""}, "cwd": "/srv/${TOKEN}"},
			"alpha": {"type": "stdio", "command": "${NONE:-}prog", "timeout": 60000, "alwaysLoad": true, "args": null},
			"web": {"url": "https://${NONE:-example.com}/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}, "headersHelper": "print ${NONE}"},
			"stream": {"type": "streamable-http", "url": "http://127.0.0.1:3901/mcp", "timeout": 1e4},
			"old": {"type": "sse", "url": "https://example.com/sse", "oauth": {"clientId": "id", "clientSecret": "${TOKEN}", "callbackPort": 8080, "scopes": "read write"}},
			"meta": {"type": "http", "url": "https://example.com/mcp", "oauth": {"clientMetadataUrl": "https://example.com/client.json", "scopes": ["read"]}},
			"any": {"type": "http", "url": "https://example.com/mcp", "oauth": {}}
		}
	}`), variables)
	require.Empty(t, problems)
	require.Equal(t, []mcpjson.Server{
		{
			Name: "zeta", Type: mcpjson.Stdio, Command: "node", Args: []string{"a.js", "s3cret", "xy", "default", "$HOME"},
			Env: map[string]string{"KEY": "${TOKEN}", "B": ""}, Cwd: "/srv/s3cret",
		},
		{Name: "alpha", Type: mcpjson.Stdio, Command: "prog", Timeout: time.Minute, AlwaysLoad: true},
		{
			Name: "web", Type: mcpjson.HTTP, URL: "https://example.com/mcp",
			Headers: map[string]string{"Authorization": "Bearer s3cret"}, HeadersHelper: "print ${NONE}",
		},
		{Name: "stream", Type: mcpjson.HTTP, URL: "http://127.0.0.1:3901/mcp", Timeout: 10 * time.Second},
		{
			Name: "old", Type: mcpjson.SSE, URL: "https://example.com/sse",
			OAuth: &mcpjson.OAuth{ClientID: "id", ClientSecret: "s3cret", CallbackPort: 8080, Scopes: []string{"read", "write"}},
		},
		{
			Name: "meta", Type: mcpjson.HTTP, URL: "https://example.com/mcp",
			OAuth: &mcpjson.OAuth{ClientMetadataURL: "https://example.com/client.json", Scopes: []string{"read"}},
		},
		{Name: "any", Type: mcpjson.HTTP, URL: "https://example.com/mcp", OAuth: &mcpjson.OAuth{}},
	}, servers)
}

// TestParseTellsWhatIsWrongWithAServer tries one bad entry beside a good one, which loads.
func TestParseTellsWhatIsWrongWithAServer(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		entry   string // the member of mcpServers
		path    string // of the only problem, after mcpServers
		text    string // a part of it
		skipped bool
	}{
		{name: "unset variable", entry: `"s": {"command": "${NONE}"}`, path: ".s.command", text: "NONE is not set; set it, or write ${NONE:-text}", skipped: true},
		{name: "unset in args", entry: `"s": {"command": "a", "args": ["b", "${NONE}"]}`, path: ".s.args[1]", text: "NONE is not set", skipped: true},
		{name: "unset in env", entry: `"s": {"command": "a", "env": {"A B": "${NONE}"}}`, path: `.s.env["A B"]`, text: "NONE is not set", skipped: true},
		{name: "unset in url", entry: `"s": {"url": "https://${NONE}/"}`, path: ".s.url", text: "NONE is not set", skipped: true},
		{name: "unset in headers", entry: `"s": {"url": "https://h/", "headers": {"X": "${NONE}"}}`, path: ".s.headers.X", text: "NONE is not set", skipped: true},
		{name: "lookup that panics", entry: `"s": {"command": "${PANIC}"}`, path: ".s.command", text: "PANIC is not set", skipped: true},
		{name: "variable in a default", entry: `"s": {"command": "${NONE:-${TOKEN}}"}`, path: ".s.command", text: "cannot hold a variable", skipped: true},
		{name: "no variable", entry: `"s": {"command": "a", "args": ["${input:token}"]}`, path: ".s.args[0]", text: "passed on as it is"},
		{name: "open variable", entry: `"s": {"command": "a", "args": ["${TOKEN"]}`, path: ".s.args[0]", text: "passed on as it is"},
		{name: "empty command", entry: `"s": {"command": "${EMPTY}"}`, path: ".s.command", text: "needs a program", skipped: true},
		{name: "ws", entry: `"s": {"type": "ws", "url": "wss://h/"}`, path: ".s.type", text: "write http or sse", skipped: true},
		{name: "unknown type", entry: `"s": {"type": "local", "command": "a"}`, path: ".s.type", text: "write stdio, http or sse", skipped: true},
		{name: "type of another kind", entry: `"s": {"type": 1, "command": "a"}`, path: ".s.type", text: "not a string", skipped: true},
		{name: "type with another's address", entry: `"s": {"type": "http", "command": "a"}`, path: ".s.command", text: "no effect", skipped: true},
		{name: "neither", entry: `"s": {"args": ["a"]}`, path: ".s", text: "neither a command nor a url", skipped: true},
		{name: "neither, misspelled", entry: `"s": {"comand": "a"}`, path: ".s.comand", text: "did you mean command?", skipped: true},
		{name: "both", entry: `"s": {"command": "a", "url": "https://h/"}`, path: ".s", text: "take one out", skipped: true},
		{name: "both with a type", entry: `"s": {"type": "stdio", "command": "a", "url": "https://h/"}`, path: ".s.url", text: "no effect on a server of type stdio"},
		{name: "unknown key", entry: `"s": {"command": "a", "colour": 1}`, path: ".s.colour", text: "the keys are type, command"},
		{name: "misspelled key", entry: `"s": {"url": "https://h/", "header": {}}`, path: ".s.header", text: "did you mean headers?"},
		{name: "switched off", entry: `"s": {"command": "a", "disabled": true}`, path: ".s.disabled", text: "switched off", skipped: true},
		{name: "not switched on", entry: `"s": {"command": "a", "enabled": "no"}`, path: ".s.enabled", text: "switched off", skipped: true},
		{name: "switched on", entry: `"s": {"command": "a", "disabled": false}`, path: ".s.disabled", text: "not known"},
		{name: "repeated key", entry: `"s": {"command": "a", "command": "b"}`, path: ".s.command", text: "twice", skipped: true},
		{name: "repeated key below", entry: `"s": {"command": "a", "env": {"A": "1", "\u0041": "2"}}`, path: ".s.env.A", text: "twice", skipped: true},
		{name: "repeated name", entry: `"s": {"command": "a"}, "\u0073": {"command": "b"}, "s": null`, path: ".s", text: "twice", skipped: true},
		{name: "half a character", entry: `"s": {"command": "\ud800"}`, path: ".s", text: "half a character", skipped: true},
		{name: "no object", entry: `"s": "node server.js"`, path: ".s", text: "not an object", skipped: true},
		{name: "args is a string", entry: `"s": {"command": "a", "args": "b"}`, path: ".s.args", text: "not a list of strings", skipped: true},
		{name: "arg is a number", entry: `"s": {"command": "a", "args": [1]}`, path: ".s.args[0]", text: "double quotes", skipped: true},
		{name: "arg is null", entry: `"s": {"command": "a", "args": [null]}`, path: ".s.args[0]", text: "null", skipped: true},
		{name: "arg with NUL", entry: `"s": {"command": "a", "args": ["\u0000"]}`, path: ".s.args[0]", text: "control character", skipped: true},
		{name: "env is a list", entry: `"s": {"command": "a", "env": ["A=1"]}`, path: ".s.env", text: "not an object of strings", skipped: true},
		{name: "env is a number", entry: `"s": {"command": "a", "env": {"PORT": 3000}}`, path: ".s.env.PORT", text: "double quotes", skipped: true},
		{name: "env name", entry: `"s": {"command": "a", "env": {"A=B": "1"}}`, path: `.s.env["A=B"]`, text: "cannot have that name", skipped: true},
		{name: "address of a file", entry: `"s": {"url": "file:///mcp"}`, path: ".s.url", text: "https://HOST/mcp", skipped: true},
		{name: "host that looks like another", entry: `"s": {"url": "https://b\u0430nk.test/"}`, path: ".s.url", text: "ASCII form of DNS", skipped: true},
		{name: "host that turns the direction of writing", entry: `"s": {"url": "https://tset.\u202eknab/"}`, path: ".s.url", text: "ASCII form of DNS", skipped: true},
		{name: "path that turns the direction of writing", entry: `"s": {"url": "https://h/\u202eknab"}`, path: ".s.url", text: "cannot be shown", skipped: true},
		{name: "address with a password", entry: `"s": {"url": "https://u:s3cret@h/"}`, path: ".s.url", text: "header Authorization", skipped: true},
		{name: "header name", entry: `"s": {"url": "https://h/", "headers": {"A B": "1"}}`, path: `.s.headers["A B"]`, text: "cannot have that name", skipped: true},
		{name: "header with a line break", entry: `"s": {"url": "https://h/", "headers": {"A": "${BREAK}"}}`, path: ".s.headers.A", text: "control character", skipped: true},
		{name: "header twice", entry: `"s": {"url": "https://h/", "headers": {"A": "1", "a": "2"}}`, path: ".s.headers.a", text: "twice", skipped: true},
		{name: "seconds", entry: `"s": {"command": "a", "timeout": 30}`, path: ".s.timeout", text: "write 60000 for a minute"},
		{name: "negative time", entry: `"s": {"command": "a", "timeout": -1}`, path: ".s.timeout", text: "milliseconds"},
		{name: "part of a millisecond", entry: `"s": {"command": "a", "timeout": 1000.5}`, path: ".s.timeout", text: "whole number"},
		{name: "time as text", entry: `"s": {"command": "a", "timeout": "30s"}`, path: ".s.timeout", text: "whole number"},
		{name: "alwaysLoad", entry: `"s": {"command": "a", "alwaysLoad": "yes"}`, path: ".s.alwaysLoad", text: "true or false"},
		{name: "oauth", entry: `"s": {"url": "https://h/", "oauth": true}`, path: ".s.oauth", text: "not an object", skipped: true},
		{name: "oauth key", entry: `"s": {"url": "https://h/", "oauth": {"clientID": "a"}}`, path: ".s.oauth.clientID", text: "did you mean clientId?"},
		{name: "oauth port", entry: `"s": {"url": "https://h/", "oauth": {"callbackPort": 70000}}`, path: ".s.oauth.callbackPort", text: "not a port", skipped: true},
		{name: "oauth secret", entry: `"s": {"url": "https://h/", "oauth": {"clientSecret": "a"}}`, path: ".s.oauth", text: "needs the clientId", skipped: true},
		{name: "oauth document", entry: `"s": {"url": "https://h/", "oauth": {"clientMetadataUrl": "http://h/c"}}`, path: ".s.oauth.clientMetadataUrl", text: "https", skipped: true},
		{name: "oauth scopes", entry: `"s": {"url": "https://h/", "oauth": {"scopes": [1]}}`, path: ".s.oauth.scopes[0]", text: "double quotes", skipped: true},
		{name: "reserved", entry: `"Claude Preview": {"command": "a"}`, path: `["Claude Preview"]`, text: "reserved", skipped: true},
		{name: "reserved in another spelling", entry: `"Claude.preview": {"command": "a"}`, path: `["Claude.preview"]`, text: "reserved", skipped: true},
		{name: "no name", entry: `"": {"command": "a"}`, path: `[""]`, text: "cannot be written in a rule", skipped: true},
		{name: "name without letters", entry: `"日本": {"command": "a"}`, path: `["日本"]`, text: "cannot be written in a rule", skipped: true},
		{name: "name with a line break", entry: `"a\nb": {"command": "a"}`, path: `["a\nb"]`, text: "cannot be shown", skipped: true},
		{name: "long name", entry: `"` + strings.Repeat("n", 57) + `": {"command": "a"}`, path: "." + strings.Repeat("n", 57), text: "longer than 56", skipped: true},
		{name: "names that fold alike", entry: `"My.s": {"command": "a"}, "my s": {"command": "a"}`, path: `["my s"]`, text: `like those of "My.s"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			servers, problems := mcpjson.Parse([]byte(`{"mcpServers": {`+tt.entry+`, "good": {"command": "good"}}}`), variables)
			require.NotEmpty(t, problems)
			last := problems[len(problems)-1]
			require.Equal(t, "mcpServers"+tt.path, problems[0].Path)
			require.Contains(t, problems[0].Text, tt.text)
			require.Equal(t, tt.skipped, last.Skipped)
			require.NotContains(t, fmt.Sprint(problems), "s3cret")
			require.True(t, slices.ContainsFunc(servers, func(s mcpjson.Server) bool { return s.Name == "good" }))
			loaded := slices.ContainsFunc(servers, func(s mcpjson.Server) bool { return s.Name == last.Server })
			require.Equal(t, !tt.skipped, loaded)
		})
	}
}

func TestParseTellsWhatIsWrongWithTheText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       []mcpjson.Problem // Text is a part
	}{
		{name: "empty"},
		{name: "space", text: " \n"},
		{name: "no members", text: "{}"},
		{name: "no servers", text: `{"mcpServers": {}}`},
		{name: "null", text: `{"mcpServers": null}`},
		{name: "the map itself", text: `{"files": {"command": "a"}, "web": {"url": "https://h/"}}`, want: []mcpjson.Problem{
			{Server: "files", Path: "files", Text: `{"mcpServers": {"files": {…}}}`, Skipped: true},
			{Server: "web", Path: "web", Text: `{"mcpServers": {"web": {…}}}`, Skipped: true},
		}},
		{name: "another name", text: `{"servers": {"files": {"command": "a"}}}`, want: []mcpjson.Problem{{Path: "servers", Text: `mcpServers instead of "servers"`, Skipped: true}}},
		{name: "no such key", text: `{"a": 1}`, want: []mcpjson.Problem{{Path: "a", Text: "not known"}}},
		{name: "schema alone", text: `{"$schema": "x"}`, want: []mcpjson.Problem{{Text: "there is no mcpServers", Skipped: true}}},
		{name: "another key", text: `{"inputs": [], "mcpServers": {}}`, want: []mcpjson.Problem{{Path: "inputs", Text: "not known"}}},
		{name: "twice", text: `{"mcpServers": {}, "mcpServers": {"a": {"command": "a"}}}`, want: []mcpjson.Problem{{Path: "mcpServers", Text: "twice", Skipped: true}}},
		{name: "list", text: `{"mcpServers": []}`, want: []mcpjson.Problem{{Path: "mcpServers", Text: "not an object", Skipped: true}}},
		{name: "list at the top", text: `[]`, want: []mcpjson.Problem{{Text: "not a JSON object", Skipped: true}}},
		{name: "comment", text: "{ // files\n}", want: []mcpjson.Problem{{Text: "no comments", Skipped: true}}},
		{name: "cut", text: `{"mcpServers": {"a"`, want: []mcpjson.Problem{{Text: "line 1", Skipped: true}}},
		{name: "not UTF-8", text: "{\"a\xff\": 1}", want: []mcpjson.Problem{{Text: "not UTF-8", Skipped: true}}},
		{name: "deep", text: `{"mcpServers": {"a": ` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}}`, want: []mcpjson.Problem{
			{Server: "a", Path: "mcpServers.a", Text: "deeper than 128", Skipped: true},
		}},
		{name: "long", text: strings.Repeat(" ", 16<<20) + "{}", want: []mcpjson.Problem{{Text: "longer than", Skipped: true}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			servers, problems := mcpjson.Parse([]byte(tt.text), nil)
			require.Empty(t, servers)
			require.Len(t, problems, len(tt.want), "%v", problems)
			for i, want := range tt.want {
				require.Contains(t, problems[i].Text, want.Text)
				want.Text = problems[i].Text
				require.Equal(t, want, problems[i])
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"mcpServers": {"a": {"command": "${A:-b}", "args": ["${B"], "env": {"C": "d"}, "timeout": 1e3}}}`))
	f.Add([]byte(`{"mcpServers": {"a": {"url": "https://h/", "headers": {"A": "${TOKEN}"}, "oauth": {"scopes": "a b", "callbackPort": 1}}}}`))
	f.Add([]byte(`{"a": {"command": "b"}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		servers, problems := mcpjson.Parse(text, variables)
		again, problemsAgain := mcpjson.Parse(text, variables)
		require.Equal(t, servers, again)
		require.Equal(t, problems, problemsAgain)
		names := map[string]bool{}
		for _, s := range servers {
			require.False(t, names[s.Name], "%q is there twice", s.Name)
			names[s.Name] = true
			require.Equal(t, s.Type == mcpjson.Stdio, s.Command != "")
			require.Equal(t, s.Type != mcpjson.Stdio, s.URL != "")
			require.True(t, s.Timeout == 0 || s.Timeout >= time.Second)
		}
		for _, p := range problems {
			require.NotEmpty(t, p.Text)
			require.False(t, p.Skipped && p.Server != "" && names[p.Server], "%q was loaded: %v", p.Server, p)
		}
	})
}
