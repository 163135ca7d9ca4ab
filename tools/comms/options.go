package comms

import (
	"context"
	"errors"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// The limits of a call. All are our choice.
const (
	DefaultTimeout = 5 * time.Minute // of a call, if Options.Timeout is 0
	DefaultMaxFile = 100 << 20       // bytes of one file, if Options.MaxFile is 0
	MaxFiles       = 20              // that a call sends
	MaxMessage     = 100_000         // characters of a message
)

// Options are the host's channels and their limits. The zero value has no channel, so every
// constructor refuses it.
//
// The funcs get the session that made the call: that of an agent has an AgentPath. They may be
// called concurrently. They should return soon after ctx has ended; one that does not is left
// behind, and the call is answered without it. An error goes to the model with its text. A panic
// ends the call and nothing else.
//
// Texts that a func gets are written by the model. They have no control characters but newlines
// and tabs.
type Options struct {
	// Send shows the user a message, for [SendUserMessage].
	Send func(ctx context.Context, s *pegboard.Session, m Message) error
	// SendFile gives the user files, for [SendUserFile].
	SendFile func(ctx context.Context, s *pegboard.Session, d Delivery) error
	// Push notifies the user, for [PushNotification].
	Push func(ctx context.Context, s *pegboard.Session, n Notification) (Pushed, error)
	// Capture returns the last lines that the user's terminal shows, for [TerminalCapture]. It
	// may return more lines, and escape sequences.
	Capture func(ctx context.Context, s *pegboard.Session, lines int) (string, error)
	// Subscribe begins to watch a pull request, for [SubscribePR]. Pr is one line of the model,
	// such as a number or an address. Subscribe returns an error if the pull request cannot be
	// watched. Ctx lasts until the subscription has ended: use context.AfterFunc to release its
	// resources.
	Subscribe func(ctx context.Context, s *pegboard.Session, pr string) (Subscription, error)

	// Remote says that Send, SendFile and Push reach another machine, or that Capture is about
	// one. The calls are then open-world.
	Remote bool
	// MaxFile is how many bytes a file may have that is sent; 0 means DefaultMaxFile, a
	// negative number no limit.
	MaxFile int64
	// Timeout is how long a call may take; 0 means DefaultTimeout, a negative number no limit.
	// A subscription has no limit once it has begun.
	Timeout time.Duration
}

// A Subscription returns the next event of a pull request as a text, when there is one. It is
// called again after it has returned, by one goroutine, until it returns an error: io.EOF if
// nothing more can happen, as when the pull request was merged. A text beside an error counts as
// an event. It should return when ctx has ended.
type Subscription func(ctx context.Context) (event string, err error)

func (o Options) timeout() time.Duration {
	switch {
	case o.Timeout == 0:
		return DefaultTimeout
	case o.Timeout < 0:
		return 0
	}
	return o.Timeout
}

func (o Options) maxFile() int64 {
	if o.MaxFile == 0 {
		return DefaultMaxFile
	}
	return o.MaxFile
}

// traits are those of a call that tells the user something.
func (o Options) traits(what string, files []string) pegboard.Traits {
	t := pegboard.Traits{Concurrency: pegboard.PerTarget, Own: !o.Remote, OpenWorld: o.Remote, Kind: pegboard.KindRun, Targets: []policy.Target{{Kind: policy.Resource, Value: what}}}
	for _, path := range files {
		t.Targets = append(t.Targets, policy.Target{Kind: policy.Path, Access: policy.Read, Value: path})
	}
	return t
}

// permit is the opinion of a tool that tells the user something.
func (o Options) permit() policy.Decision {
	if o.Remote {
		return policy.Decision{}
	}
	return policy.Decision{Behavior: policy.Allow, Reason: "it is for the user, at this machine"}
}

// missing is the error of a constructor whose func is nil.
func missing(tool, field string) error {
	return &pegboard.BuildError{Tool: tool, Field: "Options." + field, Err: errors.New("is nil, so that the tool has no channel to the user")}
}

// errNoSession is the error of a call that no executor made.
var errNoSession = errors.New("the user is reached by calls of an executor only")
