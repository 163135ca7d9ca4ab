package hooks

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/internal/proc"
)

// maxParallel is how many handlers of one event run at once.
const maxParallel = 16

// An occasion is one time that an event happens in a session.
type occasion struct {
	runner  *Runner
	session *pegboard.Session
	call    *pegboard.Call // that the event is about, or nil
	cwd     string         // of the session, or of the call that the event is about
	state   *sessionState
	event   string
	control control
	policy  bool // of ConfigChange: managed settings have changed, which no hook may refuse
	payload []byte
	emit    func(text string) // to the events of the call, or nil
}

// run runs handlers side by side, each on the same payload, and returns their replies in
// their order when all have ended. When ctx ends, so do the handlers.
func (o *occasion) run(ctx context.Context, handlers []*Handler) []*reply {
	replies := make([]*reply, len(handlers))
	var next, ended atomic.Int64
	work := func() {
		for i := next.Add(1) - 1; i < int64(len(handlers)); i = next.Add(1) - 1 {
			r := o.handle(ctx, handlers[i])
			r.ended = int(ended.Add(1))
			replies[i] = r
		}
	}
	var workers []<-chan error
	for range min(len(handlers), maxParallel) - 1 {
		workers = append(workers, goroutine.Go(work))
	}
	work()
	var crash error
	for _, done := range workers {
		crash = errors.Join(crash, <-done)
	}
	if crash != nil { // a bug: the caller's guard denies the call
		panic(crash)
	}
	return replies
}

// handle runs one handler and reads its answer.
func (o *occasion) handle(ctx context.Context, h *Handler) *reply {
	if o.emit != nil && h.StatusMessage != "" {
		o.emit(h.StatusMessage)
	}
	if h.Async && h.Type == typeCommand {
		o.startAsync(h)
		return &reply{handler: h}
	}
	limit := o.control.limit(h)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w: %v are over", errLate, limit))
	defer cancel()
	r := o.read(h, o.ask(ctx, h))
	o.shorten(ctx, r)
	return r
}

// ask has a handler answer.
func (o *occasion) ask(ctx context.Context, h *Handler) output {
	if ctx.Err() != nil {
		return output{failure: context.Cause(ctx)}
	}
	switch h.Type {
	case typeCommand:
		return o.runCommand(ctx, h)
	case typeHTTP:
		return o.post(ctx, h)
	case typeMCPTool:
		return o.invoke(ctx, h)
	case typePrompt, typeAgent:
		return o.prompt(ctx, h)
	}
	return output{failure: fmt.Errorf("%w: type %q is not known", errNoStart, h.Type)}
}

// invoke calls the tool of a hook.
func (o *occasion) invoke(ctx context.Context, h *Handler) output {
	input, err := o.fill(h.Input)
	if err != nil {
		return output{failure: fmt.Errorf("%w: %w", errNoStart, err)}
	}
	result, err := hostCall(ctx, func() (*pegboard.Result, error) { return o.runner.options.Invoke(ctx, h.Server, h.Tool, input) })
	switch {
	case err != nil:
		return output{failure: fmt.Errorf("%w: %w", errRefused, err)}
	case result == nil:
		return output{}
	case result.IsError:
		return output{failure: fmt.Errorf("%w: %s", errCode, result.Text())}
	}
	return output{stdout: []byte(result.Text())}
}

// fill returns the input of a tool with the values of the event in its texts.
func (o *occasion) fill(input json.RawMessage) (json.RawMessage, error) {
	if len(input) == 0 {
		return json.RawMessage("{}"), nil
	}
	template, err := decodeExact(input)
	if err != nil {
		return nil, err
	}
	event, err := decodeExact(o.payload)
	if err != nil {
		return nil, err
	}
	return encode(fillIn(template, event))
}

