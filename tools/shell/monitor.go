package shell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/internal/terminal"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/internal/output"
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
// [pegboard.Session.Notifications].
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
		Summary: func(in monitorInput, _ *pegboard.Call) pegboard.Summary {
			command := pegboard.OneLine(in.Command)
			return pegboard.Summary{Before: "Monitor " + command, While: "Starting to monitor " + command}
		},
		Validate: func(ctx context.Context, in monitorInput, c *pegboard.Call) error {
			return r.validate(ctx, in.bashInput(), c)
		},
		Permit: func(ctx context.Context, in monitorInput, c *pegboard.Call) policy.Decision {
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

// monitorEvents splits the output of a command into events and queues them. Its
// memory is bounded.
type monitorEvents struct {
	// ready holds a token after the queue has become non-empty.
	ready chan struct{}

	mu        sync.Mutex
	cleaner   terminal.Cleaner
	partial   []byte // the beginning of an unfinished line
	truncated bool   // the line is longer than partial
	lines     []string
	size      int // bytes of the lines
	overflow  int // events that did not fit into lines
	stopped   bool
}

// How events are grouped into messages, and which load ends a monitor. Claude Code
// does not document these numbers.
const (
	eventGatherTime = 200 * time.Millisecond // events within it are sent together
	eventInterval   = time.Second            // minimum time between two messages
	maxEvents       = 20                     // in one message; further events are only counted
	maxEventSize    = 500                    // bytes of one event; the rest is cut off
	maxMessageSize  = 4_000                  // bytes of all events of one message
	maxOverflows    = 5                      // incomplete messages in a row that end the monitor
)

func newMonitorEvents() *monitorEvents { return &monitorEvents{ready: make(chan struct{}, 1)} }

// write adds a piece of output. It does not block.
func (e *monitorEvents) write(p []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.stopped {
		e.add(e.cleaner.Append(nil, p))
	}
}

// add adds a piece of clean output. The caller holds the lock.
func (e *monitorEvents) add(p []byte) {
	for len(p) > 0 {
		line, rest, ended := bytes.Cut(p, []byte{'\n'})
		room := min(len(line), maxEventSize-len(e.partial))
		e.partial = append(e.partial, line[:room]...)
		e.truncated = e.truncated || room < len(line)
		if ended {
			e.endLine()
		}
		p = rest
	}
}

// finish makes an event of the last line, if it has no newline.
func (e *monitorEvents) finish() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.add(e.cleaner.Rest())
	e.endLine()
}

// stop makes the queue ignore further output.
func (e *monitorEvents) stop() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stopped = true
}

// endLine makes an event of the line, unless the line is blank. The caller holds the
// lock.
func (e *monitorEvents) endLine() {
	line := eventText(e.partial, e.truncated)
	e.partial, e.truncated = e.partial[:0], false
	if e.stopped || line == "" {
		return
	}
	if len(e.lines) == maxEvents || e.size+len(line) > maxMessageSize {
		e.overflow++
		return
	}
	e.lines = append(e.lines, line)
	e.size += len(line)
	select {
	case e.ready <- struct{}{}:
	default:
	}
}

// drain empties the queue and words its events; text is empty if the queue was. Each
// event is indented, so that the model can tell it from the text around it.
func (e *monitorEvents) drain() (text string, incomplete bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	select {
	case <-e.ready:
	default:
	}
	if len(e.lines) == 0 {
		return "", false
	}
	var b strings.Builder
	switch n := len(e.lines) + e.overflow; {
	case e.overflow > 0:
		fmt.Fprintf(&b, "%d events, the first %d of them here, all in its output file:", n, len(e.lines))
	case n == 1:
		b.WriteString("1 event:")
	default:
		fmt.Fprintf(&b, "%d events:", n)
	}
	for _, line := range e.lines {
		b.WriteString("\n    " + line)
	}
	incomplete = e.overflow > 0
	e.lines, e.size, e.overflow = nil, 0, 0
	return b.String(), incomplete
}

