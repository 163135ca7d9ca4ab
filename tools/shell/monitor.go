package shell

import (
	"context"
	"fmt"
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// How long a monitor watches, from the documentation of the harness whose tool
// this one is compatible with.
const (
	DefaultMonitorTime = 5 * time.Minute
	MaxMonitorTime     = time.Hour // a longer one is cut to it
)

// MonitorResult is what a host gets as Result.Data of [Monitor].
type MonitorResult struct {
	TaskID     string `json:"taskId"`
	TimeoutMS  int64  `json:"timeoutMs"` // 0 if it has none
	Persistent bool   `json:"persistent,omitempty"`

	file string
}

func (out MonitorResult) text() string {
	until := "until it ends or is stopped"
	if !out.Persistent {
		until = fmt.Sprintf("for %v at most", time.Duration(out.TimeoutMS)*time.Millisecond)
	}
	return fmt.Sprintf("Monitor %s watches, %s. You are told its events as they come, and its end. Do not wait for it; go on. "+
		"TaskStop ends it. All that it prints, stderr too, is in %s.", out.TaskID, until, out.file)
}

type monitorInput struct {
	Description string `json:"description" jsonschema:"minLength=1" jsonschema_description:"What is watched for, in five to ten words"`
	Command     string `json:"command" jsonschema_description:"The command line; each line that it prints to stdout is an event"`
	TimeoutMS   int    `json:"timeout_ms,omitempty" jsonschema:"minimum=1" jsonschema_description:"How long to watch, in milliseconds (default 300000, at most 3600000)"`
	Persistent  bool   `json:"persistent,omitempty" jsonschema_description:"Watches until the command or the conversation ends, or TaskStop; timeout_ms does not count"`
}

// timeLimit is how long the monitor watches; 0 is no limit.
func (in monitorInput) timeLimit() time.Duration {
	switch {
	case in.Persistent:
		return 0
	case in.TimeoutMS == 0:
		return DefaultMonitorTime
	}
	return milliseconds(in.TimeoutMS, MaxMonitorTime)
}

// bashInput is the input of a Bash call that would run the same command.
func (in monitorInput) bashInput() commandInput { return commandInput{Command: in.Command} }

// Monitor returns the tool that runs a command in the background and tells the
// conversation each line that it prints. The options mean what they mean for [Bash],
// but for the time-outs and Silence; with NoBackground there is no such tool. Rules
// for Bash hold for the command, as well as those for Monitor.
//
// Lines of stdout are events, but for blank ones; stderr goes to the output file
// only, beside them. (A Shell whose last argument is not -c, as PowerShell's, cannot
// keep them apart: there both are events.) The conversation learns of events, and
// once of the end, from [background.Tasks.Notices].
//
// Events that come within 200 ms are one message, and there is at most one message
// each second. It holds up to 20 events and 4,000 bytes, each event cut to 500
// bytes, and counts the others, which stand in the output file. Five messages in a
// row that lack events end the monitor. So does its time, unless it is
// persistent, and an output file of more than MaxOutput bytes, soon after it has
// become so large.
//
// The ws input of the same tool elsewhere, a WebSocket in the place of a command,
// is not supported here and refused as an unknown property.
func Monitor(o Options) pegboard.Tool {
	o = o.withDefaults("bash", "-c")
	r := newRunner("Monitor", o, newInspector(o.Shell))
	return pegboard.Build(pegboard.Definition[monitorInput, MonitorResult]{
		Info: pegboard.Info{Name: "Monitor", Hint: "watch a log or process and be told"},
		Description: "Runs a command line in the background and tells you each line that it prints to stdout, as an event. " +
			"For what happens again and again, or at a time nobody knows: errors in a log, the end of a build, a file that appears. " +
			"Let it print only what you would act on, with grep --line-buffered or a loop that prints what has changed: a monitor that prints too much is ended. " +
			"stderr is not told; add 2>&1 where it matters. WebSockets are not supported here.",
		Enabled: func(*pegboard.Session) bool { return !o.NoBackground },
		Inspect: func(in monitorInput, c *pegboard.Call) pegboard.Traits { return r.inspector.inspect(in.bashInput(), c) },
		Validate: func(ctx context.Context, in monitorInput, c *pegboard.Call) error {
			return r.validate(ctx, in.bashInput(), c)
		},
		Permit: func(ctx context.Context, in monitorInput, c *pegboard.Call) pegboard.Decision {
			return r.permit(ctx, in.bashInput(), c)
		},
		Call: func(ctx context.Context, in monitorInput, c *pegboard.Call) (MonitorResult, error) {
			return startMonitor(ctx, r, in, c)
		},
		Result: func(out MonitorResult) *pegboard.Result {
			r := pegboard.TextResult(out.text())
			r.Data = out
			return r
		},
	})
}