// prompt has a model answer.
func (o *occasion) prompt(ctx context.Context, h *Handler) output {
	text, err := hostCall(ctx, func() (string, error) {
		return o.runner.options.Prompt(ctx, *h, withArguments(h.Prompt, string(o.payload)))
	})
	if err != nil {
		return output{failure: fmt.Errorf("%w: %w", errRefused, err)}
	}
	return output{stdout: []byte(text)}
}

// hostCall calls a func of the host on a goroutine of its own, and abandons it when ctx ends.
func hostCall[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	returned := make(chan result, 1)
	crashed := goroutine.Go(func() {
		value, err := f()
		returned <- result{value, err}
	})
	var none T
	for {
		select {
		case r := <-returned:
			return r.value, r.err
		case crash := <-crashed:
			if crash != nil {
				return none, crash
			}
			crashed = nil
		case <-ctx.Done():
			return none, context.Cause(ctx)
		}
	}
}

// tell tells the person something.
func (o *occasion) tell(text string) {
	if text == "" {
		return
	}
	if o.emit != nil {
		o.emit(text)
	}
	o.runner.options.message(o.session, text)
}

// tellAll tells the person what handlers want it to know.
func (o *occasion) tellAll(replies []*reply) {
	for _, r := range replies {
		o.tell(r.message)
		o.sendToTerminal(r)
		if r.Stop {
			o.tell(r.stopReason)
		}
	}
}

// shorten cuts the texts of a reply that are too long, and marks those that are for the model.
func (o *occasion) shorten(ctx context.Context, r *reply) {
	for _, text := range []*string{&r.Reason, &r.stopReason, &r.message, &r.InitialUserMessage} {
		*text = o.short(ctx, *text)
	}
	for i := range r.Context {
		r.Context[i] = o.words(r.handler, o.short(ctx, r.Context[i]))
	}
}

// callPayload begins the payload of an event of a call.
func (o *occasion) callPayload(t pegboard.Tool, c *pegboard.Call) *payload {
	p := newPayload(o.runner, o.session, o.cwd, o.event, nil)
	p.addText("tool_name", c.ToolName())
	p.add("tool_input", toolInput(c))
	if t != nil {
		if origin := t.Info().Origin; origin.External() {
			// The file that configures the server is not known here, so no trusted source is named.
			p.add("mcp_server", jsonobject.With("name", jsonobject.Quote(origin.Source)).With("source", jsonobject.Quote("dynamic")).Encode())
		}
	}
	return p
}

// closed reports whether a hook could not answer since the session was closed.
func (o *occasion) closed(replies []*reply) bool {
	for _, r := range replies {
		if errors.Is(r.failure, errClosed) {
			return true
		}
	}
	return false
}

// change returns the decision with the changed input of a hook, if the tool accepts it.
func (o *occasion) change(h *pegboard.HookCall, v verdict, said map[string]bool) pegboard.Decision {
	input, changed := changedInput(h.Call, v.changed.input)
	if !changed {
		return v.decision
	}
	if refused, ok := checkInput(h.Call, input, v.changed.handler); !ok {
		return refused
	}
	own := *v.changed
	own.input, own.Context, own.message, own.stopReason, own.terminal = nil, nil, "", "", ""
	h.Say(o.rewrote(v.changed.handler))
	o.state.note(h.Identity(), &callNotes{input: input, reply: &own, said: said})
	v.decision.Input = input
	if v.decision.Behavior == pegboard.Allow && !v.changed.allow && h.Tool.Info().RequiresUser {
		v.decision.Behavior = pegboard.Undecided // only the hook that brings an answer can give it in the user's place
	}
	return v.decision
}

// sayOnce tells the model what the hooks of a call say, and nothing twice.
func (o *occasion) sayOnce(h *pegboard.HookCall, notes *callNotes, replies []*reply) map[string]bool {
	said := map[string]bool{}
	if notes != nil && notes.said != nil {
		said = notes.said
	}
	for _, r := range replies {
		for _, text := range r.Context {
			if !said[text] {
				said[text] = true
				h.Say(pegboard.Part{Text: text})
			}
		}
	}
	return said
}

