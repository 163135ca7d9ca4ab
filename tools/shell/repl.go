package shell

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/policy"
)

// REPL returns the tool that runs Python or JavaScript. It panics if o names another
// language, or describes a nil tool.
//
// # State
//
// Each session, and so each agent, has one process per language. The process starts
// with the first call and keeps variables, imports and the directory between calls.
// Code that takes too long is interrupted, as by Ctrl-C, and the state is kept. It is
// lost when the code ends or crashes the interpreter, cannot be interrupted within three
// seconds or prints more than 5 GB in all; when the interpreter has not begun with the code after
// a minute, which is not part of the time of the code; when the call is cancelled; and when a call
// asks for a restart. The result of that call or of the next one says so. What JavaScript
// waits for when it is interrupted may go on until a restart. Closing the session ends
// the processes and everything that they have started.
//
// # Tools
//
// Code calls the agent's tools: tools.Read({...}) in Python returns the result or raises
// ToolError; in JavaScript it returns a promise. A result is data, see [pegboard.Outcome.Value],
// and a ToolFile stands for each [pegboard.FileValue]. Its read method returns all of it, lines
// the lines one by one. A whole value that is longer than [pegboard.MaxInMemory] is such a file,
// too. Only the output that the code prints reaches the model. An exception has the text for the
// model, the tool, the kind as in [pegboard.CodeError], and as value the result's data. The page
// docs/shell.md describes the results of each tool. These are ordinary calls, each with its own
// decision, whose parent is the call of REPL; see [pegboard.Call.Run]. Calls that are made at the
// same time form a batch. A call that a thread or a timer makes after the call of REPL has ended
// waits for the next call of REPL. With [pegboard.Gates].REPL, the tools that scripts can call are
// not offered to the model itself.
//
// # Permission and concurrency
//
// Code can do anything. Therefore it runs alone and is allowed only by a user or by a
// rule for all of REPL; the rule does not count if any deny or ask rule could match
// something that code does. There is no sandbox: the actions of code that do not go
// through tools are not subject to rules. On Windows, a program that JavaScript
// starts with the standard input of its own process can read requests that are meant
// for that process. If a host makes two calls at the same time in one session, the
// second one is refused while the first one runs.
func REPL(o REPLOptions) pegboard.Tool {
	o = o.withDefaults()
	for _, l := range o.Languages {
		if l != Python && l != JavaScript {
			panic(fmt.Sprintf("shell: REPL: there is no language %q", l))
		}
	}
	for i, t := range o.Describe {
		if t == nil {
			panic(fmt.Sprintf("shell: REPL: Describe[%d] is nil", i))
		}
	}
	sessions := pegboard.NewClonedKey("interpreters", func(*interpreters) *interpreters { return &interpreters{} })
	return pegboard.Build(pegboard.Definition[replInput, REPLOutput]{
		Info:        pegboard.Info{Name: "REPL", Title: "Run code", MaxResult: -1}, // the tool limits its output itself
		Description: "Runs code that can call the other tools, and keeps its variables.",
		Prompt:      func(s pegboard.Scope) string { return replPrompt(o, s) },
		Inspect: func(in replInput, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Targets: []policy.Target{{Kind: policy.Opaque, Value: o.languageOf(in) + " code"}}, Kind: pegboard.KindRun}
		},
		Summary: func(in replInput, _ *pegboard.Call) pegboard.Summary {
			code := o.languageOf(in) + ": " + pegboard.OneLine(in.Code)
			lines := pegboard.Summary{Before: "Run " + code, While: "Running " + code}
			if about := pegboard.OneLine(in.Description); about != "" {
				lines.While = about
			}
			return lines
		},
		Validate:        func(_ context.Context, in replInput, _ *pegboard.Call) error { return o.validate(in) },
		ClassifierInput: func(in replInput, _ *pegboard.Call) string { return o.languageOf(in) + "\n" + in.Code },
		Call: func(ctx context.Context, in replInput, c *pegboard.Call) (REPLOutput, error) {
			s, err := sessionOf(c, "REPL")
			if err != nil {
				return REPLOutput{}, err
			}
			is := sessions.GetOrInit(s, func() *interpreters { return &interpreters{} })
			return is.get(s, o.languageOf(in)).run(ctx, o, in, c)
		},
		Result: func(out REPLOutput) *pegboard.Result {
			r := pegboard.TextResult(out.text)
			r.IsError, r.Data, r.Parts[0].Ref, r.Line = out.Failed, out, out.ref, out.line()
			return r
		},
	})
}

