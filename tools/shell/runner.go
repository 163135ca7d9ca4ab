package shell

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/excerpt"
	"github.com/seed49eaa51d/pegboard/internal/gitrepo"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/internal/shellparse"
	"github.com/seed49eaa51d/pegboard/policy"
	lines "github.com/seed49eaa51d/pegboard/policy/shell"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/internal/writes"
)

// A runner runs the commands of one tool.
type runner struct {
	name      string // of the tool
	options   Options
	inspector inspector
	table     *proc.Table // a process in it ends with its call or its background task
	lastPath  atomic.Pointer[searchPath]
}

func newRunner(name string, o Options, i inspector) *runner {
	i.reader = new(lines.Reader)
	r := &runner{name: name, options: o, inspector: i, table: &proc.Table{}}
	r.inspector.searchPath, r.inspector.isExported = r.searchPath, r.isExported
	return r
}

// tool returns the tool. about is its description for people, prompt the one for the
// model.
func (r *runner) tool(about string, prompt func(pegboard.Scope) string) pegboard.Tool {
	if r.options.Sandbox != nil && !r.options.SandboxOnly {
		return buildCommandTool(r, about, prompt, sandboxedInput.command)
	}
	return buildCommandTool(r, about, prompt, func(in commandInput) commandInput { return in })
}

// buildCommandTool returns the tool for an input that holds a commandInput.
func buildCommandTool[In any](r *runner, about string, prompt func(pegboard.Scope) string, command func(In) commandInput) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[In, Output]{
		Info:        pegboard.Info{Name: r.name, Title: r.name, MaxResult: -1, CancelsSiblings: true}, // the tool limits its output and makes the preview itself
		Description: about,
		Prompt:      prompt,
		Inspect:     func(in In, c *pegboard.Call) pegboard.Traits { return r.inspect(command(in), c) },
		Summary:     func(in In, c *pegboard.Call) pegboard.Summary { return command(in).lines(c) },
		Validate: func(ctx context.Context, in In, c *pegboard.Call) error {
			return r.validate(ctx, command(in), c)
		},
		Permit: func(ctx context.Context, in In, c *pegboard.Call) policy.Decision {
			return r.permit(ctx, command(in), c)
		},
		ClassifierInput: func(in In, _ *pegboard.Call) string { return command(in).Command },
		Call: func(ctx context.Context, in In, c *pegboard.Call) (Output, error) {
			return r.call(ctx, command(in), c)
		},
		Result: func(out Output) *pegboard.Result {
			res := pegboard.TextResult(out.text())
			res.IsError, res.Data, res.Parts[0].Ref, res.Line = out.failed, out, out.ref, out.line()
			res.Value = out.value
			return res
		},
	})
}

func (r *runner) validate(ctx context.Context, in commandInput, c *pegboard.Call) error {
	if in.Background && r.options.NoBackground {
		return errors.New("nothing runs in the background here; send it without run_in_background, with a timeout that is long enough")
	}
	if n, limit := len(in.Command), r.maxLine(runtime.GOOS); n > limit {
		return fmt.Errorf("the command has %d bytes, and no more than %d can be started here; write it to a script in a file and run that", n, limit)
	}
	if err := checkCwd(c); err != nil {
		return err
	}
	if s := c.Session(); s != nil && in.outside {
		if why := r.whyNotOutside(s); why != "" {
			return fmt.Errorf("it cannot leave the sandbox: %s", why)
		}
	}
	if err := validateInput(ctx, in, c); err != nil || c.Session() == nil || !mayOpenEditor(in.Command) {
		return err
	}
	line := r.inspector.parse(in, c)
	return checkEditors(&line)
}

// permit denies the commands that no rule and no user may allow.
func (r *runner) permit(_ context.Context, in commandInput, c *pegboard.Call) policy.Decision {
	if c.Session() == nil || r.inspector.shell != lines.PowerShell { // only PowerShell has such commands
		return policy.Decision{}
	}
	line := r.inspector.parse(in, c)
	for i := range line.Commands {
		if reason := line.Commands[i].DenyReason; reason != "" {
			return policy.Decision{Behavior: policy.Deny, Reason: reason}
		}
	}
	return policy.Decision{}
}

