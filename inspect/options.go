package inspect

import (
	"errors"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// DefaultKeep is how many calls a [Page] remembers when [Options].Keep is zero.
const DefaultKeep = 2000

// minToken is the length of 16 random bytes in base64 without padding.
const minToken = 22

// Options configure a [Page].
type Options struct {
	Registry *pegboard.Registry // required, as is the next
	Session  *pegboard.Session  // the main session; its forks are met in events
	Pool     pegboard.PoolConfig
	// Keep is how many calls are remembered; 0 means [DefaultKeep].
	Keep int
	// Token is a secret of at least 22 bytes, such as [crypto/rand.Text] returns. With it
	// every path needs it: once in the query, as ?token=…, and then in a cookie. Without it
	// nothing of an input is shown and no question answered.
	Token    string
	Answers  bool // questions may be answered on the page
	Contents bool // inputs, results and previews are shown
	// Hosts are further names that the page answers to, with or without a port, beside those
	// of this machine: localhost, names that end in .localhost, and loopback addresses.
	Hosts    []string
	Sections []Section
}

// A Section is a table of the host's own. Its rows may contain any text.
type Section struct {
	Title string
	// Rows is called for every view. It may be called concurrently; a panic in it is shown
	// in place of the table.
	Rows func() (header []string, rows [][]string)
}

var errNoToken = errors.New("without a Token, any program on this machine could do that")

// check returns why the page cannot be made.
func (o *Options) check() error {
	switch {
	case o.Registry == nil:
		return errors.New("the Registry is missing")
	case o.Session == nil:
		return errors.New("the Session is missing")
	case o.Token == "" && o.Answers:
		return fmt.Errorf("questions cannot be answered: %w", errNoToken)
	case o.Token == "" && o.Contents:
		return fmt.Errorf("contents cannot be shown: %w", errNoToken)
	case o.Token != "" && len(o.Token) < minToken:
		return fmt.Errorf("the Token has %d bytes, fewer than %d; crypto/rand.Text makes a good one", len(o.Token), minToken)
	case o.Keep < 0:
		return fmt.Errorf("the option Keep is %d", o.Keep)
	}
	for i, s := range o.Sections {
		if s.Rows == nil {
			return fmt.Errorf("section %d (%q) has no Rows", i+1, s.Title)
		}
	}
	return nil
}