// afterCall passes on what hooks after a call say.
func (o *occasion) afterCall(h *pegboard.HookCall, replies []*reply) {
	for _, r := range replies {
		if r.Block && r.Reason != "" {
			h.Say(pegboard.Part{Text: o.words(r.handler, r.Reason)})
		}
		for _, text := range r.Context {
			h.Say(pegboard.Part{Text: text})
		}
		h.Outcome.StopTurn = h.Outcome.StopTurn || r.Stop
	}
	o.tellAll(replies)
}

const (
	maxStdout = 16 << 20 // of an answer
	maxStderr = 1 << 20
	// maxAsyncLine is how long the first line may be that says that a command is asynchronous.
	maxAsyncLine = 1 << 10
)

// runCommand runs a command with the payload on its stdin, and waits for it. A command that
// says that it is asynchronous goes on without being waited for.
func (o *occasion) runCommand(ctx context.Context, h *Handler) output {
	run, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	c := &command{occasion: o, handler: h, async: make(chan struct{})}
	p, err := c.start(run)
	if err != nil {
		cancel(nil)
		return output{failure: startFailure(err)}
	}
	select {
	case <-p.Done():
	case <-ctx.Done():
		cancel(context.Cause(ctx))
		<-p.Done()
	case <-c.async:
	}
	select {
	case <-c.async: // also if it has ended: its answer decides nothing
		o.state.follow(c, p, cancel)
		return output{background: true}
	default:
	}
	cancel(nil)
	return c.output(p.Exit())
}

// A command is the command of one hook that runs.
type command struct {
	occasion *occasion
	handler  *Handler
	async    chan struct{} // closed when it has said that it is asynchronous
	process  *proc.Process

	mu             sync.Mutex
	stdout, stderr []byte
	cut            bool
	settled        bool // whether it is asynchronous
}

// start starts the command. When ctx ends, its process group is ended.
func (c *command) start(ctx context.Context) (*proc.Process, error) {
	args, err := c.args()
	if err != nil {
		return nil, err
	}
	o := c.occasion
	p, err := o.state.table.Start(ctx, proc.Command{
		Args: args, Dir: o.dir(), Env: o.environment(), Stdin: true, Keep: 1, MaxOutput: -1, Unlisted: true,
		Output: c.addStdout, Errors: c.addStderr,
	})
	if err != nil {
		return nil, err
	}
	c.process = p
	goroutine.Go(func() { // an error means that the command does not read all of it
		_, _ = io.Copy(p.Stdin(), bytes.NewReader(o.payload))
		_ = p.Stdin().Close()
	})
	return p, nil
}

// args returns the program to run and its arguments.
func (c *command) args() ([]string, error) {
	h := c.handler
	if h.Args != nil {
		args := append([]string{h.Command}, h.Args...)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "${CLAUDE_PROJECT_DIR}", c.occasion.project())
		}
		return args, nil
	}
	switch {
	case h.Shell == "powershell":
		return powershell(h.Command)
	case h.Shell == "bash":
		shell := "bash"
		if runtime.GOOS == "windows" {
			shell = gitBash()
		}
		return []string{shell, "-c", h.Command}, nil
	case runtime.GOOS != "windows":
		return []string{"sh", "-c", h.Command}, nil
	}
	if shell := gitBash(); shell != "" {
		return []string{shell, "-c", h.Command}, nil
	}
	return powershell(h.Command)
}

// powershell returns the arguments that run a line in PowerShell, whose variables are not
// those of the environment.
func powershell(line string) ([]string, error) {
	line = strings.ReplaceAll(line, "${CLAUDE_PROJECT_DIR}", "${env:CLAUDE_PROJECT_DIR}")
	program := "pwsh"
	if runtime.GOOS == "windows" {
		program = "powershell"
	}
	return []string{program, "-NoProfile", "-NonInteractive", "-Command", line}, nil
}