func (r *runner) call(ctx context.Context, in commandInput, c *pegboard.Call) (Output, error) {
	if _, err := sessionOf(c, r.name); err != nil {
		return Output{}, err
	}
	line := r.inspector.parse(in, c)
	view := newFileView(&line, c)
	if !in.Background { // one that goes on after its call has no turn to end
		unlock, err := writes.Lock(ctx, c)
		if err != nil {
			return Output{}, err
		}
		defer unlock()
	}
	k, err := r.start(ctx, in, c)
	if err != nil {
		return Output{}, err
	}
	out, err := k.waitForeground(ctx)
	if err == nil && out.BackgroundTaskID == "" && ctx.Err() == nil {
		if refusal := k.refusal(k.process.Exit()); refusal != "" {
			out, err = k.leaveSandbox(ctx, out, refusal)
		}
	}
	view.record(c, out.complete)
	return out, err
}

// start starts a command, which does not end with ctx.
func (r *runner) start(ctx context.Context, in commandInput, c *pegboard.Call) (*command, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	s := c.Session()
	k := &command{
		runner: r, in: in, call: c, session: s, tasks: background.Of(s), line: r.inspector.parse(in, c),
		dir: c.Cwd(), timeout: r.options.timeoutFor(in), started: time.Now(),
	}
	k.captured = &capture{reporter: &lineReporter{emit: c.Emit}, kept: excerpt.Capture{Keep: r.options.MaxShown}}
	k.outputFile, k.outputFileErr = k.tasks.NewFile(r.name)
	if k.outputFile != "" && r.recordsDir(s, in.Command, &k.line) {
		k.dirFile = k.outputFile + ".dir"
	}
	if k.outputFile != "" {
		k.preludeFile = k.outputFile + preludeSuffix
	}
	prelude := r.prelude(ctx, &k.line, c, k.preludeFile)
	args, err := r.args(in.Command, k.dirFile, prelude)
	if err == nil {
		args[0], err = trustedShell(args[0], c.Dirs())
	}
	if err == nil {
		args, err = k.wrap(args, prelude)
	}
	if err != nil {
		k.remove(k.preludeFile)
		k.remove(k.dirFile)
		return nil, fmt.Errorf("the shell could not be started: %w", err)
	}
	k.process, err = r.table.Start(context.WithoutCancel(ctx), proc.Command{
		Args:      args,
		Dir:       k.dir,
		Env:       r.environment(in.Command, &k.line, c),
		Keep:      r.options.MaxShown,
		Drain:     time.Second, // less than the executor's grace, also with the grace of the process added
		File:      k.outputFile,
		MaxFile:   k.maxFile(),
		MaxOutput: r.options.MaxOutput,
		Output:    k.captured.write,
	})
	if err != nil {
		k.remove(k.preludeFile)
		k.remove(k.dirFile)
		return nil, fmt.Errorf("the shell could not be started: %w", err)
	}
	return k, nil
}

// recordsDir reports whether the directory in which the line ends must be recorded.
func (r *runner) recordsDir(s *pegboard.Session, command string, line *lines.Line) bool {
	mayCarry := s.Role() == pegboard.RoleMain || s.Role() == pegboard.RoleCoordinator
	// Git's bash names directories in a way of its own on Windows.
	return mayChangeDir(command, line) && mayCarry && !r.options.FixedDir && r.takesScript() && runtime.GOOS != "windows"
}

// environment returns the environment in which a line runs. HOME is the directory that the parser
// used for ~. CDPATH is empty, since it would make cd enter other directories than the parser
// assumes, and OLDPWD is that of the session, if it has one. Variables that give words of the line
// another meaning, such as exported functions, are removed. A command that was decided as
// read-only also gets settings that keep git from writing, asking and connecting, and go from
// downloading. A line whose commands are all known gets a PATH without open directories, unless it
// may run an allowed program in one of them.
func (r *runner) environment(command string, line *lines.Line, c *pegboard.Call) []string {
	o := r.options
	env := inherited(o.Env, o.Withheld, o.Vars)
	r.startupOf(c.Session()).addTo(&env, c.Facts().ReadOnly)
	env.remove(func(name string) bool {
		return misleadingVars[name] || strings.HasPrefix(name, "BASH_FUNC_")
	})
	if o.Env == nil {
		env.remove(func(name string) bool { return yieldsToConfig(name, command) })
	}
	env.set("CDPATH", "")
	env.remove(func(name string) bool { return name == "OLDPWD" })
	if last := oldPwd(c); last != "" {
		env.set("OLDPWD", last)
	}
	if home := c.Session().Home(); home != "" && runtime.GOOS != "windows" {
		env.set("HOME", home)
	}
	if line.SelfContained() && !asksForPrograms(line) && !runsOpenProgram(c) {
		restrictPath(&env, c.Dirs())
	}
	if c.Facts().ReadOnly {
		env.setAll(gitrepo.Neutral())
		env.set("GOTOOLCHAIN", "local") // the tables rely on it
		if strings.Contains(command, "doc") {
			env.set("GOPROXY", "off")
			env.set("GOVCS", "*:off")
		}
	}
	return env.pairs
}