type replInput struct {
	Code        string `json:"code" jsonschema_description:"The code to run; the value of an expression at its end is shown"`
	Language    string `json:"language,omitempty" jsonschema:"enum=python,enum=javascript" jsonschema_description:"The language of the code"`
	Description string `json:"description,omitempty" jsonschema_description:"What the code does, in five to ten words"`
	Timeout     int    `json:"timeout,omitempty" jsonschema:"minimum=0" jsonschema_description:"How long it may run, in milliseconds (default 30000, at most 600000); time in tools does not count"`
	Restart     bool   `json:"restart,omitempty" jsonschema_description:"Begin with a new interpreter; code may be empty then"`
}

// The languages of [REPL].
const (
	Python     = "python"
	JavaScript = "javascript"
)

// The defaults of [REPL].
const (
	DefaultREPLTimeout    = 30 * time.Second
	DefaultMaxREPLTimeout = 10 * time.Minute
	MaxREPLShown          = 30_000 // bytes of the code's output that the model sees
)

// REPLOptions change [REPL]. The zero value works.
type REPLOptions struct {
	// Languages are the languages that the tool offers, Python or JavaScript. A call
	// that names none uses the first. None means both.
	Languages []string
	// Python is the program and its flags; nil means {"python3", "-u"}, and on Windows
	// the Python 3 in PATH, or that which py finds. It must be Python 3.8 or newer.
	Python []string
	// Node is the program and its flags; nil means {"node"}. It must be Node 18 or
	// newer.
	Node []string
	// Env, Withheld and Vars determine the variables that the interpreter has, as in [Options].
	Env, Withheld []string
	Vars          map[string]string
	// Timeout is how long code may run if its call does not say; 0 means
	// DefaultREPLTimeout.
	Timeout time.Duration
	// MaxTimeout is the longest timeout of a call; a longer one is reduced to it. 0
	// means DefaultMaxREPLTimeout.
	MaxTimeout time.Duration
	// Describe are tools whose definitions the model is not shown, since they are hidden
	// behind REPL, see [pegboard.Gates]: the host registers them, too. The prompt tells what
	// each of them takes and returns if code can call it. Nil means only the tools that this
	// module has for files and commands, which are told in any case.
	Describe []pegboard.Tool
}

func (o REPLOptions) withDefaults() REPLOptions {
	if len(o.Languages) == 0 {
		o.Languages = []string{Python, JavaScript}
	}
	o.Describe = slices.Clone(o.Describe)
	if o.Node == nil {
		o.Node = []string{"node"}
	}
	if o.Withheld == nil {
		o.Withheld = DefaultWithheld()
	}
	if o.MaxTimeout <= 0 {
		o.MaxTimeout = DefaultMaxREPLTimeout
	}
	if o.Timeout <= 0 {
		o.Timeout = min(DefaultREPLTimeout, o.MaxTimeout)
	}
	return o
}

// python returns the program of Python and its flags.
func (o REPLOptions) python() []string {
	if o.Python != nil {
		return o.Python
	}
	return append(newFinder().python(), "-u")
}

// timeoutFor returns the timeout of a call that asks for ms milliseconds.
func (o REPLOptions) timeoutFor(ms int) time.Duration {
	if ms <= 0 {
		return o.Timeout
	}
	if int64(ms) > o.MaxTimeout.Milliseconds() {
		return o.MaxTimeout
	}
	return time.Duration(ms) * time.Millisecond
}

// languageOf returns the language of a call.
func (o REPLOptions) languageOf(in replInput) string {
	if in.Language == "" {
		return o.Languages[0]
	}
	return in.Language
}

