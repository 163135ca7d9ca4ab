package hooks_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/settings/hooks"
)

// documentedEvents are the events of the documentation.
func documentedEvents() []string {
	return []string{
		"SessionStart", "Setup", "UserPromptSubmit", "UserPromptExpansion", "PreToolUse", "PermissionRequest",
		"PermissionDenied", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "Notification", "MessageDisplay",
		"SubagentStart", "SubagentStop", "TaskCreated", "TaskCompleted", "Stop", "StopFailure", "TeammateIdle",
		"InstructionsLoaded", "ConfigChange", "CwdChanged", "DirectoryAdded", "FileChanged", "WorktreeCreate",
		"WorktreeRemove", "PreCompact", "PostCompact", "Elicitation", "ElicitationResult", "SessionEnd",
	}
}

func TestParseKnowsAllEvents(t *testing.T) {
	t.Parallel()
	require.Len(t, documentedEvents(), 31)
	for _, event := range documentedEvents() {
		set, problems, err := hooks.Parse(fmt.Appendf(nil, `{%q: [{"matcher": "", "hooks": [{"type": "command", "command": "true"}]}]}`, event), policy.SourceUser, "f")
		require.NoError(t, err)
		require.Empty(t, problems, event)
		require.Equal(t, []string{event}, set.Events())
		require.Len(t, set.Handlers(event), 1)
	}
}

// Which types of handlers an event runs, as documented.
func TestParseKnowsTheTypesOfEvents(t *testing.T) {
	t.Parallel()
	all := strings.Fields("PermissionDenied PermissionRequest PostToolBatch PostToolUse PostToolUseFailure PreToolUse Stop SubagentStop " +
		"TaskCompleted TaskCreated TeammateIdle UserPromptExpansion UserPromptSubmit")
	types := map[string]string{
		"command":  `{"type": "command", "command": "true"}`,
		"http":     `{"type": "http", "url": "https://example.com/hook"}`,
		"mcp_tool": `{"type": "mcp_tool", "server": "s", "tool": "t", "input": {"a": "${tool_input.x}"}}`,
		"prompt":   `{"type": "prompt", "prompt": "Is it safe? $ARGUMENTS"}`,
		"agent":    `{"type": "agent", "prompt": "Check it.", "model": "small"}`,
	}
	for _, event := range documentedEvents() {
		for name, handler := range types {
			set, problems, err := hooks.Parse(fmt.Appendf(nil, `{%q: [{"hooks": [%s]}]}`, event, handler), "", "")
			require.NoError(t, err)
			runs := name == "command" || slices.Contains(all, event) || name == "mcp_tool" || name == "http" && event != "SessionStart" && event != "Setup"
			require.Equal(t, runs, len(set.Handlers(event)) == 1, "%s %s", event, name)
			require.Equal(t, runs, len(problems) == 0, "%s %s", event, name)
		}
	}
}

// TestParseRealFiles loads files of the kinds that are seen in public repositories.
func TestParseRealFiles(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/real/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			var whole struct {
				Hooks json.RawMessage `json:"hooks"`
				// What the test expects, beside what real files have.
				Expect struct {
					Commands []string `json:"commands"`
					Problems []string `json:"problems"`
				} `json:"expect"`
			}
			require.NoError(t, json.Unmarshal(data, &whole))
			set, problems, err := hooks.Parse(whole.Hooks, policy.SourceProject, file)
			require.NoError(t, err)
			var commands []string
			for _, event := range set.Events() {
				for _, h := range set.Handlers(event) {
					commands = append(commands, strings.TrimSpace(event+" "+h.Matcher+" "+h.Command+h.Prompt+h.URL))
				}
			}
			require.Equal(t, whole.Expect.Commands, commands)
			require.Len(t, problems, len(whole.Expect.Problems), "%v", problems)
			for i, want := range whole.Expect.Problems {
				require.ErrorContains(t, problems[i], want)
				require.Equal(t, file, problems[i].File)
				require.Less(t, problems[i].Offset, len(whole.Hooks))
			}
		})
	}
}