// asksForPrograms reports whether a line only says where programs are, which is to be true
// of the PATH that other lines have.
func asksForPrograms(line *lines.Line) bool {
	for i := range line.Commands {
		text := line.Commands[i].Text
		if name := shellparse.ProgramOf(text); name != "which" && name != "type" && !strings.HasPrefix(text, "command -v ") && !strings.HasPrefix(text, "command -V ") {
			return false
		}
	}
	return len(line.Commands) > 0
}

// runsOpenProgram reports whether c may run a program in an open directory of PATH: one that
// projects bring, or one that a person, or a rule that spells the command, has allowed. The
// tables are about the program that all others know by the name.
func runsOpenProgram(c *pegboard.Call) bool {
	d := c.Decision()
	known := d.By == policy.ByPerson || d.By == policy.ByCaller || d.Rule != nil && d.Rule.Pattern != ""
	return slices.ContainsFunc(c.Targets(), func(t policy.Target) bool {
		return t.Shell.VerifyProgram != nil && (known || t.Shell.BringsProgram && d.By != policy.ByClassifier) && t.Shell.VerifyProgram() != nil
	})
}

// isAllowedAsKnown reports whether c was allowed since all its commands are known, and not
// by a person, a rule, a hook or the mode that allows everything.
func isAllowedAsKnown(line *lines.Line, c *pegboard.Call) bool {
	d := c.Decision()
	return line.SelfContained() && (d.By == policy.ByDefault || d.By == policy.ByMode && c.Session().Permissions().Mode() != policy.ModeBypass)
}

// isExported reports whether a command that is known to change nothing may have a variable
// in its environment.
func (r *runner) isExported(s *pegboard.Session, name string) bool {
	env := inherited(r.options.Env, r.options.Withheld, r.options.Vars)
	_, ok := env.get(name)
	return ok || r.startupOf(s).mayExport(name)
}

// searchPath returns where the commands of a session find their programs, as far as that is
// known before one of them is started.
func (r *runner) searchPath(c *pegboard.Call) *searchPath {
	env := variables{pairs: r.options.Env, fold: runtime.GOOS == "windows"}
	path, _ := env.get("PATH")
	if set, ok := r.options.Vars["PATH"]; ok {
		path = set
	} else if r.options.Env == nil {
		path = ownPath()
	}
	if u := r.startupOf(c.Session()); u != nil {
		env = variables{pairs: []string{"PATH=" + path}}
		u.addTo(&env, true)
		path, _ = env.get("PATH")
	}
	dirs := c.Dirs()
	if last := r.lastPath.Load(); last.is(path, dirs) {
		return last
	}
	now := newSearchPath(path, dirs)
	r.lastPath.Store(now)
	return now
}

// sandboxes reports whether a command runs in the sandbox.
func (r *runner) sandboxes(in commandInput, line *lines.Line) bool {
	return r.options.Sandbox != nil && !in.outside && !r.isExcluded(line)
}

// isExcluded reports whether the host lets a line run without the sandbox because of one
// of its commands.
func (r *runner) isExcluded(line *lines.Line) bool {
	return slices.ContainsFunc(r.options.SandboxExcluded, func(text string) bool {
		spec, err := pattern.Parse("Bash", text)
		return err == nil && slices.ContainsFunc(line.Commands, func(c lines.Command) bool {
			return spec.Touches(pattern.Subject{Kind: pattern.Command, Names: []string{c.Text}, Nested: c.Nested, NoWildcards: c.NoWildcards})
		})
	})
}

// inspect returns the traits of a call. A sandbox keeps a command from the files of deny
// and ask rules only if it can know them.
func (r *runner) inspect(in commandInput, c *pegboard.Call) pegboard.Traits {
	tr, line := r.inspector.inspect(in, c)
	if s := c.Session(); s != nil && !r.options.SandboxAsks && r.sandboxes(in, &line) {
		tr.Sandboxed = !slices.ContainsFunc(s.Permissions().Rules(), func(rule policy.Rule) bool {
			_, exact := rule.Places()
			return isAboutFiles(rule) && !exact
		})
	}
	return tr
}

