package pegboard

import (
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lock"
)

// maxNotifications is how many parts a session keeps for [Session.Notifications]. A task of tools/background
// keeps as many messages.
const maxNotifications = 256

// notifications are the parts that a session was told and has not handed out. The zero value is
// ready to use.
type notifications struct {
	mu      lock.Mutex
	parts   []Part
	dropped int                  // parts that were left out since the last handing out
	sources []notificationSource // in the order of their first OnNotifications; never written to
	waiting []string             // the names of AnnounceNotifications for which something waits
	arrival chan struct{}        // of Notified; nil if Notified was not called since the last handing out
	arrived bool                 // arrival is closed
	closed  bool                 // the session has ended
}

// A notificationSource is asked for parts when they are handed out.
type notificationSource struct {
	name string
	more func() []Part
}

// ask returns the parts of a source. The caller holds no lock.
func (s notificationSource) ask() (parts []Part) {
	if err := goroutine.Try(func() error { parts = s.more(); return nil }); err != nil {
		return []Part{{Text: fmt.Sprintf("(There may be more from %s, which could not be read: %v)", s.name, err)}}
	}
	return visibleParts(parts)
}

// setSource adds or replaces a source. A nil func removes it.
func (n *notifications) setSource(name string, more func() []Part) {
	n.mu.Lock()
	defer n.mu.Unlock()
	sources := slices.Clone(n.sources) // Notifications may be reading the old ones
	at := slices.IndexFunc(sources, func(s notificationSource) bool { return s.name == name })
	switch {
	case n.closed:
		return
	case more == nil && at >= 0:
		sources = slices.Delete(sources, at, at+1)
	case more == nil:
	case at >= 0:
		sources[at].more = more
	default:
		sources = append(sources, notificationSource{name: name, more: more})
	}
	n.sources = sources
}

// notified returns the channel of [Session.Notified].
func (n *notifications) notified() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.arrival == nil {
		n.arrival = make(chan struct{})
	}
	defer n.signal() // which may replace n.arrival later, but not now
	return n.arrival
}

// announce records whether something waits under a name.
func (n *notifications) announce(name string, waits bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	at := slices.Index(n.waiting, name)
	switch {
	case waits && at < 0:
		n.waiting = append(n.waiting, name)
	case !waits && at >= 0:
		n.waiting = slices.Delete(n.waiting, at, at+1)
	}
	n.signal()
}

// signal closes arrival if something waits, and otherwise forgets a closed one. The caller
// holds mu.
func (n *notifications) signal() {
	waits := n.closed || len(n.parts) > 0 || len(n.waiting) > 0
	switch {
	case n.arrival == nil:
	case waits && !n.arrived:
		close(n.arrival)
		n.arrived = true
	case !waits && n.arrived:
		n.arrival, n.arrived = nil, false
	}
}

// notify adds parts. If the session has ended, they go to main, the notifications of the main
// session. Main is nil for the main session itself.
func (n *notifications) notify(main *notifications, parts []Part) {
	if !n.addUnlessClosed(parts) && main != nil {
		main.addUnlessClosed(parts)
	}
}

func (n *notifications) addUnlessClosed(parts []Part) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.closed {
		n.add(0, parts)
	}
	return !n.closed
}

// add adds parts, before which others were left out. The caller holds mu.
func (n *notifications) add(older int, parts []Part) {
	n.dropped += older
	n.parts = append(n.parts, parts...)
	if more := len(n.parts) - maxNotifications; more > 0 {
		n.dropped += more
		n.parts = slices.Delete(n.parts, 0, more)
	}
	n.signal()
}

// take removes and returns the parts, and how many were left out before them. The caller asks
// the sources.
func (n *notifications) take() (parts []Part, dropped int, sources []notificationSource) {
	n.mu.Lock()
	defer n.mu.Unlock()
	parts, dropped = n.parts, n.dropped
	n.parts, n.dropped = nil, 0
	n.signal()
	return parts, dropped, n.sources
}

