package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// maxCallDepth is how deep functions of a script may call each other.
const maxCallDepth = 2_000

// maxValue is the number of bytes of JSON that the result of a script may have.
const maxValue = 4 << 20

// A realm is a JavaScript runtime with one script. Only the goroutine of its task uses it;
// but any goroutine may call interrupt.
type realm struct {
	task    *task
	script  *script
	runtime *goja.Runtime
	ctx     context.Context //nolint:containedctx // of the agents; ends with the script
	host    *goja.Object    // the functions that the prelude builds upon, and its AgentError
	pending map[*future]settler
	// unhandled are the promises that were rejected and that nothing handles, oldest first.
	unhandled []*goja.Promise
}

// A settler settles the promise of a future.
type settler struct {
	resolve, reject func(any) error
	line            int // of the script that has started it; 0 if it is not known
}

// newScriptTask returns a task that runs a script.
func newScriptTask(s *script, args json.RawMessage) *task {
	runtime := goja.New()
	t := &task{args: args, interrupt: func(cause error) { runtime.Interrupt(cause) }}
	t.function = func(t *task) (any, error) {
		m := &realm{task: t, script: s, runtime: runtime, pending: map[*future]settler{}}
		return m.run()
	}
	return t
}

// run runs the script until its promise is settled and nothing that it has started goes on.
func (m *realm) run() (any, error) {
	ctx, cancel := context.WithCancelCause(m.task.conductor.ctx)
	defer cancel(errEnded)
	m.ctx = ctx
	main, err := m.begin()
	if err != nil {
		return nil, m.describe(err)
	}
	for {
		switch {
		case main.State() == goja.PromiseStateRejected:
			return nil, m.thrown(main.Result())
		case len(m.pending) > 0:
			if err := m.settle(); err != nil {
				return nil, err
			}
			continue
		case len(m.unhandled) > 0:
			return nil, m.thrown(m.unhandled[0].Result())
		case main.State() == goja.PromiseStatePending:
			return nil, fmt.Errorf("%w: %w", ErrScript, errStuck)
		}
		result := main.Result().String()
		if len(result) > maxValue {
			return nil, fmt.Errorf("%w returns %d bytes, at most %d; let an agent write it to a file", ErrScript, len(result), maxValue)
		}
		return json.RawMessage(result), nil
	}
}

// settle waits for results and hands them to the script.
func (m *realm) settle() error {
	if len(m.task.inbox) == 0 {
		if err := m.task.wait(); err != nil {
			return err
		}
	}
	done := m.task.inbox
	m.task.inbox = nil
	for _, f := range done {
		settle, known := m.pending[f]
		if !known {
			continue
		}
		delete(m.pending, f)
		var err error
		if f.err != nil {
			err = settle.reject(errorText(f.err, settle.line))
		} else {
			err = settle.resolve(jsonText(f.value))
		}
		if err != nil {
			return m.describe(err)
		}
	}
	return nil
}

// jsonText returns a value of a future as JSON.
func jsonText(value any) string {
	if raw, ok := value.(json.RawMessage); ok {
		return string(raw)
	}
	text, err := encode(value)
	if err != nil {
		return "null"
	}
	return string(text)
}

// errorText returns an error as the prelude reads it.
func errorText(err error, line int) string {
	message := err.Error()
	if line > 0 {
		message += fmt.Sprintf(" (started at line %d)", line)
	}
	text, _ := json.Marshal(map[string]any{"message": message, "agent": errors.Is(err, ErrAgent)})
	return string(text)
}

// begin starts the script and returns the promise of its result.
func (m *realm) begin() (*goja.Promise, error) {
	rt := m.runtime
	rt.SetMaxCallStackSize(maxCallDepth)
	rt.SetParserOptions(parser.WithDisableSourceMaps)
	rt.SetPromiseRejectionTracker(m.track)
	verbs, err := rt.RunScript("prelude.js", prelude)
	if err != nil {
		return nil, err
	}
	makeMain, _ := goja.AssertFunction(verbs)
	start, err := makeMain(goja.Undefined(), m.makeHost(), rt.ToValue(string(m.task.args)))
	if err != nil {
		return nil, err
	}
	body, err := rt.RunProgram(m.script.program)
	if err != nil {
		return nil, err
	}
	call, _ := goja.AssertFunction(start)
	result, err := call(goja.Undefined(), body)
	if err != nil {
		return nil, err
	}
	main, ok := result.Export().(*goja.Promise)
	if !ok { // the prelude returns one
		return nil, errors.New("the script has no promise")
	}
	return main, nil
}

// makeHost returns the functions that the prelude builds upon.
func (m *realm) makeHost() *goja.Object {
	m.host = m.runtime.NewObject()
	for name, f := range map[string]func(goja.FunctionCall) goja.Value{
		"agent": m.agent, "workflow": m.workflow, "phase": m.phase, "log": m.logText, "failed": m.agentFailed,
	} {
		_ = m.host.Set(name, f)
	}
	return m.host
}

// promise returns the promise of a future, or one that is rejected with err.
func (m *realm) promise(f *future, err error) goja.Value {
	p, resolve, reject := m.runtime.NewPromise()
	if err != nil {
		_ = reject(errorText(err, m.line()))
	} else {
		m.pending[f] = settler{resolve: resolve, reject: reject, line: m.line()}
	}
	return m.runtime.ToValue(p)
}