func (o REPLOptions) validate(in replInput) error {
	if l := o.languageOf(in); !slices.Contains(o.Languages, l) {
		return fmt.Errorf("%s is not offered here; write the code in %s", l, strings.Join(o.Languages, " or "))
	}
	if strings.TrimSpace(in.Code) == "" && !in.Restart {
		return fmt.Errorf("the code is blank; send the code to run")
	}
	return nil
}

// replTools are tools that scripts often call, with what these take and return.
func replTools() []describedTool {
	return []describedTool{
		{"Read", "{file_path, offset?, limit?}", "the whole text as a string, without line numbers; of a notebook {cells}, of an image a ToolFile"},
		{"Write", "{file_path, content}", "{filePath, type, structuredPatch}"},
		{"Edit", "{file_path, old_string, new_string, replace_all?}", "{filePath, structuredPatch}"},
		{"NotebookEdit", "{notebook_path, cell_id?, new_source, cell_type?, edit_mode?}", "{cell_id, notebook_path}"},
		{"Glob", "{pattern, path?}", "{filenames}, all of them"},
		{"Grep", "{pattern, path?, glob?, output_mode?}", "{filenames}; with output_mode content {matches: [{file, line, text}]}, with count {counts: {file: number}}; all of them"},
		{"Bash", "{command, timeout?}", "{stdout, exitCode}; stdout has both streams, and an exit code other than 0 is no exception"},
	}
}

