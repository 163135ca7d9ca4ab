package skills

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzText checks that a text is divided once: what is put into it is never looked at again,
// whatever it looks like, and that nothing of the text is lost.
func FuzzText(f *testing.F) {
	f.Add("Do !`one $0` and\n```!\ntwo\n```\n $ARGUMENTS \\$0", "!`evil` $ARGUMENTS ${V}")
	f.Add("!`a` !`b $x` ${V} $x $1", "`")
	f.Add("```!\na\n```", "\n```!\nevil\n```\n")
	f.Fuzz(func(t *testing.T, body, hostile string) {
		if strings.ContainsAny(body, "\x01\x02\x03\x04") {
			return
		}
		parsed := parseText(body, []string{"x"})
		render := func(args, word, variable, printed string) string {
			v := values{args: args, words: []string{word, word}, variables: map[string]string{"V": variable}}
			var outputs []string
			for _, p := range parsed.pieces {
				if p.kind == pieceCommand {
					outputs = append(outputs, printed)
				}
			}
			return v.render(parsed, outputs)
		}
		marked := render("\x01", "\x02", "\x03", "\x04")
		filled := strings.NewReplacer("\x01", hostile, "\x02", hostile, "\x03", hostile, "\x04", hostile).Replace(marked)
		if parsed.takesArgs || strings.TrimSpace(hostile) != "" {
			require.Equal(t, filled, render(hostile, hostile, hostile, hostile))
		}

		var raw strings.Builder
		for _, p := range parsed.pieces {
			raw.WriteString(p.raw)
		}
		require.Equal(t, strings.ReplaceAll(body, `\`, ""), strings.ReplaceAll(raw.String(), `\`, ""))
	})
}

// FuzzCommandLine checks that an argument adds no character to a command line that a shell could
// read as anything but a part of a word.
func FuzzCommandLine(f *testing.F) {
	f.Add("echo $0 $x", "a b")
	f.Add("echo \"$ARGUMENTS\"", "a;b")
	f.Fuzz(func(t *testing.T, command, args string) {
		special := func(s string) string {
			return strings.Map(func(c rune) rune {
				if isSpecial(c) {
					return c
				}
				return -1
			}, s)
		}
		d := divider{names: []string{"x"}, order: []string{"x"}, inCommand: true}
		d.divide(command)
		var own strings.Builder
		v := newValues(args, nil)
		for _, p := range d.pieces {
			if p.kind == pieceLiteral || p.kind == pieceVariable || p.kind == pieceIndexed && p.index >= len(v.words) {
				own.WriteString(p.raw)
			}
		}
		if line, err := v.line(d.pieces); err == nil {
			require.Equal(t, special(own.String()), special(line))
		}
	})
}