// eventText returns a line as an event: valid UTF-8 without control characters. If
// the line was cut, its last character may be incomplete.
func eventText(line []byte, cut bool) string {
	for range utf8.UTFMax - 1 {
		if r, width := utf8.DecodeLastRune(line); cut && r == utf8.RuneError && width == 1 {
			line = line[:len(line)-1]
		}
	}
	text := output.Line(string(line))
	if len(text) > maxEventSize {
		text, cut = strings.ToValidUTF8(text[:maxEventSize], ""), true
	}
	if cut {
		text += "…"
	}
	return text
}

// A monitorLog is the output file of a monitor, with stdout and stderr.
type monitorLog struct {
	path string
	full chan struct{} // closed when more was to be written than there is room for

	mu   sync.Mutex
	file *os.File
	room int64 // bytes
	err  error // the first error of a write
}

// newMonitorLog returns a log that keeps so many bytes from the beginning.
func newMonitorLog(tasks *background.Tasks, limit int64) (*monitorLog, error) {
	path, err := tasks.NewFile("monitor")
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return &monitorLog{path: path, file: f, full: make(chan struct{}), room: limit}, nil
}

// write appends p, as far as there is room. After the first error it does nothing.
func (l *monitorLog) write(p []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil || l.room < 0 {
		return
	}
	fits := min(int64(len(p)), l.room)
	_, l.err = l.file.Write(p[:fits])
	if l.room -= int64(len(p)); l.room < 0 {
		close(l.full)
	}
}

// close closes the file. It returns the first error if the file is incomplete.
func (l *monitorLog) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = os.Remove(l.prelude()) // usually the file does not exist
	if err := l.file.Close(); l.err == nil {
		l.err = err
	}
	return l.err
}

// prelude returns the name of a file that the shell may read before its line. It is removed
// when the log is closed.
func (l *monitorLog) prelude() string { return l.path + preludeSuffix }

// discard closes and removes the file.
func (l *monitorLog) discard() {
	_ = l.close()
	_ = os.Remove(l.path)
}

// A monitorRun is one run of a monitor.
type monitorRun struct {
	timeLimit time.Duration // 0 means no limit
	log       *monitorLog
	events    *monitorEvents
	process   *proc.Process
	held      []policy.Target    // must keep the meaning with which they were decided
	cancel    context.CancelFunc // ends the context with the time limit
}

// The causes that end a monitor. The model sees their texts.
var (
	errMonitorTime  = errors.New("its time is over")
	errMonitorFlood = errors.New("it printed more events than can be told; start it again with a command that prints only what matters, such as one with grep --line-buffered")
	errMonitorFile  = errors.New("its output file has become too large")
)

// startMonitor starts the command and adds it to the background tasks.
func startMonitor(ctx context.Context, r *runner, in monitorInput, c *pegboard.Call) (MonitorResult, error) {
	s, err := sessionOf(c, "Monitor")
	if err != nil {
		return MonitorResult{}, err
	}
	if err := context.Cause(ctx); err != nil {
		return MonitorResult{}, err
	}
	tasks := background.Of(s)
	log, err := newMonitorLog(tasks, min(MaxStored, r.options.MaxOutput))
	if err != nil {
		return MonitorResult{}, fmt.Errorf("the output file: %w", err)
	}
	m := &monitorRun{log: log, events: newMonitorEvents(), timeLimit: in.timeLimit()}
	if err := m.start(ctx, r, in, c); err != nil {
		log.discard()
		return MonitorResult{}, fmt.Errorf("the shell could not be started: %w", err)
	}
	handle, err := tasks.Add(s, background.Work{
		Kind: "monitor", Description: in.Description, Command: in.Command, OutputFile: log.path, Stop: m.process.Stop,
	})
	if err != nil {
		m.process.Stop(err)
		m.process.Exit()
		m.cancel()
		log.discard()
		return MonitorResult{}, err
	}
	out := MonitorResult{TaskID: handle.ID(), TimeoutMS: m.timeLimit.Milliseconds(), Persistent: in.Persistent, file: log.path}
	if endsWithAnswer(s) {
		out.endAdvice = " This conversation ends with your answer, and the monitor with it: if you need what it sees, wait with TaskOutput before you answer."
	}
	m.watch(handle, in.Description, c.Hold(holdText(handle.ID(), in.Command), m.held...))
	return out, nil
}

