package acp

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/policy"
)

// closeTime is how long prompts may take to end, and then sessions to close, when the editor
// has left.
const closeTime = 10 * time.Second

// Options describe an [Agent]. Open is required.
type Options struct {
	// Info identifies the agent to the editor. An empty Name means "pegboard", an empty Version "0".
	Info sdk.Implementation

	// Open makes the session of a conversation that the user has begun, and returns the loop
	// of the host. The session's Ask and Elicit should be [Conversation.Ask] and
	// [Conversation.Elicit], its Dir [Conversation.Dir], and OnEvent of each Executor
	// [Conversation.Record]. The agent closes the session when the editor closes the
	// conversation or leaves. An error refuses the conversation, and the editor is sent its
	// text. Ctx ends when the editor withdraws its request. Open may be called concurrently. A
	// panic counts as an error.
	Open func(ctx context.Context, c *Conversation) (*pegboard.Session, Turn, error)

	Prompts  sdk.PromptCapabilities // what the host takes in prompts beside text and links
	MCP      sdk.McpCapabilities    // the MCP servers that the host connects to beside processes; Acp is not supported
	MoreDirs bool                   // the host uses [Conversation.MoreDirs]

	// Remember is whose rules an answer "always" changes; empty means
	// [policy.SourceSession]. For any other, OnRemember of the session should save them.
	Remember policy.Source
	// Logger gets errors for the host to fix. Nil means [slog.Default], which writes to
	// standard error.
	Logger *slog.Logger
}

// An Agent speaks the Agent Client Protocol with editors. [New] makes one.
type Agent struct {
	o Options
}

// New returns an agent. The error names the field of o that is wrong.
func New(o Options) (*Agent, error) {
	switch {
	case o.Open == nil:
		return nil, errors.New("acp: Options.Open is required")
	case o.Remember == policy.SourceManaged:
		return nil, errors.New("acp: Options.Remember is the policy, which no answer changes")
	case o.MCP.Acp:
		return nil, errors.New("acp: Options.MCP.Acp is not supported")
	}
	o.Info.Name, o.Info.Version, o.Remember = cmp.Or(o.Info.Name, "pegboard"), cmp.Or(o.Info.Version, "0"), cmp.Or(o.Remember, policy.SourceSession)
	return &Agent{o: o}, nil
}

// Stdio is [Agent.Serve] on standard input and output, for the editor that has started this
// program. Nothing else of the program may write to standard output.
func (a *Agent) Stdio(ctx context.Context) error { return a.Serve(ctx, os.Stdin, os.Stdout) }

// Serve speaks with one editor, which writes to in and reads from out, until it closes in or
// ctx ends. Then the context of every prompt ends, the sessions are closed, and both streams
// are. It returns nil if the editor has left, and otherwise the cause of ctx or the error of a
// stream, joined with an error if a prompt did not end within 10 seconds, and one for each session that did
// not close within 10 more.
func (a *Agent) Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	n := connect(a, in, out)
	defer context.AfterFunc(ctx, func() { n.stream.stop(context.Cause(ctx)) })()
	<-n.rpc.Done()
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	var unfinished error
	if !n.stream.finish(limited) {
		unfinished = errUnfinished
	}
	err := n.stream.reason()
	if left(err) {
		err = nil
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	err = errors.Join(err, unfinished, n.close(closing))
	writing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	n.stream.out.Finish(writing)
	_ = out.Close() // again, if a Write of it has not returned
	return err
}

// logError logs an error that the host should fix.
func (a *Agent) logError(what string, err error) {
	_ = goroutine.Try(func() error { // a log handler that panics loses its line
		cmp.Or(a.o.Logger, slog.Default()).Error("acp: "+what, "error", err)
		return nil
	})
}