// isAboutFiles reports whether a rule keeps calls from files.
func isAboutFiles(r policy.Rule) bool {
	return r.Behavior != policy.Allow && r.Pattern != "" && (r.Tool == "Read" || r.Tool == "Edit")
}

// sandboxCommand returns the limits for a command that starts in dir.
func (r *runner) sandboxCommand(c *pegboard.Call, line, dir string) (sc SandboxCommand, err error) {
	s := c.Session()
	sc = SandboxCommand{Line: line, Dir: realpath.Resolve(dir), Home: s.Home(), Targets: c.Targets(), Decision: c.Decision()}
	for _, dir := range c.Dirs() {
		if dir = realpath.Resolve(dir); isDir(dir) {
			sc.WorkDirs = append(sc.WorkDirs, dir)
		}
	}
	if sc.Temp, err = sandboxTempOf(s); err != nil {
		return sc, err
	}
	if !c.Facts().ReadOnly {
		sc.openWorkDirs()
	}
	for i := range sc.Targets {
		sc.open(&sc.Targets[i], c.Facts().ReadOnly)
	}
	for _, rule := range s.Permissions().Rules() {
		if isAboutFiles(rule) {
			sc.close(rule)
		}
	}
	return sc, nil
}

// maxArgument is the number of bytes of a line that are passed as one argument. Linux
// permits 128 KiB.
const maxArgument = 100 << 10

// maxLine returns the number of bytes of the longest line that the system can start.
// On Unix all arguments and the environment share a limit, usually of 2 MiB on Linux and
// of 1 MiB elsewhere. On Windows they share 32,767 characters.
func (r *runner) maxLine(system string) int {
	switch {
	case system == "windows":
		return 30_000
	case !r.takesScript():
		return maxArgument
	case system == "linux":
		return 1 << 20
	}
	return 512 << 10
}

// evalScript evaluates the line that the script gets as its n arguments, of which each
// holds a part. The line is never part of the script's text, so no quote, here-document
// or comment in it can affect the rest of the script. The line sees no arguments, and its
// line numbers are its own because the script before it is one line.
func evalScript(n int) string {
	var b strings.Builder
	b.WriteString(`eval "set --; `)
	for i := range n {
		fmt.Fprintf(&b, "${%d}", i+1)
	}
	return b.String() + `"`
}

// parts returns the parts of a line that are passed as one argument each.
func parts(line string) (all []string) {
	for len(line) > maxArgument {
		all, line = append(all, line[:maxArgument]), line[maxArgument:]
	}
	return append(all, line)
}

// preludeSuffix ends the name of a file that a shell reads before its line.
const preludeSuffix = ".rc"

// prelude returns the files that a shell reads before the line of c. They may give words another
// meaning, so a line gets no such files if it was allowed because its commands are known. file is
// a name for the start-up of the user's shell; it may be empty.
func (r *runner) prelude(ctx context.Context, line *lines.Line, c *pegboard.Call, file string) (files []string) {
	if c.Facts().ReadOnly {
		return nil
	}
	u := r.startupOf(c.Session())
	u.find(ctx, r, c.Session()) // also for its PATH
	if isAllowedAsKnown(line, c) {
		return nil
	}
	if r.options.Snapshot != "" {
		files = append(files, r.options.Snapshot)
	}
	if file != "" && u.write(file) {
		files = append(files, file)
	}
	if settings := r.envFile(c); settings != "" {
		files = append(files, settings)
	}
	return files
}

// envFile returns the file that holds settings of the environment for c, or "" if it is not
// there. A pipe would keep the command from starting.
func (r *runner) envFile(c *pegboard.Call) string {
	if r.options.EnvFile == nil {
		return ""
	}
	name := r.options.EnvFile(c.Session())
	if name == "" {
		return ""
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(c.Dir(), name)
	}
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return name
}

