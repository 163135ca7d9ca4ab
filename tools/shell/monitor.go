package shell

import (
	"context"
	"fmt"
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// How long a monitor watches, from the documentation of Claude Code.
const (
	DefaultMonitorTime = 5 * time.Minute
	MaxMonitorTime     = time.Hour // a longer time is reduced to it
)

// MonitorResult is the Result.Data of [Monitor].
type MonitorResult struct {
	TaskID     string `json:"taskId"`
	TimeoutMS  int64  `json:"timeoutMs"` // 0 if there is no timeout
	Persistent bool   `json:"persistent,omitempty"`

	file      string
	endAdvice string // for the model; empty if the conversation goes on
}

func (out MonitorResult) text() string {
	until := "until it ends or is stopped"
	if !out.Persistent {
		until = fmt.Sprintf("for %v at most", time.Duration(out.TimeoutMS)*time.Millisecond)
	}
	return fmt.Sprintf("Monitor %s watches, %s. You are told its events as they come, and its end. Do not wait for it; go on. "+
		"TaskStop ends it. All that it prints, stderr too, is in %s.%s", out.TaskID, until, out.file, out.endAdvice)
}

type monitorInput struct {
	Description string `json:"description" jsonschema:"minLength=1" jsonschema_description:"What is watched for, in five to ten words"`
	Command     string `json:"command" jsonschema_description:"The command line; each line that it prints to stdout is an event"`
	TimeoutMS   int    `json:"timeout_ms,omitempty" jsonschema:"minimum=0" jsonschema_description:"How long to watch, in milliseconds (default 300000, at most 3600000)"`
	Persistent  bool   `json:"persistent,omitempty" jsonschema_description:"Watches until the command or the conversation ends, or it is stopped; timeout_ms does not count"`
}

// timeLimit returns how long the monitor watches; 0 means no limit.
func (in monitorInput) timeLimit() time.Duration {
	switch {
	case in.Persistent:
		return 0
	case in.TimeoutMS == 0:
		return DefaultMonitorTime
	}
	return milliseconds(in.TimeoutMS, MaxMonitorTime)
}

// bashInput returns the input of a Bash call that would run the same command.
func (in monitorInput) bashInput() commandInput { return commandInput{Command: in.Command} }

// Monitor returns the tool that runs a command in the background and reports each
// line of its output to the conversation. The options have the same meaning as for
// [Bash], except for the timeouts and Silence; with NoBackground the tool is not
// offered. Rules for Bash apply to the command, and rules for Monitor as well.
//
// Each line of stdout that is not blank is an event. stderr is only written to the
// output file, which also holds stdout; the order of lines of the two is not kept. The
// conversation gets the events and one notice of the end from
// [pegboard.Session.News].
//
// Events that occur within 200 ms are sent as one message, and at most one message is
// sent per second. A message contains up to 20 events and 4,000 bytes, each event cut
// to 500 bytes; it counts the other events, which are in the output file. The monitor
// is ended after five messages in a row that left out events, at its timeout unless
// it is persistent, and when it has printed more than [MaxStored] or MaxOutput bytes, of
// which the file has the first [MaxStored].
//
// The ws input of Claude Code's Monitor, a WebSocket instead of a command, is not
// supported and refused as an unknown property.
func Monitor(o Options) pegboard.Tool {
	o = o.withDefaults("bash", "-c")
	r := newRunner("Monitor", o, newInspector(o))
	return pegboard.Build(pegboard.Definition[monitorInput, MonitorResult]{
		Info: pegboard.Info{Name: "Monitor", Title: "Monitor", Hint: "watch a log or process and be told"},
		Description: "Runs a command line in the background and tells you each line that it prints to stdout, as an event. " +
			"For what happens again and again, or at a time nobody knows: errors in a log, the end of a build, a file that appears. " +
			"Let it print only what you would act on, with grep --line-buffered or a loop that prints what has changed: a monitor that prints too much is ended. " +
			"stderr is not told; add 2>&1 where it matters. WebSockets are not supported here.",
		Enabled: func(*pegboard.Session) bool { return !o.NoBackground },
		Inspect: func(in monitorInput, c *pegboard.Call) pegboard.Traits {
			tr := r.inspect(in.bashInput(), c)
			tr.Kind = pegboard.KindRun
			return tr
		},
		Lines: func(in monitorInput, _ *pegboard.Call) pegboard.Lines {
			command := pegboard.OneLine(in.Command)
			return pegboard.Lines{Before: "Monitor " + command, While: "Starting to monitor " + command}
		},
		Validate: func(ctx context.Context, in monitorInput, c *pegboard.Call) error {
			return r.validate(ctx, in.bashInput(), c)
		},
		Permit: func(ctx context.Context, in monitorInput, c *pegboard.Call) pegboard.Decision {
			return r.permit(ctx, in.bashInput(), c)
		},
		ClassifierInput: func(in monitorInput, _ *pegboard.Call) string { return in.Command },
		Call: func(ctx context.Context, in monitorInput, c *pegboard.Call) (MonitorResult, error) {
			return startMonitor(ctx, r, in, c)
		},
		Result: func(out MonitorResult) *pegboard.Result {
			r := pegboard.TextResult(out.text())
			r.Data, r.Line = out, "Watches as "+out.TaskID
			return r
		},
	})
}