// replPrompt returns the description of the tool for the model.
func replPrompt(o REPLOptions, s pegboard.Scope) string {
	languages := o.Languages
	example := "tools.NAME({...})"
	if s.CanRun("Read") {
		example = `tools.Read({"file_path": "a.txt"})`
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Runs code in %s and returns what it prints, and the value of an expression at its end. ", strings.Join(languages, " or "))
	if len(languages) > 1 {
		fmt.Fprintf(&b, "Without language it is %s. ", languages[0])
	}
	b.WriteString("Variables, functions and imports are kept from call to call, also when code takes too long and is interrupted; the result says when they are lost. " +
		"There is no terminal and no input.\n\n" +
		"Work with files and commands through the tools, which code calls by name with one object, as in " + example + ". " +
		"They are checked like your own calls, so a script can do in one step what would take many: loop over files, filter results, and print only what you need. " +
		"A call returns data, and you see of it only what the code prints. ")
	if slices.Contains(languages, Python) {
		b.WriteString("In Python objects are dicts, and a call that fails or is refused raises ToolError. await works outside of functions; for calls at the same time: " +
			"await asyncio.gather(*(asyncio.to_thread(tools.NAME, x) for x in inputs)). ")
	}
	if slices.Contains(languages, JavaScript) {
		b.WriteString("In JavaScript a call is awaited, as in await tools.NAME({...}); it throws ToolError. A promise at the end is awaited. Use require or await import() for modules. ")
	}
	b.WriteString("A ToolError has tool, kind (such as denied, invalid_input, timeout or failed) and value, what the tool could do. " +
		"What is over 4 MiB, or no text, is a ToolFile instead: path, size, read() for all of it, lines() for the lines one by one")
	if slices.Contains(languages, JavaScript) {
		b.WriteString("; in JavaScript await read(), and for await over lines()")
	}
	b.WriteString(".\n\nWhat the tools take, and what they return:\n")
	for _, t := range describedTools(o.Describe, s) {
		fmt.Fprintf(&b, "%s(%s): %s\n", t.name, t.input, t.value)
	}
	b.WriteString("Other tools take what their descriptions say, and return what their output schemas say, or a text. REPL itself cannot be called.")
	return b.String()
}

// A reply is one message of a driver.
type reply struct {
	Begun int  `json:"begun"` // the number of a code that has begun
	Done  int  `json:"done"`  // the number of a code that has ended
	Error bool `json:"error"` // the code ended with an exception, which was printed

	Call  int             `json:"call"` // the number of a request to call a tool
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

// valid reports whether exactly one of Begun, Done and Call is set.
func (r reply) valid() bool {
	kinds := 0
	for _, number := range []int{r.Begun, r.Done, r.Call} {
		if number < 0 {
			return false
		}
		kinds += min(number, 1)
	}
	return kinds == 1
}

// REPLOutput is the Result.Data of [REPL].
type REPLOutput struct {
	Language      string        `json:"language"`
	Output        string        `json:"output"` // both streams in the order of arrival, as the model sees them: both ends of what is long
	Failed        bool          `json:"failed"` // by an exception, or the process ended with an error
	Ended         bool          `json:"ended"`  // the process has ended and its state is lost
	Interrupted   bool          `json:"interrupted"`
	TimedOutAfter time.Duration `json:"-"` // zero if the code did not time out
	Omitted       int64         `json:"-"` // bytes of output that are not in Output
	Elapsed       time.Duration `json:"-"`
	// PersistedOutputPath is a file with all the output if Output is not all of it, and
	// PersistedOutputSize the number of bytes in it. The file exists until the main session is
	// closed.
	PersistedOutputPath string `json:"persistedOutputPath,omitempty"`
	PersistedOutputSize int64  `json:"persistedOutputSize,omitempty"`

	text string // for the model
	ref  string // in the session's store; empty if the output is not stored there
}

// line says for a person how the code ended.
func (out *REPLOutput) line() string {
	printed := "no output"
	if n := lineCount(strings.TrimRight(out.Output, "\n")); n > 0 {
		printed = plural(n, "line") + " of output"
	}
	switch {
	case out.Interrupted:
		return "Stopped, " + printed
	case out.TimedOutAfter > 0 && !out.Ended:
		return fmt.Sprintf("Interrupted after %v, %s", out.TimedOutAfter, printed)
	case out.TimedOutAfter > 0:
		return fmt.Sprintf("Ended after %v, %s", out.TimedOutAfter, printed)
	case out.Failed && out.Ended:
		return "The interpreter ended, " + printed
	case out.Failed:
		return "Ended by an error, " + printed
	}
	return "Ran, " + printed
}

// noteInterrupt records that the code was interrupted and has ended then, and returns a
// sentence about it for the model.
func (out *REPLOutput) noteInterrupt(limit time.Duration) string {
	out.TimedOutAfter = limit
	note := fmt.Sprintf("The code was interrupted because it took longer than %v. Variables and imports are kept. Ask for more time with timeout, or do less at once.", limit)
	if out.Language == JavaScript {
		note += " What it waits for may go on; restart ends that."
	}
	return note
}

// noteEnd records that the process has ended while the code ran, perhaps because its time
// was over, and returns a sentence about it for the model.
func (out *REPLOutput) noteEnd(exit proc.Exit, late bool, limit time.Duration) string {
	out.Ended, out.Failed = true, true
	var note string
	switch {
	case errors.Is(exit.Err, errCodeTime), late && exit.Err == nil && exit.Signal != "":
		out.TimedOutAfter = limit
		note = fmt.Sprintf("The code was ended because it took longer than %v, and could not be interrupted. Ask for more time with timeout, or do less at once.", limit)
	case errors.Is(exit.Err, errStartTime):
		note = fmt.Sprintf("Nothing ran: %v, and was ended. Try once more, or use another tool.", exit.Err)
	case errors.Is(exit.Err, proc.ErrOutputLimit), errors.Is(exit.Err, errBadReply), errors.Is(exit.Err, errTooManyCalls):
		note = fmt.Sprintf("The code was ended: %v. Do less at once, and write large data to a file.", exit.Err)
	case exit.Err != nil:
		out.Interrupted = true
		note = "The code was ended before it finished: the call was cancelled."
	case exit.Signal != "":
		note = fmt.Sprintf("The interpreter was ended by a signal: %s.", exit.Signal)
	default:
		out.Failed = exit.Code != 0
		note = fmt.Sprintf("The code ended the interpreter, with exit code %d.", exit.Code)
	}
	return note + " Its variables and imports are gone; the next call begins with a new interpreter."
}

// exitText returns a phrase for the way in which a process has ended.
func exitText(e proc.Exit) string {
	switch {
	case e.Err != nil:
		return e.Err.Error()
	case e.Signal != "":
		return "signal: " + e.Signal
	}
	return fmt.Sprintf("exit code %d", e.Code)
}
