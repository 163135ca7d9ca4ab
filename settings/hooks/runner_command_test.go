package hooks_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/script"
)

// A command has the environment and the directory that are documented, and nothing else.
func TestEnvironmentOfCommand(t *testing.T) {
	var o noteOptions
	t.Setenv("OTEL_EXPORTER", "secret")
	t.Setenv("KEPT", "yes")
	o.Env = map[string]string{"FROM_SETTINGS": "a b", "OTEL_OTHER": "secret", "BAD=NAME": "x"}
	o.Project = t.TempDir()
	o.EnvFile = func(*pegboard.Session) string { return "/env/file" }
	s := newNoteScene(t, joined(t, commandHook("PreToolUse", "", "env > @DIR/pre; pwd > @DIR/pwd; [ -t 0 ] || tty > @DIR/tty; true"), commandHook("SessionStart", "", "env > @DIR/start")), o)
	require.NoError(t, s.call("x").Err)
	_, err := s.runner.Fire(t.Context(), s.session, "SessionStart", map[string]any{"source": "startup"})
	require.NoError(t, err)
	pre, start := strings.Split(s.read("pre"), "\n"), strings.Split(s.read("start"), "\n")
	require.Contains(t, pre, "FROM_SETTINGS=a b")
	require.Contains(t, pre, "KEPT=yes")
	require.Contains(t, pre, "CLAUDE_PROJECT_DIR="+o.Project)
	require.NotContains(t, s.read("pre"), "OTEL_")
	require.NotContains(t, s.read("pre"), "CLAUDE_ENV_FILE")
	require.Contains(t, start, "CLAUDE_ENV_FILE=/env/file")
	require.Equal(t, s.dir+"\n", s.read("pwd"))
	require.Contains(t, s.read("tty"), "not a tty")
}

// The forms in which commands stand in files.
func TestFormsOfCommand(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		hook   string
		denied bool
	}{
		{name: "quoted project", hook: `{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/deny.sh"}`, denied: true},
		{name: "placeholder", hook: `{"type": "command", "command": "'@DIR'/deny.sh; exit $?"}`, denied: true},
		{name: "relative", hook: `{"type": "command", "command": "./deny.sh"}`, denied: true},
		{name: "home", hook: `{"type": "command", "command": "HOME='@DIR'; ~/deny.sh"}`, denied: true},
		{name: "nested quotes", hook: `{"type": "command", "command": "bash -c 'x=\"2\"; exit \"$x\"'"}`, denied: true},
		{name: "guarded", hook: `{"type": "command", "command": "H=\"$CLAUDE_PROJECT_DIR/deny.sh\"; [ -x \"$H\" ] && exec \"$H\"; exit 0"}`, denied: true},
		{name: "guarded and not there", hook: `{"type": "command", "command": "H=\"$CLAUDE_PROJECT_DIR/nothing.sh\"; [ -x \"$H\" ] && exec \"$H\"; exit 0"}`},
		{name: "bash", hook: `{"type": "command", "shell": "bash", "command": "[[ -n $BASH_VERSION ]] && exit 2"}`, denied: true},
		{name: "arguments", hook: `{"type": "command", "command": "${CLAUDE_PROJECT_DIR}/deny.sh", "args": []}`, denied: true},
		{name: "arguments are no words of a shell", hook: `{"type": "command", "command": "sh", "args": ["-c", "[ \"$1\" = 'a; b $HOME' ] && exit 2", "sh", "a; b $HOME"]}`, denied: true},
		{name: "a variable that never existed", hook: `{"type": "command", "command": "[ -z \"$CLAUDE_FILE_PATHS\" ] && exit 2"}`, denied: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newNoteScene(t, `{"PreToolUse": [{"hooks": [`+tt.hook+`]}]}`, noteOptions{})
			script.Write(t, filepath.Join(s.dir, "deny.sh"), "#!/bin/sh\nexit 2\n")
			require.Equal(t, tt.denied, s.call("x").Err != nil)
			require.Empty(t, s.problemTexts())
		})
	}
}