func TestParseRefusesTheWhole(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ data, want string }{
		"a list":        {`[{"event": "PreToolUse"}]`, "there is a list; write an object of events"},
		"a string":      {`"PreToolUse"`, "there is a string"},
		"a number":      {`5`, "the number 5"},
		"no JSON":       {`{"PreToolUse": [`, "line 1"},
		"not UTF-8":     {"{\"a\xff\": 1}", "UTF-8"},
		"two values":    {`{} {}`, "line 1"},
		"deep nesting":  {strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000), ""},
		"over 4 MiB":    {`{"x": "` + strings.Repeat("a", 4<<20) + `"}`, "longer than 4194304 bytes"},
		"deep in event": {`{"PreToolUse": ` + strings.Repeat(`[`, 20_000) + strings.Repeat(`]`, 20_000) + `}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set, problems, err := hooks.Parse([]byte(tt.data), policy.SourceProject, "file.json")
			require.ErrorContains(t, err, tt.want)
			require.Empty(t, problems)
			require.Empty(t, set.Events())
			var problem hooks.Problem
			require.ErrorAs(t, err, &problem)
			require.True(t, problem.Skipped && problem.Guards)
			require.Equal(t, "file.json", problem.File)
			require.Equal(t, policy.SourceProject, problem.Source)
		})
	}
}

func TestParseOfNothing(t *testing.T) {
	t.Parallel()
	for _, data := range []string{"", "null", " null\n", "{}", "\xef\xbb\xbf{}", `{"PreToolUse": []}`, `{"PreToolUse": null}`} {
		set, problems, err := hooks.Parse([]byte(data), "", "")
		require.NoError(t, err, "%q", data)
		require.Empty(t, problems)
		require.Empty(t, set.Events())
	}
}

// TestParseProblems holds one wrong thing each beside a hook that is right, which stays.
func TestParseProblems(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		group  string // of PreToolUse, or
		event  string // a whole member
		path   string
		want   string
		keeps  bool // the hook is kept
		guards bool
	}{
		{name: "matcher is a number", group: `{"matcher": 5, "hooks": [X]}`, path: "[0].matcher", want: "there is the number 5; write a string", guards: true},
		{name: "matcher is a list", group: `{"matcher": ["Bash"], "hooks": [X]}`, path: "[0].matcher", want: "there is a list", guards: true},
		{name: "matcher twice", group: `{"matcher": "Bash", "matcher": "Edit", "hooks": [X]}`, path: "[0]", want: `"matcher" is there twice`, guards: true},
		{name: "group is a string", group: `"./check.sh"`, path: "[0]", want: "there is a string; write an object", guards: true},
		{name: "group is a handler", group: `X`, path: "[0].type", want: "not known here"},
		{name: "no hooks", group: `{"matcher": "Bash"}`, path: "[0]", want: `no list "hooks"`, guards: true},
		{name: "hooks is one handler", group: `{"hooks": X}`, path: "[0]", want: `no list "hooks"`, guards: true},
		{name: "if beside hooks", group: `{"if": "Bash(git *)", "hooks": [X]}`, path: "[0].if", want: "write it into each handler", keeps: true},
		{name: "timeout beside hooks", group: `{"timeout": 5, "hooks": [X]}`, path: "[0].timeout", want: "no effect", keeps: true},
		{name: "handler is a string", group: `{"hooks": ["./check.sh"]}`, path: "[0].hooks[0]", want: "there is a string; write an object", guards: true},
		{name: "no type", group: `{"hooks": [{"command": "true"}]}`, path: "[0].hooks[0]", want: "there is no type", guards: true},
		{name: "type of capitals", group: `{"hooks": [{"type": "Command", "command": "true"}]}`, path: "[0].hooks[0].type", want: `there is "Command"`, guards: true},
		{name: "type is a number", group: `{"hooks": [{"type": 1, "command": "true"}]}`, path: "[0].hooks[0].type", want: "there is the number 1", guards: true},
		{name: "no command", group: `{"hooks": [{"type": "command"}]}`, path: "[0].hooks[0]", want: `needs the key "command"`, guards: true},
		{name: "empty command", group: `{"hooks": [{"type": "command", "command": " "}]}`, path: "[0].hooks[0].command", want: "empty", guards: true},
		{name: "command is a list", group: `{"hooks": [{"type": "command", "command": ["a"]}]}`, path: "[0].hooks[0].command", want: "there is a list; write a string", guards: true},
		{name: "command twice", group: `{"hooks": [{"type": "command", "command": "a", "command": "b"}]}`, path: "[0].hooks[0].command", want: "twice", guards: true},
		{name: "half a character", group: `{"hooks": [{"type": "command", "command": "a\ud800"}]}`, path: "[0].hooks[0].command", want: "half a character", guards: true},
		{name: "NUL", group: `{"hooks": [{"type": "command", "command": "a\u0000b"}]}`, path: "[0].hooks[0]", want: "U+0000", guards: true},
		{name: "args is a string", group: `{"hooks": [{"type": "command", "command": "a", "args": "b"}]}`, path: "[0].hooks[0].args", want: "write a list of strings", guards: true},
		{name: "args of numbers", group: `{"hooks": [{"type": "command", "command": "a", "args": ["b", 2]}]}`, path: "[0].hooks[0].args[1]", want: "the number 2", guards: true},
		{name: "shell zsh", group: `{"hooks": [{"type": "command", "command": "a", "shell": "zsh"}]}`, path: "[0].hooks[0].shell", want: `there is "zsh"; write "bash" or "powershell"`, guards: true},
		{name: "shell beside args", group: `{"hooks": [{"type": "command", "command": "true", "args": [], "shell": "bash"}]}`, path: "[0].hooks[0].shell", want: "no shell is started", keeps: true},
		{name: "async is a string", group: `{"hooks": [{"type": "command", "command": "true", "async": "true"}]}`, path: "[0].hooks[0].async", want: "so false counts", keeps: true},
		{name: "async before a call", group: `{"hooks": [{"type": "command", "command": "true", "async": true}]}`, path: "[0].hooks[0]", want: "cannot keep anything from happening", keeps: true},
		{name: "timeout is a string", group: `{"hooks": [{"type": "command", "command": "true", "timeout": "30"}]}`, path: "[0].hooks[0].timeout", want: "there is a string, so the default counts", keeps: true},
		{name: "timeout over a day", group: `{"hooks": [{"type": "command", "command": "true", "timeout": 86401}]}`, path: "[0].hooks[0].timeout", want: "at most 86400 seconds", keeps: true},
		{name: "timeout 0", group: `{"hooks": [{"type": "command", "command": "true", "timeout": 0}]}`, path: "[0].hooks[0].timeout", want: "more than 0", keeps: true},
		{name: "timeout of 400 digits", group: `{"hooks": [{"type": "command", "command": "true", "timeout": 1` + strings.Repeat("0", 400) + `}]}`, path: "[0].hooks[0].timeout", want: "the default counts", keeps: true},
		{name: "once", group: `{"hooks": [{"type": "command", "command": "true", "once": true}]}`, path: "[0].hooks[0].once", want: "only in skills", keeps: true},
		{name: "key of another type", group: `{"hooks": [{"type": "command", "command": "true", "url": "https://example.com"}]}`, path: "[0].hooks[0].url", want: "no such key", keeps: true},
		{name: "rewakeMessage", group: `{"hooks": [{"type": "command", "command": "true", "rewakeMessage": "x"}]}`, path: "[0].hooks[0].rewakeMessage", want: "no such key", keeps: true},
		{name: "empty if", group: `{"hooks": [{"type": "command", "command": "true", "if": ""}]}`, path: "[0].hooks[0].if", want: "the rule is empty", guards: true},
		{name: "if that is no rule", group: `{"hooks": [{"type": "command", "command": "true", "if": "Bash(git"}]}`, path: "[0].hooks[0].if", want: "parenthesis is missing", guards: true},
		{name: "if of names", group: `{"hooks": [{"type": "command", "command": "true", "if": "Edit|Write"}]}`, path: "[0].hooks[0].if", want: "not one rule", guards: true},
		{name: "if of rules", group: `{"hooks": [{"type": "command", "command": "true", "if": "Bash(git *)|Bash(rm *)"}]}`, path: "[0].hooks[0].if", want: "not one rule", guards: true},
		{name: "if is a list", group: `{"hooks": [{"type": "command", "command": "true", "if": ["Edit"]}]}`, path: "[0].hooks[0].if", want: "there is a list", guards: true},
		{name: "no url", group: `{"hooks": [{"type": "http"}]}`, path: "[0].hooks[0]", want: `needs the key "url"`, guards: true},
		{name: "url of a file", group: `{"hooks": [{"type": "http", "url": "file:///etc/passwd"}]}`, path: "[0].hooks[0].url", want: "no address of http or https", guards: true},
		{name: "header is a number", group: `{"hooks": [{"type": "http", "url": "http://localhost/", "headers": {"A": 1}}]}`, path: "[0].hooks[0].headers.A", want: "the number 1", guards: true},
		{name: "header twice", group: `{"hooks": [{"type": "http", "url": "http://localhost/", "headers": {"A": "1", "A": "2"}}]}`, path: "[0].hooks[0].headers.A", want: "twice", guards: true},
		{name: "input is a list", group: `{"hooks": [{"type": "mcp_tool", "server": "s", "tool": "t", "input": []}]}`, path: "[0].hooks[0].input", want: "write an object", guards: true},
		{name: "input repeats a key", group: `{"hooks": [{"type": "mcp_tool", "server": "s", "tool": "t", "input": {"a": 1, "a": 2}}]}`, path: "[0].hooks[0].input", want: "key \"a\" appears twice", guards: true},
		{name: "empty prompt", group: `{"hooks": [{"type": "prompt", "prompt": ""}]}`, path: "[0].hooks[0].prompt", want: "the string is empty", guards: true},
		{name: "event is an object", event: `"PermissionRequest": {"hooks": [X]}`, path: "hooks.PermissionRequest", want: "there is an object; write a list", guards: true},
		{name: "event twice", event: `"Stop": [{"hooks": [X]}], "Stop": []`, path: "hooks.Stop", want: "is there twice", keeps: true},
		{name: "agent before compaction", event: `"PreCompact": [{"hooks": [{"type": "agent", "prompt": "x"}]}]`, path: "hooks.PreCompact[0].hooks[0].type", want: "PreCompact runs no hooks of type agent"},
		{name: "if on Stop", event: `"Stop": [{"hooks": [{"type": "command", "command": "true", "if": "Bash(x)"}]}]`, path: "hooks.Stop[0].hooks[0].if", want: "never runs"},
		{name: "misspelled event", event: `"PreTooluse": [{"hooks": [X]}]`, path: "hooks.PreTooluse", want: "is it PreToolUse?", keeps: true, guards: true},
		{name: "misspelled event that guards nothing", event: `"stop": [{"hooks": [X]}]`, path: "hooks.stop", want: "is it Stop?", keeps: true},
		{name: "event of another program", event: `"zzz": [{"hooks": [X]}]`, path: "hooks.zzz", want: "not known", keeps: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			member := tt.event
			if member == "" {
				member, tt.path = `"PreToolUse": [`+tt.group+`]`, "hooks.PreToolUse"+tt.path
			}
			text := strings.ReplaceAll(`{"SessionEnd": [{"hooks": [{"type": "command", "command": "last"}]}], `+member+`}`, "X", `{"type": "command", "command": "true"}`)
			set, problems, err := hooks.Parse([]byte(text), policy.SourceUser, "f")
			require.NoError(t, err)
			require.NotEmpty(t, problems)
			p := problems[0]
			require.Equal(t, tt.path, p.Path)
			require.Contains(t, p.Text, tt.want)
			require.Equal(t, tt.guards, slices.ContainsFunc(problems, func(p hooks.Problem) bool { return p.Guards && p.Skipped }) && tt.name != "group is a handler")
			require.Len(t, set.Handlers("SessionEnd"), 1)
			kept := 0
			for _, event := range set.Events() {
				kept += len(set.Handlers(event))
			}
			require.Equal(t, tt.keeps, kept == 2)
		})
	}
}

// A file full of mistakes costs no more than its size.
func TestParseOfManyProblems(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		text   string // of the event, as often as there is room
		event  string
		guards bool
	}{
		{name: "numbers", event: "PreToolUse", text: "1,", guards: true},
		{name: "numbers of another event", event: "Stop", text: "1,"},
		{name: "hooks that are numbers", event: "Stop", text: `{"hooks":[1]},`},
		{name: "hooks that run", event: "Stop", text: `{"hooks":[{"type":"command","command":"a","x":1}]},`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			data := `{"` + tt.event + `": [` + strings.TrimSuffix(strings.Repeat(tt.text, 256<<10/len(tt.text)), ",") + `]}`
			_, problems, err := hooks.Parse([]byte(data), "", "f")
			require.NoError(t, err)
			require.Len(t, problems, 1001)
			last := problems[1000]
			require.Equal(t, fmt.Sprintf("f: hooks: there are %d more problems; mend the first ones", 256<<10/len(tt.text)-1000), last.Error())
			require.Equal(t, tt.guards, last.Guards)
			require.Equal(t, !strings.Contains(tt.text, "command"), last.Skipped)
		})
	}
}

func TestParseFields(t *testing.T) {
	t.Parallel()
	set, problems, err := hooks.Parse([]byte(`{"PostToolUse": [{"matcher": "Bash", "description": "all keys", "hooks": [
		{"type": "command", "command": "a", "args": ["b", ""], "async": true, "asyncRewake": null, "timeout": 0.5, "statusMessage": "Checking", "if": "Bash(git *)", "name": "x"},
		{"type": "command", "command": "a", "args": [], "asyncRewake": true, "timeout": 86400},
		{"type": "command", "command": "Get-Date", "shell": "powershell", "async": false},
		{"type": "http", "url": "http://127.0.0.1:8080/hook?x=1", "headers": {"Authorization": "Bearer $TOKEN"}, "allowedEnvVars": ["TOKEN"]},
		{"type": "mcp_tool", "server": "plugin:p:s", "tool": "t", "input": {"path": "${tool_input.file_path}"}},
		{"type": "prompt", "prompt": "Safe?", "continueOnBlock": true},
		{"type": "agent", "prompt": "Safe?", "model": "m"}
	]}]}`), policy.SourceLocal, "f.json")
	require.NoError(t, err)
	require.Empty(t, problems)
	all := set.Handlers("PostToolUse")
	require.Len(t, all, 7)
	require.Equal(t, []string{"b", ""}, all[0].Args)
	require.True(t, all[0].Async)
	require.False(t, all[0].AsyncRewake)
	require.Equal(t, 500*time.Millisecond, all[0].Timeout)
	require.Equal(t, "Checking", all[0].StatusMessage)
	require.Equal(t, "Bash(git *)", all[0].If)
	require.Len(t, all[0].Rules(), 1)
	require.Equal(t, policy.Deny, all[0].Rules()[0].Behavior)
	require.Equal(t, policy.SourceLocal, all[0].Rules()[0].Source)
	require.Equal(t, []string{}, all[1].Args)
	require.True(t, all[1].Async && all[1].AsyncRewake)
	require.Equal(t, 24*time.Hour, all[1].Timeout)
	require.Equal(t, "powershell", all[2].Shell)
	require.Nil(t, all[2].Args)
	require.Zero(t, all[2].Timeout)
	require.Equal(t, map[string]string{"Authorization": "Bearer $TOKEN"}, all[3].Headers)
	require.Equal(t, []string{"TOKEN"}, all[3].AllowedEnvVars)
	require.Equal(t, "plugin:p:s t", all[4].Server+" "+all[4].Tool)
	require.JSONEq(t, `{"path": "${tool_input.file_path}"}`, string(all[4].Input))
	require.True(t, all[5].ContinueOnBlock)
	require.Equal(t, "m", all[6].Model)
	for _, h := range all {
		require.Equal(t, "f.json", h.Path)
		require.Equal(t, "Bash", h.Matcher)
	}
}

// TestParseOfWrongValues puts a wrong value in each place of real files, one at a time. The
// hooks of other events stay as they were.
func TestParseOfWrongValues(t *testing.T) {
	t.Parallel()
	wrong := []any{nil, true, 5, 1e300, "", "(", "\x00", []any{}, []any{nil, "x"}, map[string]any{}, map[string]any{"hooks": []any{5}}}
	files, err := filepath.Glob("testdata/real/*.json")
	require.NoError(t, err)
	parsed := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		var whole struct{ Hooks map[string]any }
		require.NoError(t, json.Unmarshal(data, &whole))
		text, err := json.Marshal(whole.Hooks)
		require.NoError(t, err)
		right, _, err := hooks.Parse(text, "", "")
		require.NoError(t, err)
		for event, groups := range whole.Hooks {
			mutate(groups, wrong, func(changed any) {
				hooksOf := maps.Clone(whole.Hooks)
				hooksOf[event] = changed
				text, err := json.Marshal(hooksOf)
				require.NoError(t, err)
				set, problems, err := hooks.Parse(text, "", "")
				require.NoError(t, err)
				parsed++
				lost := len(right.Handlers(event)) - len(set.Handlers(event))
				told := slices.ContainsFunc(problems, func(p hooks.Problem) bool { return p.Event == event && p.Skipped }) || bytes.Contains(text, []byte("null")) || bytes.Contains(text, []byte("[]")) || bytes.Contains(text, []byte("{}"))
				require.True(t, lost <= 0 || told, "%s lost a hook and did not tell: %v", text, problems)
				for _, other := range right.Events() {
					if other != event {
						require.Equal(t, described(right.Handlers(other)), described(set.Handlers(other)))
					}
				}
			})
		}
	}
	require.Greater(t, parsed, 1000)
}

// mutate calls use with a copy of value for each place in it and each of the wrong values,
// which stands there.
func mutate(value any, wrong []any, use func(any)) {
	for _, w := range wrong {
		use(w)
	}
	switch v := value.(type) {
	case []any:
		for i := range v {
			mutate(v[i], wrong, func(changed any) {
				list := slices.Clone(v)
				list[i] = changed
				use(list)
			})
		}
	case map[string]any:
		for key := range v {
			mutate(v[key], wrong, func(changed any) {
				object := maps.Clone(v)
				object[key] = changed
				use(object)
			})
		}
	}
}

// FuzzParse checks that any text is read, and that what it says holds.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/real/*.json")
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(f, err)
		var whole struct{ Hooks json.RawMessage }
		require.NoError(f, json.Unmarshal(data, &whole))
		f.Add([]byte(whole.Hooks))
	}
	f.Add([]byte(`{"PreToolUse": [{"matcher": "(?!", "hooks": [{"type": "command", "command": "\ud800", "timeout": 1e999, "if": "Bash(a:*)"}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		before := bytes.Clone(data)
		set, problems, err := hooks.Parse(data, policy.SourceProject, "f")
		require.Equal(t, before, data)
		if err != nil {
			require.Empty(t, set.Events())
		}
		for _, p := range problems {
			require.True(t, p.Offset >= 0 && p.Offset < len(data))
			require.True(t, strings.HasPrefix(p.Path, "hooks"))
		}
		for _, event := range set.Events() {
			for _, h := range set.Handlers(event) {
				require.Equal(t, event, h.Event)
				require.True(t, h.Timeout >= 0 && h.Timeout <= 24*time.Hour)
				require.Contains(t, []string{"command", "http", "mcp_tool", "prompt", "agent"}, h.Type)
				require.NotEmpty(t, h.Command+h.URL+h.Tool+h.Prompt)
				require.Equal(t, byte('{'), data[h.Offset])
			}
			all := set.Match(event, "Bash")
			require.LessOrEqual(t, len(all), len(set.Handlers(event)))
		}
		require.Equal(t, set.Events(), hooks.Join(set, set).Events())
		for _, event := range set.Events() {
			require.Len(t, hooks.Join(set, set).Handlers(event), len(set.Handlers(event)))
		}
	})
}