// gitBash returns the path of Git Bash on Windows, or "".
func gitBash() string {
	for _, root := range []string{os.Getenv("ProgramFiles"), os.Getenv("ProgramW6432"), os.Getenv("LocalAppData") + `\Programs`} {
		if path := filepath.Join(root, "Git", "bin", "bash.exe"); root != "" && isFile(path) {
			return path
		}
	}
	return ""
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// addStdout keeps what the command prints, up to a limit, and looks whether it says that it
// is asynchronous.
func (c *command) addStdout(piece []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	room := max(maxStdout-len(c.stdout), 0)
	c.cut = c.cut || len(piece) > room
	c.stdout = append(c.stdout, piece[:min(room, len(piece))]...)
	if !c.settled {
		c.settle()
	}
}

// settle decides whether the command is asynchronous, by the first line that it prints. The
// caller holds mu.
func (c *command) settle() {
	line, rest, ended := strings.Cut((&output{stdout: c.stdout}).text(), "\n")
	m, err := readMembers([]byte(line))
	c.settled = ended || err == nil || len(c.stdout) > maxAsyncLine
	if err == nil && m.flag("async", false) {
		c.stdout = []byte(rest)
		close(c.async)
	}
}

func (c *command) addStderr(piece []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stderr = append(c.stderr, piece[:min(max(maxStderr-len(c.stderr), 0), len(piece))]...)
}

// output returns what the command gave.
func (c *command) output(exit proc.Exit) output {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := output{stdout: c.stdout, stderr: string(c.stderr), code: exit.Code, cut: c.cut}
	switch {
	case errors.Is(exit.Err, proc.ErrClosed):
		out.failure = errClosed
	case exit.Err != nil: // the cause of the context
		out.failure = exit.Err
	case exit.Signal != "":
		out.stderr = strings.TrimSpace("ended by a signal: " + exit.Signal + "\n" + out.stderr)
	}
	if out.failure != nil {
		out.code = 0
	}
	return out
}

// startFailure returns why a command could not be started.
func startFailure(err error) error {
	if errors.Is(err, proc.ErrClosed) {
		return errClosed
	}
	return fmt.Errorf("%w: %w", errNoStart, err)
}

// dir returns the directory that commands run in: that of the session. If it has vanished,
// another that is there, so that a hook which guards calls still runs.
func (o *occasion) dir() string {
	for _, dir := range []string{o.cwd, o.project(), o.session.Home(), os.TempDir()} {
		if info, err := os.Stat(dir); err == nil && info.IsDir() && filepath.IsAbs(dir) {
			return dir
		}
	}
	return o.cwd
}

// project returns the value of CLAUDE_PROJECT_DIR.
func (o *occasion) project() string {
	if dir := o.runner.options.Project; dir != "" {
		return dir
	}
	return o.session.Dir()
}

// environment returns the variables of a command.
func (o *occasion) environment() []string {
	options := &o.runner.options
	var env []string
	for _, setting := range os.Environ() {
		if !strings.HasPrefix(strings.ToUpper(setting), "OTEL_") {
			env = append(env, setting)
		}
	}
	for name, value := range options.Env {
		if !strings.HasPrefix(strings.ToUpper(name), "OTEL_") && !strings.ContainsAny(name, "=\x00") && name != "" && !strings.Contains(value, "\x00") {
			env = append(env, name+"="+value)
		}
	}
	env = append(env, "CLAUDE_PROJECT_DIR="+o.project())
	if o.control.env {
		if file := options.ask("EnvFile", options.EnvFile, o.session); file != "" {
			env = append(env, "CLAUDE_ENV_FILE="+file)
		}
	}
	return env
}

// stops reports whether the event is that an agent wants to stop.
func (o *occasion) stops() bool { return o.event == stop || o.event == subagentStop }

// answer joins the replies to an event of the loop.
func (o *occasion) answer(replies []*reply) Answer {
	var a Answer
	for _, r := range replies {
		b := r.Answer
		if !o.control.blocks {
			b.Block = false
		}
		switch {
		case !b.Block && !b.Stop:
			b.Reason = ""
		case b.Reason == "", r.ours, b.Stop:
		case o.control.goesOn:
			b.Reason = o.words(r.handler, b.Reason)
		case o.event == taskCreated, o.event == taskCompleted: // within the text of an error
			b.Reason = r.reason("")
		}
		if o.stops() && len(b.Context) > 0 { // the agent goes on to read it
			b.Block = true
		}
		a.join(&b)
	}
	if o.event == worktreeCreate && a.WorktreePath == "" {
		a.WorktreePath = printedPath(replies)
	}
	if !o.stops() {
		return a
	}
	if a.Stop {
		a.Block = false
	}
	limit := cmp.Or(o.runner.options.StopCap, defaultStopCap)
	if wanted := a.Block; o.state.countStop(a.Block, limit) != wanted {
		a.Block = false
		o.tell(fmt.Sprintf("Hooks have kept the agent from stopping %d times in a row, so it stops now.", limit))
	}
	return a
}

// replaceOutput gives the model another output of the call: that of the hook that ended last.
func (o *occasion) replaceOutput(h *pegboard.HookCall, replies []*reply) {
	var last *reply
	for _, r := range replies {
		if (r.toolOutput != nil || r.mcpToolOutput != nil) && (last == nil || r.ended > last.ended) {
			last = r
		}
	}
	if last == nil {
		return
	}
	external := h.Tool != nil && h.Tool.Info().Origin.External()
	output := last.toolOutput
	if external && output == nil {
		output = last.mcpToolOutput
	}
	var result *pegboard.Result
	err := errors.New("updatedMCPToolOutput is for tools of servers")
	switch {
	case output == nil:
	case external:
		result, err = externalResult(output), nil
	default:
		result, err = h.ResultOf(output)
	}
	if err != nil {
		o.runner.options.problem(last.handler, fmt.Errorf("the output of %s is left as it is: %w", h.Call.ToolName(), err))
		return
	}
	result.Messages = slices.Concat(h.Outcome.Result.Messages, result.Messages)
	result.StopTurn = result.StopTurn || h.Outcome.Result.StopTurn
	result.UpdateSession, result.Shown = h.Outcome.Result.UpdateSession, h.Outcome.Result.Shown
	h.Outcome.Result = result
}

// post sends the payload to the address of a hook.
func (o *occasion) post(ctx context.Context, h *Handler) output {
	if err := o.runner.allowedURL(h.URL); err != nil {
		return output{failure: fmt.Errorf("%w: %w", errRefused, err)}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(o.payload))
	if err != nil {
		return output{failure: fmt.Errorf("%w: %w", errNoStart, err)}
	}
	request.Header.Set("Content-Type", "application/json")
	for name, value := range h.Headers {
		request.Header.Set(name, o.runner.header(h, value))
	}
	patient, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	defer context.AfterFunc(ctx, func() { // time to return what has come of a late answer
		time.AfterFunc(hostPatience, func() { stop(context.Cause(ctx)) })
	})()
	out, err := hostCall(patient, func() (output, error) { return o.runner.respond(request) })
	if err == nil {
		err = out.broken
	}
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		out.failure = fmt.Errorf("%w: %w", errRefused, err)
	}
	return out
}

