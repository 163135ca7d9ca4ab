package comms

import (
	"context"
	"fmt"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/internal/output"
)

// A Notification is what [PushNotification] sends.
type Notification struct {
	Text      string // one line of fewer than 200 characters
	Proactive bool   // the user has not asked for it
}

// Pushed says where a notification was shown.
type Pushed struct {
	Push  bool // on another device of the user
	Local bool // at this machine
	// Disabled says why it was not shown everywhere; empty if it was, or if the host does not
	// know.
	Disabled DisabledReason
}

// A DisabledReason says why a notification was not shown. The model reads it.
type DisabledReason string

// The reasons that Claude Code documents.
const (
	ConfigOff   DisabledReason = "config_off"   // the user has turned notifications off
	UserPresent DisabledReason = "user_present" // the user sees the conversation
	NoTransport DisabledReason = "no_transport" // there is no device to send it to
)

// PushResult is the Result.Data of [PushNotification]. The JSON names are those that Claude Code
// documents.
type PushResult struct {
	Message        string         `json:"message"`
	PushSent       bool           `json:"pushSent"`
	LocalSent      bool           `json:"localSent"`
	DisabledReason DisabledReason `json:"disabledReason,omitempty"`
	SentAt         time.Time      `json:"sentAt,omitzero"`
}

// text words the result for the model.
func (out PushResult) text() string {
	why := "the program does not say why"
	switch out.DisabledReason {
	case "":
	case ConfigOff:
		why = "notifications are turned off (config_off)"
	case UserPresent:
		why = "the user is here and sees the conversation (user_present)"
	case NoTransport:
		why = "there is no device to send it to (no_transport)"
	default:
		why = begin(pegboard.OneLine(string(out.DisabledReason)), maxLine)
	}
	switch {
	case out.PushSent && out.LocalSent:
		return "The notification was shown here and sent to the user's other devices."
	case out.PushSent:
		return "The notification was sent to the user's other devices."
	case out.LocalSent:
		return "The notification was shown at this machine."
	}
	return "No notification was shown: " + why + ". Do not repeat it; go on."
}

type pushInput struct {
	Message string `json:"message" jsonschema:"minLength=1,maxLength=199" jsonschema_description:"One line, fewer than 200 characters: what has happened, and what the user should do"`
	Status  string `json:"status,omitempty" jsonschema:"enum=proactive" jsonschema_description:"proactive if the user has not asked to be notified"`
}

// PushNotification returns the tool with which a model notifies a user who may be away.
// Options.Push is required. That nothing was shown is no error: the result says why.
//
// The definition is deferred by default, since few turns need it: see [pegboard.Deferral].
func PushNotification(o Options) (pegboard.Tool, error) {
	const name = "PushNotification"
	if o.Push == nil {
		return nil, missing(name, "Push")
	}
	return pegboard.TryBuild(pegboard.Definition[pushInput, PushResult]{
		Info: pegboard.Info{Name: name, Title: "Notification", Hint: "alert the user on the phone when away", Timeout: o.timeout()},
		Description: "Notifies the user, on a phone or the screen. It interrupts: only for what cannot wait until the user looks, " +
			"such as the end of long work that the user waits for, or a question without which nothing goes on.",
		Inspect: func(pushInput, *pegboard.Call) pegboard.Traits { return o.traits("notifications to the user", nil) },
		Summary: func(in pushInput, _ *pegboard.Call) pegboard.Summary {
			return pegboard.Summary{Before: "Notify you: " + pegboard.OneLine(in.Message), While: "Notifying you"}
		},
		Validate: func(_ context.Context, in pushInput, _ *pegboard.Call) error { return checkText("message", in.Message) },
		Permit:   func(context.Context, pushInput, *pegboard.Call) policy.Decision { return o.permit() },
		ClassifierInput: func(in pushInput, _ *pegboard.Call) string {
			return "notify the user: " + in.Message
		},
		Call: o.push,
		Result: func(out PushResult) *pegboard.Result {
			r := pegboard.TextResult(out.text())
			if r.Data, r.Line = out, "Notified"; !out.PushSent && !out.LocalSent {
				r.Line = "Not shown"
			}
			return r
		},
	})
}

func (o Options) push(ctx context.Context, in pushInput, c *pegboard.Call) (PushResult, error) {
	s := c.Session()
	if s == nil {
		return PushResult{}, errNoSession
	}
	done, err := o.Push(ctx, s, Notification{Text: output.Line(in.Message), Proactive: in.Status != ""})
	if err != nil {
		return PushResult{}, fmt.Errorf("the user was not notified: %w", err)
	}
	out := PushResult{Message: in.Message, PushSent: done.Push, LocalSent: done.Local, DisabledReason: done.Disabled}
	if done.Push || done.Local {
		out.SentAt = time.Now()
	}
	return out, nil
}