// Commands that behave badly hold up nobody and take no memory, and what they say counts.
func TestBadCommands(t *testing.T) { //nolint:paralleltest // the cases measure the heap, one after the other
	size := strconv.Itoa(effort.Of(t, 1<<30))
	deny := printing(`{"decision": "block", "reason": "not today"}`)
	big := strings.Repeat("x", 3<<20) // more than a pipe holds
	tests := []struct {
		name    string
		command string
		input   string
		denied  string
		problem string
	}{
		{name: "reads nothing of a large input", command: "exit 0", input: big},
		{name: "reads nothing of a large input and denies", command: deny, input: big, denied: "not today"},
		{name: "reads all of a large input", command: "[ $(wc -c) -gt 3145728 ] && { echo big >&2; exit 2; }", input: big, denied: "big"},
		{name: "closes its input", command: "exec <&-; sleep 0.1; echo closed >&2; exit 2", input: big, denied: "closed"},
		{name: "writes 1 GiB, then denies", command: "head -c " + size + " /dev/zero; echo big >&2; exit 2", denied: "big"},
		{name: "writes 1 GiB to stderr, then denies", command: "echo big >&2; head -c " + size + " /dev/zero >&2; exit 2", denied: "big"},
		{name: "an answer of 1 GiB", command: `printf '{"systemMessage": "'; head -c ` + size + ` /dev/zero | tr '\0' x; printf '"}'`, denied: "too long to be read", problem: "longer than"},
		{name: "leaves a process that holds its output", command: "sleep 1000 & " + deny, denied: "not today"},
		{name: "leaves a process without its output", command: "sleep 1000 >/dev/null 2>&1 & " + deny, denied: "not today"},
		{name: "a child answers", command: "(" + strings.ReplaceAll(deny, "\nEND", "\nEND\n") + ")", denied: "not today"},
		{name: "answers without a line end", command: `printf '{"decision":"block","reason":"not today"}'`, denied: "not today"},
		{name: "answers in pieces", command: `printf '{"decision":'; sleep 0.2; printf '"block","reason":"not today"}'`, denied: "not today"},
		{name: "closes its output and goes on", command: `echo '{"decision":"block","reason":"not today"}'; exec >&- 2>&-; sleep 0.2`, denied: "not today"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newNoteScene(t, commandHook("PreToolUse", "", tt.command, `"timeout": 60`), noteOptions{})
			if tt.input == "" {
				tt.input = "x"
			}
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			out := s.call(tt.input)
			runtime.ReadMemStats(&after)
			if tt.denied == "" {
				require.NoError(t, out.Err)
			} else {
				require.Empty(t, s.noted)
				require.Contains(t, out.Result.Text(), tt.denied)
				require.Less(t, len(out.Result.Text()), 20_000)
			}
			require.Contains(t, s.problemTexts(), tt.problem)
			if len(tt.input) < 10 {
				// The heap grows by arenas of 64 MiB. The commands write more than this.
				require.Less(t, int64(after.HeapSys)-int64(before.HeapSys), int64(96<<20))
			}
		})
	}
}

// A payload of 100 MiB, of which hooks read nothing or all.
func TestLargePayload(t *testing.T) {
	t.Parallel()
	size := effort.Of(t, 100<<20)
	prompt := strings.Repeat("x", size)
	s := newNoteScene(t, joined(t, commandHook("UserPromptSubmit", "", "exit 0"), commandHook("UserPromptSubmit", "", "exec <&-; sleep 0.1; exit 0"),
		commandHook("UserPromptSubmit", "", fmt.Sprintf("[ $(wc -c) -gt %d ] && exit 2", size))), noteOptions{})
	answer, err := s.runner.Fire(t.Context(), s.session, "UserPromptSubmit", map[string]any{"prompt": prompt})
	require.NoError(t, err)
	require.True(t, answer.Block)
	require.Empty(t, s.problemTexts())
}

// A directory that has vanished is no way around a hook.
func TestVanishedDirectory(t *testing.T) {
	t.Parallel()
	var o noteOptions
	o.config.Dir = filepath.Join(t.TempDir(), "gone")
	require.NoError(t, os.Mkdir(o.config.Dir, 0o700))
	s := newNoteScene(t, commandHook("PreToolUse", "", "echo still here >&2; exit 2"), o)
	require.NoError(t, os.Remove(s.session.Dir()))
	require.Contains(t, s.call("x").Result.Text(), "still here")
	require.Empty(t, s.noted)
}