// read reads what a handler gave.
func (o *occasion) read(h *Handler, out output) *reply {
	r := &reply{handler: h}
	if out.background {
		return r
	}
	asks := h.Type == typePrompt || h.Type == typeAgent
	if asks && out.failure == nil {
		o.readPrompt(r, out.text())
	} else {
		o.readAnswer(r, &out)
		o.readCode(r, &out)
	}
	if r.failure != nil {
		o.runner.options.problem(h, r.failure)
		if o.control.strict && o.runner.options.Strict && !r.Block && (o.control.blocks || !asks) {
			r.refuse(fmt.Sprintf("%s must be passed, and %s. Tell the user; repeating it will not help.", h.name(), shortReason(r.failure)))
			r.ours = true
		}
	}
	return r
}

// readAnswer reads the answer as JSON if it is that.
func (o *occasion) readAnswer(r *reply, out *output) {
	r.failure = out.failure
	text := out.text()
	switch {
	case text == "" && out.failure == nil:
		return
	case out.failure == nil && !out.cut && strings.HasPrefix(text, "{"):
		m, err := readMembers([]byte(text))
		if err == nil {
			o.readMembers(r, m)
			err = errors.Join(*m.problems...)
		}
		if err == nil && o.event == preToolUse && !r.Block && findRefusal([]byte(text)).blocks {
			err = errors.New("it denies in a place that is not for that")
		}
		if err == nil {
			return
		}
		*r = reply{handler: r.handler, message: r.message}
		r.failure = fmt.Errorf("%w: %w", errAnswer, err)
	case out.failure == nil && out.cut && strings.HasPrefix(text, "{"):
		r.failure = fmt.Errorf("%w: it is longer than %d bytes", errAnswer, maxStdout)
		if o.control.gate { // not the hook's fault, so it must not be to its cost
			r.refuse(fmt.Sprintf("the answer of %s is too long to be read. Tell the user.", r.handler.name()))
			r.ours = true
		}
	case out.failure == nil && out.json:
		r.failure = fmt.Errorf("%w: it is no JSON object", errAnswer)
	case out.failure == nil && o.control.context && out.code == 0:
		r.Context = append(r.Context, text)
		return
	case out.failure == nil && !o.control.gate: // plain text counts in no other event
		r.printed = text
		return
	}
	found := findRefusal([]byte(text))
	if !found.blocks && !found.stops || o.control.code2 == codeIgnored && !o.control.gate {
		return
	}
	if r.failure == nil {
		r.failure = fmt.Errorf("%w: there is text before it", errAnswer)
	}
	r.Stop = r.Stop || found.stops
	if found.blocks && o.control.blocks || o.control.gate {
		r.refuse(found.reason)
	}
}

