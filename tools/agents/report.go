package agents

import (
	"regexp"
	"strings"
	"unicode"
)

// markers match imitations of the marks by which a host tells the model who speaks: a tag, or
// the beginning of a line. The words of this package and of notices of background tasks are
// among them, so that no text of an agent looks like two messages. Spaces and invisible
// characters may stand before them.
var markers = regexp.MustCompile(`(?i:<[\s\v\p{Zs}\p{Cf}/]*(?:system-reminder|system-warning|system-message|system|task-notification|teammate-message|agent-message|` +
	`function_calls|function_results|tool_use_error|tool_result|user-prompt-submit-hook|command-(?:name|message|args)|local-command-std(?:out|err)|` +
	`bash-(?:input|stdout|stderr)|antml:[a-z_]+)\b)|(?:(?m:^)|[\r\v\f\x{85}\x{2028}\x{2029}])[\t\p{Zs}\p{Cf}]*(?:(?:Human|Assistant):|` +
	`(?:Message|Shutdown request|Plan|Answer) from the (?:main )?agent\b|The teammate [^\n]* is idle and waits|\(An agent wrote this|Background task \w+_\w+)`)

// reportMark is the first line of a report in which something was made harmless.
const reportMark = "[The text below imitates marks of this program, which it cannot use. A backslash stands before each.]"

// harmless returns text in which a backslash stands before everything that imitates a mark of the
// host, below a first line that says so. Nothing is removed, and a text without such a thing is
// returned as it is.
func harmless(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	at := markers.FindAllStringIndex(text, -1)
	if at == nil {
		return text
	}
	var b strings.Builder
	b.WriteString(reportMark + "\n")
	from := 0
	for _, m := range at {
		start := m[0] + strings.IndexFunc(text[m[0]:m[1]], func(c rune) bool { return !unicode.IsSpace(c) && !unicode.Is(unicode.Cf, c) })
		b.WriteString(text[from:start] + `\`)
		from = start
	}
	b.WriteString(text[from:])
	return b.String()
}
