package hooks_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/settings/hooks"
)

// TestTerminalSequence: what a hook sends to the terminal can ring and tell, and nothing else.
func TestTerminalSequence(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		sequence string
		refused  bool
	}{
		{name: "a bell", sequence: "\a"},
		{name: "a title", sequence: "\x1b]0;working\a"},
		{name: "a notification, and a bell", sequence: "\x1b]777;notify;done;日本\x1b\\\a"},
		{name: "progress", sequence: "\x1b]9;4;1;50\a"},
		{name: "a question to the terminal", sequence: "\x1b]0;?\a\x1b[6n", refused: true},
		{name: "the clipboard", sequence: "\x1b]52;c;cm0gLXJm\a", refused: true},
		{name: "a link", sequence: "\x1b]8;;https://h\a", refused: true},
		{name: "text", sequence: "hello", refused: true},
		{name: "a title without an end", sequence: "\x1b]0;working", refused: true},
		{name: "a control character in a title", sequence: "\x1b]0;a\x1b[2Jb\a", refused: true},
		{name: "one of eight bits", sequence: "\x1b]0;a\u009b2J\a", refused: true},
		{name: "a line break", sequence: "\x1b]0;a\nb\a", refused: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			answer, err := json.Marshal(map[string]any{"terminalSequence": tt.sequence, "systemMessage": "hi"})
			require.NoError(t, err)
			var sent []string
			s := newNoteScene(t, commandHook("PreToolUse", "Note", printing(string(answer))), noteOptions{Options: hooks.Options{
				Terminal: func(_ *pegboard.Session, sequence string) { sent = append(sent, sequence) },
			}})
			require.NoError(t, s.call("hello").Err)
			require.Equal(t, []string{"hi"}, s.messages)
			if tt.refused {
				require.Empty(t, sent)
				require.Contains(t, s.problemTexts(), "terminalSequence is left out")
				return
			}
			require.Equal(t, []string{tt.sequence}, sent)
			require.Empty(t, s.problemTexts())
		})
	}
}