// readCode reads the exit code of a command.
func (o *occasion) readCode(r *reply, out *output) {
	switch {
	case out.code == 0:
	case out.code == 2 && o.control.code2 != codeIgnored:
		o.readCode2(r, out)
	case out.code == 2 && o.event == permissionRequest && !r.Block: // its stderr is dropped
		r.failure = fmt.Errorf("%w: code 2 decides nothing here, so the person is asked", errCode)
		r.allow, r.input, r.updates = false, nil, nil
	case o.event == worktreeCreate:
		r.failure = fmt.Errorf("%w: code %d: %s", errCode, out.code, out.firstError())
	case r.failure == nil && strings.HasPrefix(out.text(), "{"): // its JSON alone decides
	default:
		err := fmt.Errorf("%w: code %d: %s", errCode, out.code, out.firstError())
		r.failure = errors.Join(r.failure, err)
	}
}

// readCode2 reads an exit code of 2, which no JSON undoes.
func (o *occasion) readCode2(r *reply, out *output) {
	reason := r.Reason
	if !r.Block || reason == "" {
		reason = strings.TrimSpace(out.stderr)
	}
	switch o.control.code2 {
	case codeBlocks:
		if o.event == configChange && o.policy {
			r.failure = fmt.Errorf("%w: a change of managed settings cannot be refused", errCode)
			return
		}
		r.refuse(reason)
	case codeTells:
		r.Block, r.Reason = true, reason
	case codePerson:
		r.message = strings.TrimSpace(r.message + "\n" + reason)
	}
	r.failure = nil // what else it printed does not matter
}

