package comms

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// Display says how files are to be shown.
type Display string

// The ways of showing files. The zero Display leaves it to the host.
const (
	DisplayRender Display = "render" // their content, such as a picture
	DisplayAttach Display = "attach" // files to save or open
)

// A Delivery is what [SendUserFile] sends.
type Delivery struct {
	Files   []File // one at least
	Caption string // may be empty
	Display Display
}

// DeliveryResult is the Result.Data of [SendUserFile].
type DeliveryResult struct {
	Files  []SentFile `json:"files"`
	SentAt time.Time  `json:"sentAt"`
}

type fileInput struct {
	Files   []string `json:"files" jsonschema:"minItems=1,maxItems=20" jsonschema_description:"Paths of the files, which are sent as they are now"`
	Caption string   `json:"caption,omitempty" jsonschema:"maxLength=100000" jsonschema_description:"What the files are, in a sentence"`
	Display string   `json:"display,omitempty" jsonschema:"enum=render,enum=attach" jsonschema_description:"render shows their content, attach lets the user save them; left to the program if left out"`
}

// SendUserFile returns the tool with which a model gives the user files through the host's
// channel. Options.SendFile is required. If one of the files cannot be sent, none is.
func SendUserFile(o Options) (pegboard.Tool, error) {
	const name = "SendUserFile"
	if o.SendFile == nil {
		return nil, missing(name, "SendFile")
	}
	return pegboard.TryBuild(pegboard.Definition[fileInput, DeliveryResult]{
		Info: pegboard.Info{Name: name, Title: "Send file", Hint: "deliver a document, picture or report", Timeout: o.timeout()},
		Description: "Sends the user files of this machine, who may have no other way to open them: a picture, a report, a document that was asked for. " +
			"If one cannot be sent, none is.",
		Inspect: func(in fileInput, _ *pegboard.Call) pegboard.Traits {
			return o.traits("messages to the user", in.Files)
		},
		Summary: func(in fileInput, c *pegboard.Call) pegboard.Summary {
			what := countFiles(len(in.Files))
			if len(in.Files) == 1 {
				what = in.Files[0]
				if s := c.Session(); s != nil {
					what = s.ShortPath(what)
				}
				what = begin(pegboard.OneLine(what), maxLine)
			}
			return pegboard.Summary{Before: "Send you " + what, While: "Sending you " + what}
		},
		Validate: func(_ context.Context, in fileInput, _ *pegboard.Call) error {
			return cmp.Or(checkControls("caption", in.Caption), checkPaths(in.Files))
		},
		Permit: func(context.Context, fileInput, *pegboard.Call) policy.Decision { return o.permit() },
		ClassifierInput: func(in fileInput, _ *pegboard.Call) string {
			return fmt.Sprintf("send the user files: %s%s", in.Caption, listed(in.Files))
		},
		Call: o.sendFiles,
		Result: func(out DeliveryResult) *pegboard.Result {
			r := pegboard.TextResult("The user was sent " + countFiles(len(out.Files)) + "." + describeSent(out.Files))
			r.Data, r.Line = out, "Sent "+countFiles(len(out.Files))
			return r
		},
	})
}

func (o Options) sendFiles(ctx context.Context, in fileInput, c *pegboard.Call) (DeliveryResult, error) {
	s := c.Session()
	if s == nil {
		return DeliveryResult{}, errNoSession
	}
	all, err := o.open(ctx, c, in.Files)
	if err != nil {
		return DeliveryResult{}, err
	}
	defer all.close()
	if err := o.SendFile(ctx, s, Delivery{Files: all.files(), Caption: plain(in.Caption), Display: Display(in.Display)}); err != nil {
		return DeliveryResult{}, fmt.Errorf("the files were not sent, or not all of them: %w", err)
	}
	return DeliveryResult{Files: all.sent(), SentAt: time.Now()}, nil
}

// A Message is what [SendUserMessage] sends.
type Message struct {
	Text      string
	Files     []File
	Proactive bool // the user has not asked for it
}

// MessageResult is the Result.Data of [SendUserMessage].
type MessageResult struct {
	Message     string     `json:"message"`
	Attachments []SentFile `json:"attachments,omitempty"`
	SentAt      time.Time  `json:"sentAt"`
}

type messageInput struct {
	Message     string   `json:"message" jsonschema:"minLength=1,maxLength=100000" jsonschema_description:"What the user should read"`
	Attachments []string `json:"attachments,omitempty" jsonschema:"maxItems=20" jsonschema_description:"Paths of files that are sent with it, as they are now"`
	Status      string   `json:"status,omitempty" jsonschema:"enum=proactive" jsonschema_description:"proactive if the user has not asked for this message"`
}

// SendUserMessage returns the tool (alias Brief) with which a model tells the user something
// through the host's channel, beside its answer. Options.Send is required.
//
// The messages of all agents of a conversation are sent one after the other.
func SendUserMessage(o Options) (pegboard.Tool, error) {
	const name = "SendUserMessage"
	if o.Send == nil {
		return nil, missing(name, "Send")
	}
	return pegboard.TryBuild(pegboard.Definition[messageInput, MessageResult]{
		Info: pegboard.Info{Name: name, Title: "Message", Aliases: []string{"Brief"}, Hint: "tell the user, report, attach files", Timeout: o.timeout()},
		Description: "Sends the user a message, who may be elsewhere and not see your answer: a result, a problem that you cannot solve, a decision that you have taken. " +
			"Say what matters in the first sentence. The user does not answer by this tool.",
		Inspect: func(in messageInput, _ *pegboard.Call) pegboard.Traits {
			return o.traits("messages to the user", in.Attachments)
		},
		Summary: func(in messageInput, _ *pegboard.Call) pegboard.Summary {
			return pegboard.Summary{Before: "Message to you: " + begin(pegboard.OneLine(in.Message), maxLine), While: "Sending you a message"}
		},
		Validate: func(_ context.Context, in messageInput, _ *pegboard.Call) error {
			return cmp.Or(checkText("message", in.Message), checkPaths(in.Attachments))
		},
		Permit: func(context.Context, messageInput, *pegboard.Call) policy.Decision { return o.permit() },
		ClassifierInput: func(in messageInput, _ *pegboard.Call) string {
			return fmt.Sprintf("tell the user: %s%s", in.Message, listed(in.Attachments))
		},
		Call: o.sendMessage,
		Result: func(out MessageResult) *pegboard.Result {
			r := pegboard.TextResult("The message was sent to the user." + describeSent(out.Attachments))
			r.Data, r.Line = out, "Sent"
			if n := len(out.Attachments); n > 0 {
				r.Line = "Sent with " + countFiles(n)
			}
			return r
		},
	})
}

// maxLine is how many bytes of a text a line for a person shows.
const maxLine = 200

// listed words paths for a classifier.
func listed(paths []string) (text string) {
	for _, path := range paths {
		text += "\nfile: " + path
	}
	return text
}

func (o Options) sendMessage(ctx context.Context, in messageInput, c *pegboard.Call) (MessageResult, error) {
	s := c.Session()
	if s == nil {
		return MessageResult{}, errNoSession
	}
	all, err := o.open(ctx, c, in.Attachments)
	if err != nil {
		return MessageResult{}, err
	}
	defer all.close()
	if err := o.Send(ctx, s, Message{Text: plain(in.Message), Files: all.files(), Proactive: in.Status != ""}); err != nil {
		return MessageResult{}, fmt.Errorf("the message was not sent: %w", err)
	}
	return MessageResult{Message: in.Message, Attachments: all.sent(), SentAt: time.Now()}, nil
}
