package hooks

import (
	"errors"
	"fmt"
	"regexp"
	"unicode/utf8"
)

// terminalSequences match what hooks may send to the person's terminal: bells, and the
// operating system commands that set a title or show a notification or a progress. Others
// could answer for the person, move the cursor or reach the clipboard.
var terminalSequences = regexp.MustCompile(`^(?:\x07|\x1b\](?:0|1|2|9|99|777);[^\x00-\x1f\x7f-\x{9f}]*(?:\x07|\x1b\\))+$`)

// sendToTerminal sends the terminalSequence of a reply to the person's terminal.
func (o *occasion) sendToTerminal(r *reply) {
	send := o.runner.options.Terminal
	switch {
	case r.terminal == "" || send == nil:
	case !utf8.ValidString(r.terminal) || len(r.terminal) > maxText || !terminalSequences.MatchString(r.terminal):
		o.runner.options.problem(r.handler, errors.New("terminalSequence is left out: it holds more than bells and the sequences OSC 0, 1, 2, 9, 99 and 777"))
	default:
		if crash := patiently(func() { send(o.session, r.terminal) }); crash != nil {
			o.runner.options.problem(r.handler, fmt.Errorf("Options.Terminal: %w", crash))
		}
	}
}
