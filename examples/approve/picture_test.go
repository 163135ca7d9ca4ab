package main

import (
	"fmt"
	"html"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPictureOfAnApproval plays three turns at the terminal, with a person who answers, and compares
// the screen with the picture of README. Run with PEGBOARD_UPDATE=1 to draw it anew.
func TestPictureOfAnApproval(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the picture has the paths of Linux")
	}
	p := newPerson(t)
	played := make(chan error, 1)
	turns := []turn{modelScript[0], modelScript[1], modelScript[1]}
	turns[1].calls, turns[2].calls = turns[1].calls[:1], turns[2].calls[1:] // one question at a time, so that none is in line behind the other
	turns[1].text, turns[2].text = "It should depend on the hour.", "I note it down."
	go func() { played <- p.host.playModel(t.Context(), turns, p.screen) }()
	text := "$ go run ./examples/approve -tty\n"
	for _, answer := range []string{"a 1", "n No notes here, please."} {
		text += p.types(prompt, answer) + answer + "\n"
	}
	require.NoError(t, <-played)
	shown := p.String()
	text += shown[strings.LastIndex(shown, prompt)+len(prompt):]

	const picture = "../../docs/approval.svg"
	got := drawn(strings.NewReplacer(p.dir, "/home/ann", "\t", "  ").Replace(text))
	if os.Getenv("PEGBOARD_UPDATE") != "" {
		require.NoError(t, os.WriteFile(picture, []byte(got), 0o644)) //nolint:gosec // a picture
		return
	}
	want, err := os.ReadFile(picture)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// drawn returns a picture of a terminal that shows the text.
func drawn(text string) string {
	const width, line, margin = 125, 19, 16
	var rows strings.Builder
	y := margin
	for row := range strings.Lines(text) {
		row = strings.TrimSuffix(row, "\n")
		colour := "#d0d0d0"
		switch {
		case strings.HasPrefix(row, "│ +"):
			colour = "#7ec77e"
		case strings.HasPrefix(row, "│ -"):
			colour = "#e08080"
		case strings.HasPrefix(row, "$"), strings.HasPrefix(row, "["), strings.HasPrefix(row, "model"):
			colour = "#ffffff"
		}
		for runes := []rune(row); ; runes = runes[width:] {
			y += line
			fmt.Fprintf(&rows, `<text x="%d" y="%d" fill="%s">%s</text>`+"\n", margin, y, colour, strings.ReplaceAll(html.EscapeString(string(runes[:min(width, len(runes))])), " ", "\u00a0"))
			if len(runes) <= width {
				break
			}
		}
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="Menlo, Consolas, monospace" font-size="14">
<rect width="100%%" height="100%%" rx="8" fill="#1e1e1e"/>
%s</svg>
`, width*8+80, y+margin+line/2, rows.String())
}
