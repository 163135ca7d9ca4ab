package pegboard

import (
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/lock"
)

// maxNews is how many parts a session keeps for [Session.News]. A task of tools/background
// keeps as many messages.
const maxNews = 256

// news are the parts that a session was told and that were not handed out. The zero value is
// ready to use.
type news struct {
	mu      lock.Mutex
	parts   []Part
	dropped int  // parts that were left out since the last handing out
	closed  bool // the session has ended
}

// tell adds parts. If the session has ended, they go to main, the news of the main session,
// which are nil for that session itself.
func (n *news) tell(main *news, parts []Part) {
	if !n.addUnlessClosed(parts) && main != nil {
		main.addUnlessClosed(parts)
	}
}

func (n *news) addUnlessClosed(parts []Part) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.closed {
		n.add(0, parts)
	}
	return !n.closed
}

// add adds parts, before which others were left out. The caller holds mu.
func (n *news) add(older int, parts []Part) {
	n.dropped += older
	n.parts = append(n.parts, parts...)
	if more := len(n.parts) - maxNews; more > 0 {
		n.dropped += more
		n.parts = slices.Delete(n.parts, 0, more)
	}
}

// take removes and returns the parts, and how many were left out before them.
func (n *news) take() (parts []Part, dropped int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	parts, dropped = n.parts, n.dropped
	n.parts, n.dropped = nil, 0
	return parts, dropped
}

// end moves what is left to main, the news of the main session, which are nil for that session
// itself. What is told later goes there, too.
func (n *news) end(main *news) {
	if main != nil {
		main.mu.Lock()
		defer main.mu.Unlock()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if main != nil && !main.closed {
		main.add(n.dropped, n.parts)
	}
	n.closed, n.parts, n.dropped = true, nil, 0
}

// droppedNews tells the model that n parts were left out.
func droppedNews(n int) Part {
	return Part{Text: fmt.Sprintf("(%d older messages of the program were left out: at most %d are kept.)", n, maxNews)}
}