// What is too long goes to a file.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789 ", 2000)
	for _, own := range []bool{true, false} {
		var o noteOptions
		if own {
			o.Spill = filepath.Join(t.TempDir(), "spill")
		}
		s := newNoteScene(t, commandHook("PreToolUse", "", `python3 -c 'import json; print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "0123456789 " * 2000}}))'`), o)
		out := s.call("x")
		require.NoError(t, out.Err)
		text := out.Result.Messages[0].Text
		require.Less(t, len(text), 3000)
		_, path, found := strings.Cut(text, "All of it is in ")
		require.True(t, found, text)
		path, _, _ = strings.Cut(path, ". ")
		path = strings.TrimSuffix(strings.Fields(path)[0], ".")
		stored, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, long, string(stored))
		if own {
			require.Equal(t, o.Spill, filepath.Dir(path))
		}
	}
}

// Hooks that are not waited for: what they decide has no effect, and what they say comes
// later.
func TestAsync(t *testing.T) {
	t.Parallel()
	answer := `{"decision": "block", "reason": "not today", "systemMessage": "done", "hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "it is noon"}}`
	tests := []struct {
		name    string
		command string
		more    []string
	}{
		{name: "of the file", command: "sleep 0.3; " + printing(answer), more: []string{`"async": true`}},
		{name: "of the answer", command: `echo '{"async": true}'; sleep 0.3; ` + printing(answer)},
		{name: "of the answer, at once", command: `printf '{"async": true}\n%s\n' '` + answer + `'`},
		{name: "of the answer without a line end", command: `printf '{"async":true,"asyncTimeout":5}'; sleep 0.3; ` + printing(answer)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newNoteScene(t, commandHook("PreToolUse", "", tt.command, tt.more...), noteOptions{})
			out := s.call("x")
			require.NoError(t, out.Err)
			require.Empty(t, out.Result.Messages)
			var news []pegboard.Part
			require.Eventually(t, func() bool { news = append(news, s.session.News()...); return len(news) > 0 }, waitTime, pollTime)
			require.Equal(t, []string{"it is noon"}, unlabelled(t, texts(news)))
			require.Equal(t, []string{"done"}, s.messages)
			require.Contains(t, s.problemTexts(), "decision has no effect")
		})
	}
}

// An asynchronous hook wakes the model, or ends with its session.
func TestAsyncRewake(t *testing.T) {
	t.Parallel()
	woken := make(chan string, 1)
	var o noteOptions
	o.Wake = func(_ *pegboard.Session, text string) { woken <- text }
	s := newNoteScene(t, joined(t,
		commandHook("PostToolUse", "", "echo the tests fail >&2; exit 2", `"asyncRewake": true`),
		commandHook("PreToolUse", "", ": > @DIR/up; trap '' TERM; exec sleep 1000", `"async": true`)), o)
	require.NoError(t, s.call("x").Err)
	require.Equal(t, []string{"the tests fail"}, unlabelled(t, []string{<-woken}))
	require.Eventually(t, func() bool { return exists(filepath.Join(s.dir, "up")) }, waitTime, pollTime)
	started := time.Now()
	require.NoError(t, s.session.Close(t.Context()))
	require.Less(t, time.Since(started), waitTime)
	require.Empty(t, s.problemTexts())
}

// The rule of "if" is held against the call before anything is started.
func TestIf(t *testing.T) {
	t.Parallel()
	tests := []struct {
		rule string
		ran  bool
	}{
		{rule: "Note", ran: true},
		{rule: "Jot", ran: true},
		{rule: "Note(text:hello)", ran: true},
		{rule: "Note(text:bye)"},
		{rule: "Write"},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			rule, err := json.Marshal(tt.rule)
			require.NoError(t, err)
			s := newNoteScene(t, commandHook("PreToolUse", "", ": > '@DIR/ran'", `"if": `+string(rule)), noteOptions{})
			require.NoError(t, s.call("hello").Err)
			require.Equal(t, tt.ran, exists(filepath.Join(s.dir, "ran")))
		})
	}
}