// args returns the arguments that run a line. If dirFile is not empty, the shell
// writes to that file the directory in which it ends. It reads the files in prelude first.
//
// A line that needs nothing of that runs as it is, unless it is too long for
// one argument. Any other line runs
// inside a script in which exit, set -e and syntax errors end the shell as usual,
// with the same exit code. The script can be noticed in three ways: trap -p shows its
// trap, set -x prints one more + before each line, and the shell reports itself that
// its last command died by a signal. A line that replaces the shell by another
// program, with exec, records no directory.
func (r *runner) args(line, dirFile string, prelude []string) ([]string, error) {
	args, err := r.shell()
	if err != nil {
		return nil, err
	}
	switch {
	case r.inspector.shell == lines.PowerShell:
		return append(args, withStatus(asOperand(line))), nil
	case dirFile == "" && prelude == nil && len(line) <= maxArgument || !r.takesScript():
		return append(args, asOperand(line)), nil
	}
	var script strings.Builder
	lines := parts(line)
	eval := evalScript(len(lines))
	for _, file := range prelude {
		script.WriteString(". " + shellQuote(file) + " >/dev/null 2>&1; ")
	}
	note := `{ \builtin pwd -P; \builtin printf '\0%s' "${OLDPWD-}"; } >|` + shellQuote(dirFile)
	switch {
	case dirFile == "":
		script.WriteString(eval)
	case strings.Contains(line, "trap"): // the line's own trap must not be replaced
		script.WriteString(r.noteMoves(note))
		script.WriteString(eval + "\n{ \\builtin set -- \"$?\"; " + note + "; set +x; } 2>/dev/null\nexit \"$1\"")
	default:
		script.WriteString("trap " + shellQuote("{ "+note+"; } 2>/dev/null || :") + " EXIT; " + eval)
	}
	return append(append(args, script.String(), filepath.Base(args[len(args)-2])), lines...), nil
}

// shell returns the program that runs lines and the arguments before a line.
func (r *runner) shell() ([]string, error) {
	args := slices.Clone(r.options.Shell)
	if !r.options.findShell {
		return args, nil
	}
	var err error
	args[0], err = newFinder().shell(args[0])
	return args, err
}

// noteMoves defines cd and its like as functions that write a note after each change of the
// directory, unless they run in a subshell: a line whose own trap ends the shell does not
// come to the end of the script. Shells without subshell counters are left as they are.
func (r *runner) noteMoves(note string) string {
	var counter string
	switch strings.TrimSuffix(filepath.Base(r.options.Shell[0]), ".exe") {
	case "bash":
		counter = "BASH_SUBSHELL"
	case "zsh":
		counter = "ZSH_SUBSHELL"
	default:
		return ""
	}
	var b strings.Builder
	for _, name := range []string{"cd", "pushd", "popd"} {
		fmt.Fprintf(&b, `%s() { \builtin %s "$@"; \builtin set -- "$?"; case $%s in 0) { %s; } 2>/dev/null; esac; \builtin return "$1"; }; `, name, name, counter, note)
	}
	return b.String()
}

// takesScript reports whether the shell accepts a script with arguments.
func (r *runner) takesScript() bool {
	argv := r.options.Shell
	return r.inspector.shell != lines.PowerShell && len(argv) > 1 && strings.HasPrefix(argv[len(argv)-1], "-") && strings.HasSuffix(argv[len(argv)-1], "c")
}

// shellQuote returns a name as one word of a shell.
func shellQuote(name string) string { return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'" }

// asOperand returns a line that the shell cannot mistake for an option.
func asOperand(line string) string {
	if strings.HasPrefix(line, "-") || strings.HasPrefix(line, "+") {
		return " " + line
	}
	return line
}

// misleadingVars are the variables that make bash read a file before the line, or
// interpret the line in another way than the parser.
var misleadingVars = map[string]bool{"BASH_ENV": true, "ENV": true, "SHELLOPTS": true, "BASHOPTS": true, "POSIXLY_CORRECT": true}

// inherited returns the environment that a host has set, or that of this process without
// the withheld variables, with the settings that keep programs from waiting for a person.
// What the host has set itself, vars among it, stays as it is.
func inherited(set, withheld []string, vars map[string]string) variables {
	env := variables{pairs: slices.Clone(set), fold: runtime.GOOS == "windows"}
	if set != nil {
		env.setMissing(proc.QuietSettings())
	} else {
		env.pairs = os.Environ()
		env.remove(func(name string) bool { return isWithheld(withheld, name) })
		env.setAll(proc.QuietSettings())
	}
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		env.set(name, vars[name])
	}
	return env
}

// yieldsToConfig reports whether a variable would override the editor that a line sets for
// git with -c.
func yieldsToConfig(name, line string) bool {
	line = strings.ToLower(line)
	return name == "GIT_EDITOR" && strings.Contains(line, "core.editor") ||
		name == "GIT_SEQUENCE_EDITOR" && strings.Contains(line, "sequence.editor")
}