// line returns the line of the script that is being run, or 0.
func (m *realm) line() int {
	for _, frame := range m.runtime.CaptureCallStack(maxFrames, nil) {
		if frame.SrcName() == scriptFile {
			return frame.Position().Line
		}
	}
	return 0
}

const maxFrames = 20

func (m *realm) agent(call goja.FunctionCall) goja.Value {
	o, err := parseOptions(call.Argument(1).String())
	if err != nil {
		return m.promise(nil, err)
	}
	return m.promise(m.task.startAgent(m.ctx, agentRequest{AgentOptions: o, Prompt: call.Argument(0).String()}))
}

func (m *realm) workflow(call goja.FunctionCall) goja.Value {
	var args json.RawMessage
	if text := call.Argument(1).String(); text != "" {
		args = json.RawMessage(text)
	}
	return m.promise(m.task.startWorkflow(call.Argument(0).String(), args))
}

func (m *realm) phase(call goja.FunctionCall) goja.Value {
	m.task.conductor.setPhase(call.Argument(0).String())
	return goja.Undefined()
}

func (m *realm) logText(call goja.FunctionCall) goja.Value {
	m.task.conductor.log.printf("log: %s", oneLine(call.Argument(0).String(), maxLogText))
	return goja.Undefined()
}

func (m *realm) agentFailed(goja.FunctionCall) goja.Value {
	m.task.conductor.failed++
	return goja.Undefined()
}

// track is told of rejected promises that nothing handles, and of those that are handled
// later.
func (m *realm) track(p *goja.Promise, operation goja.PromiseRejectionOperation) {
	if operation == goja.PromiseRejectionReject {
		m.unhandled = append(m.unhandled, p)
		return
	}
	for i, other := range m.unhandled {
		if other == p {
			m.unhandled = append(m.unhandled[:i:i], m.unhandled[i+1:]...)
			return
		}
	}
}

var (
	inScript   = regexp.MustCompile(regexp.QuoteMeta(scriptFile) + `:(\d+):`)
	notDefined = regexp.MustCompile(`^ReferenceError: (\w+) is not defined`)
)

// A thrownError is a value that a script has thrown, as text.
type thrownError struct {
	text  string
	agent bool // it is an AgentError
}

func (e *thrownError) Error() string { return e.text }

func (e *thrownError) Unwrap() []error {
	if e.agent {
		return []error{ErrScript, ErrAgent}
	}
	return []error{ErrScript}
}

// thrown returns the error of a value that the script has thrown.
func (m *realm) thrown(value goja.Value) error {
	var text, stack string
	e := &thrownError{}
	crash := m.guard(func() {
		text = value.String()
		o, ok := value.(*goja.Object)
		if !ok {
			return
		}
		if s := o.Get("stack"); s != nil {
			stack = s.String()
		}
		if class, ok := m.host.Get("AgentError").(*goja.Object); ok {
			e.agent = m.runtime.InstanceOf(value, class)
		}
	})
	if interrupted := (*goja.InterruptedError)(nil); errors.As(crash, &interrupted) {
		return m.describe(crash)
	}
	if crash != nil && text == "" {
		text = "the script has thrown a value that cannot be shown"
	}
	text = cut(text, maxThrown)
	advice := ""
	if name := notDefined.FindStringSubmatch(text); name != nil {
		advice = missing(name[1])
	}
	where := ""
	if at := inScript.FindStringSubmatch(stack); at != nil {
		where = " at line " + at[1]
	}
	e.text = fmt.Sprintf("%v failed%s: %s%s", ErrScript, where, text, advice)
	return e
}

// guard calls f, which may run code of the script, and returns the value that it throws.
func (m *realm) guard(f func()) error {
	return goroutine.Try(func() error {
		if thrown := m.runtime.Try(f); thrown != nil { // a nil pointer is no nil error
			return thrown
		}
		return error(nil)
	})
}

const maxThrown = 2_000

// cut returns the beginning of a text, whose line breaks stay.
func cut(text string, limit int) string {
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return strings.TrimSpace(text)
}

// missing returns advice about a global that JavaScript has elsewhere.
func missing(name string) string {
	switch name {
	case "setTimeout", "setInterval", "setImmediate", "queueMicrotask", "performance":
		return "; a workflow has no clock and no timers"
	case "fetch", "XMLHttpRequest", "WebSocket", "URL":
		return "; a workflow reaches no network: let an agent do it"
	case "require", "process", "Buffer", "fs", "path", "os", "module", "exports", "Deno", "Bun":
		return "; a workflow reaches no files, programs or modules: let an agent do it, or pass values in args"
	case "crypto":
		return "; a workflow has no random numbers: pass values in args"
	case "Proxy":
		return "; a workflow has no proxies: use ordinary objects"
	case "structuredClone":
		return "; use JSON.parse(JSON.stringify(value))"
	}
	return ""
}

// describe words an error of the runtime.
func (m *realm) describe(err error) error {
	var thrown *goja.Exception
	var stopped *goja.InterruptedError
	var deep *goja.StackOverflowError
	switch {
	case errors.As(err, &stopped):
		if cause, ok := stopped.Value().(error); ok {
			if errors.Is(cause, errCompute) {
				return fmt.Errorf("%w: %w", ErrScript, cause)
			}
			return cause
		}
	case errors.As(err, &deep):
		return fmt.Errorf("%w failed: its functions call each other more than %d deep", ErrScript, maxCallDepth)
	case errors.As(err, &thrown):
		return m.thrown(thrown.Value())
	}
	return fmt.Errorf("%w failed: %w", ErrScript, err)
}