// readMembers reads an answer that is a JSON object.
func (o *occasion) readMembers(r *reply, m members) {
	if !m.flag("continue", true) && o.event != taskCreated {
		r.Stop = true
	}
	r.stopReason, r.message, r.terminal = m.text("stopReason"), m.text("systemMessage"), m.text("terminalSequence")
	m.flag("suppressOutput", false)
	decision := m.word("decision", "block", "approve")
	reason := m.text("reason")
	if decision == "block" && o.control.blocks && (o.event != configChange || !o.policy) {
		r.Block, r.Reason = true, reason
	}
	r.allow = decision == "approve" && o.event == preToolUse
	s := m.object("hookSpecificOutput")
	if name := s.text("hookEventName"); name != o.event && s.values != nil {
		s.problem("hookSpecificOutput.hookEventName is %q and not %q", name, o.event)
	}
	if text := s.text("additionalContext"); text != "" {
		r.Context = append(r.Context, text)
	}
	switch o.event {
	case preToolUse:
		r.readPermission(s, reason)
	case permissionRequest:
		r.readRequest(s)
	case permissionDenied:
		r.retry = s.flag("retry", false)
	case postToolUse:
		r.toolOutput, r.mcpToolOutput = s.get("updatedToolOutput"), s.get("updatedMCPToolOutput")
	case elicitation, elicitationResult:
		r.action = pegboard.FillAction(s.word("action", string(pegboard.FillAccept), string(pegboard.FillDecline), string(pegboard.FillCancel)))
		r.content = s.get("content")
	default:
		r.readLoop(m, s)
	}
}

// readPrompt reads the answer of a model.
func (o *occasion) readPrompt(r *reply, text string) {
	m, err := readMembers([]byte(withoutFence(text)))
	if err == nil && m.get("ok") == nil {
		err = errors.New("ok is missing")
	}
	if err != nil {
		r.failure = fmt.Errorf("%w: %w", errAnswer, err)
		if found := findRefusal([]byte(text)); found.no && o.control.blocks && !o.control.goesOn {
			o.refuseByModel(r, found.reason)
		}
		return
	}
	ok, reason, impossible := m.flag("ok", true), m.text("reason"), m.flag("impossible", false)
	if err := errors.Join(*m.problems...); err != nil {
		r.failure = fmt.Errorf("%w: %w", errAnswer, err)
	}
	if ok || !o.control.blocks || impossible && o.control.goesOn {
		return
	}
	o.refuseByModel(r, reason)
}

// refuseByModel makes the reply of a model block.
func (o *occasion) refuseByModel(r *reply, reason string) {
	r.Block, r.Reason = true, reason
	r.Stop = o.event == preToolUse && r.handler.Type == typePrompt && !r.handler.ContinueOnBlock
}

// withoutFence returns an answer of a model without the lines ``` around it.
func withoutFence(text string) string {
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	if !strings.HasPrefix(text, "```") {
		return text
	}
	_, text, _ = strings.Cut(text, "\n")
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "```"))
}

// terminalSequences match what hooks may send to the person's terminal: bells, and the
// operating system commands that set a title or show a notification or a progress. Others
// could answer for the person, move the cursor or reach the clipboard.
var terminalSequences = regexp.MustCompile(`^(?:\x07|\x1b\](?:0|1|2|9|99|777);[^\x00-\x1f\x7f-\x{9f}]*(?:\x07|\x1b\\))+$`)

// sendToTerminal sends the terminalSequence of a reply to the person's terminal.
func (o *occasion) sendToTerminal(r *reply) {
	send := o.runner.options.Terminal
	switch {
	case r.terminal == "" || send == nil:
	case !utf8.ValidString(r.terminal) || len(r.terminal) > maxText || !terminalSequences.MatchString(r.terminal):
		o.runner.options.problem(r.handler, errors.New("terminalSequence is left out: it holds more than bells and the sequences OSC 0, 1, 2, 9, 99 and 777"))
	default:
		if crash := patiently(func() { send(o.session, r.terminal) }); crash != nil {
			o.runner.options.problem(r.handler, fmt.Errorf("Options.Terminal: %w", crash))
		}
	}
}