// end moves the remaining parts to main, the notifications of the main session. Main is nil if n are
// those of the main session. Parts that are added later go there, too.
func (n *notifications) end(main *notifications) {
	if main != nil {
		main.mu.Lock()
		defer main.mu.Unlock()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if main != nil && !main.closed {
		main.add(n.dropped, n.parts)
	}
	n.closed, n.parts, n.dropped, n.sources = true, nil, 0, nil
	n.signal()
}

// droppedNotifications tells the model that n parts were left out.
func droppedNotifications(n int) Part {
	return Part{Text: fmt.Sprintf("(%d older messages of the program were left out: at most %d are kept.)", n, maxNotifications)}
}

// Notify adds words for the model that belong to no call, such as those of a hook that goes on
// while the turn does. They are kept until [Session.Notifications] hands them out, at most 256
// parts of each session; then the oldest are left out. Parts that a fork has not handed out when
// it is closed, and parts that are added later, go to the main session. A closed main session
// keeps nothing.
//
// Parts that show nothing are left out. The others are kept as they are, so the caller cuts
// long texts. Their bytes must not be changed afterwards.
func (s *Session) Notify(parts ...Part) {
	s.mustExist("Notify")
	if parts = visibleParts(parts); len(parts) > 0 {
		s.notifications.notify(s.mainNotifications(), parts)
	}
}

// Notifications removes and returns what s was told, in the order of [Session.Notify], and appends what
// the funcs of [Session.OnNotifications] return. A loop asks before each request, and sends the parts as
// the last arguments of a wire's Results, or with the user's message. If parts were left out,
// the first part says how many. The notices of tools/background are among the news.
func (s *Session) Notifications() []Part {
	s.mustExist("Notifications")
	parts, dropped, sources := s.notifications.take()
	if dropped > 0 {
		parts = append([]Part{droppedNotifications(dropped)}, parts...)
	}
	for _, source := range sources {
		parts = append(parts, source.ask()...)
	}
	return parts
}

// OnNotifications makes [Session.Notifications] of s call more each time, and append its result. It
// is for news that is kept elsewhere and handed out only on request, as from a mailbox: nothing is
// lost between two requests if the program ends there. Several are asked in the order of their
// first OnNotifications. A second OnNotifications of a name replaces the func of the first, and a nil func
// removes it.
//
// More returns soon, and may be called concurrently. It may use the session, but not Notifications. Parts
// that show nothing are left out. If more panics, a part says so in its place. A fork asks its
// own funcs only. A closed session has none, and ignores OnNotifications.
func (s *Session) OnNotifications(name string, more func() []Part) {
	s.mustExist("OnNotifications")
	s.notifications.setSource(name, more)
}

// Notified returns a channel that is closed as soon as something waits for the model: words of
// [Session.Notify] that Notifications has not handed out, or news that a source has announced with
// [Session.AnnounceNotifications]. If something waits already, the channel is closed. It is closed, too, when
// s is closed. A host or a tool that waits calls Notified each time that it begins to.
func (s *Session) Notified() <-chan struct{} {
	s.mustExist("Notified")
	return s.notifications.notified()
}

// AnnounceNotifications says whether something waits for the model of s under a name, such as that of
// [Session.OnNotifications]: [Session.Notified] tells those who wait. A source calls it with true when it
// gets something and with false when nothing is left, in the order of these changes. It returns at
// once and calls nothing, so it may be called while a lock is held. A source that announces nothing
// is asked by Notifications all the same.
func (s *Session) AnnounceNotifications(name string, waits bool) {
	s.mustExist("AnnounceNotifications")
	s.notifications.announce(name, waits)
}

// mainNotifications returns the notifications of the main session, or nil if s is it.
func (s *Session) mainNotifications() *notifications {
	if s.parent == nil {
		return nil
	}
	return &s.main().notifications
}