// start starts the command, which does not end with the call.
func (m *monitorRun) start(ctx context.Context, r *runner, in monitorInput, c *pegboard.Call) (err error) {
	parsed := r.inspector.parse(in.bashInput(), c)
	prelude := r.prelude(ctx, &parsed, c, m.log.prelude())
	line, err := r.args(in.Command, "", prelude)
	if err == nil {
		line[0], err = trustedShell(line[0], c.Dirs())
	}
	if err != nil {
		return err
	}
	m.held = heldTargets(&parsed, c)
	k := command{runner: r, in: in.bashInput(), call: c, session: c.Session(), line: parsed, dir: c.Cwd()}
	args, err := k.wrap(line, prelude)
	if err != nil {
		return err
	}
	if ctx = context.WithoutCancel(ctx); m.timeLimit > 0 {
		ctx, m.cancel = context.WithTimeoutCause(ctx, m.timeLimit, errMonitorTime)
	} else {
		ctx, m.cancel = context.WithCancel(ctx)
	}
	m.process, err = r.table.Start(ctx, proc.Command{
		Args:      args,
		Dir:       c.Cwd(),
		Env:       r.environment(in.Command, &parsed, c),
		Keep:      1, // the output file has the rest
		MaxOutput: r.options.MaxOutput,
		Output: func(p []byte) {
			m.log.write(p)
			m.events.write(p)
		},
		Errors: m.log.write,
	})
	if err != nil {
		m.cancel()
	}
	return err
}

// watch sends the events, labelled with the description of the monitor, and reports
// the end.
func (m *monitorRun) watch(h *background.Handle, description string, release func()) {
	label := taskLabel(background.Task{Description: description})
	events := monitorSender{events: m.events, full: m.log.full, stop: m.process.Stop, send: func(text string) {
		h.Notify(label + ": " + text)
	}}
	goroutine.Go(func() {
		defer m.cancel()
		events.run(m.process.Done())
		exit := m.process.Exit()
		release()
		if note := leftoversNote(exit, Options{}, true); note != "" {
			h.Notify(note)
		}
		h.Done(monitorEnd(exit, m.timeLimit, m.log.close()))
	})
}

// monitorEnd returns how the command of a monitor ended.
func monitorEnd(exit proc.Exit, limit time.Duration, fileErr error) (state background.State, code *int, err error) {
	if fileErr != nil {
		fileErr = fmt.Errorf("its output file lacks something: %w", fileErr)
	}
	switch {
	case errors.Is(exit.Err, proc.ErrOutputLimit):
		return background.Killed, nil, errMonitorFile
	case errors.Is(exit.Err, errMonitorTime):
		return background.Killed, nil, fmt.Errorf("its time of %v is over; start it again if it is still needed", limit)
	case exit.Err != nil:
		return background.Killed, nil, exit.Err
	case exit.Signal != "":
		return background.Failed, nil, errors.New("ended by a signal: " + exit.Signal)
	case exit.Code != 0:
		return background.Failed, &exit.Code, fileErr
	}
	return background.Completed, &exit.Code, fileErr
}

// A monitorSender sends the events of a monitor at a limited rate.
type monitorSender struct {
	events *monitorEvents
	send   func(text string)
	stop   func(cause error) // ends the command
	full   <-chan struct{}   // closed when the output file is too large
}

// run sends events until done is closed, and then the remaining ones.
func (m monitorSender) run(done <-chan struct{}) {
	full := m.full
	var (
		due       <-chan time.Time // nil while no event is queued
		last      time.Time        // when the last message was sent
		overflows int              // incomplete messages in a row
	)
	for {
		select {
		case <-m.events.ready:
			if due == nil {
				due = time.After(max(eventGatherTime, time.Until(last.Add(eventInterval))))
			}
		case <-due:
			due, last = nil, time.Now()
			if overflows++; !m.sendPending() {
				overflows = 0
			}
			if overflows == maxOverflows {
				m.events.stop()
				m.stop(errMonitorFlood)
			}
		case <-full:
			full = nil
			m.stop(errMonitorFile)
		case <-done:
			m.events.finish()
			m.sendPending()
			return
		}
	}
}

// sendPending sends the queued events and reports whether some were left out.
func (m monitorSender) sendPending() (incomplete bool) {
	text, incomplete := m.events.drain()
	if text != "" {
		m.send(text)
	}
	return incomplete
}
