package shellparse

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// A psReader collects what the commands of a PowerShell line do.
type psReader struct {
	env     Env
	line    Line
	scripts int
	desk    *desk
	windows bool // the working directory is on a drive
	lost    bool // the line may have changed the directory
}

// parsePowerShell is [Parse] for PowerShell. It understands plain lines only.
func parsePowerShell(line string, env Env, scripts int, desk *desk) Line {
	r := psReader{env: env, scripts: scripts, desk: desk, windows: drivePath.MatchString(env.Dir) || strings.HasPrefix(env.Dir, `\\`)}
	why := gate(line)
	var pipelines [][]psCommand
	if why == "" {
		var err error
		if pipelines, err = psLex(line); err != nil {
			why = err.Error()
		}
	}
	if why != "" {
		r.doubt(why)
		r.naive(line)
		return r.line
	}
	for _, p := range pipelines {
		for i, c := range p {
			if !r.command(c, p[i+1:], i > 0) {
				return r.line
			}
		}
	}
	return r.line
}

// doubt makes the line unknown. The first reason stays.
func (r *psReader) doubt(why string) {
	if r.line.Unknown == "" {
		r.line.Unknown = why
	}
}

// emit lists a command and reports whether there is room for more.
func (r *psReader) emit(c Command) bool {
	if r.desk.left <= 0 {
		r.doubt("the line holds too many commands")
		return false
	}
	r.desk.left--
	c.Edits = c.Edits && c.Class == Mutating
	c.tidy()
	r.line.Commands = append(r.line.Commands, c)
	return true
}

// command lists a command, given those that read its output and whether it reads
// that of another one.
func (r *psReader) command(pc psCommand, behind []psCommand, fed bool) bool {
	name := pc.words[0].value
	c := Command{Text: join(pc.words, source), Fed: fed}
	cmdlet, sure := r.cmdletOf(name)
	table, listed := cmdlets[cmdlet]
	switch {
	case sure && listed:
		r.use(&c, cmdlet, table.bind(pc.words[1:]), fed, behind)
	case sure:
		c.worsen(Unknown, "nobody here knows what "+cmdlet+" does")
	default:
		r.native(&c, pc.words)
	}
	if sure || cmdlet != "" && !r.windows && c.Class == ReadOnly {
		c.Text = strings.TrimSuffix(cmdlet+" "+join(pc.words[1:], source), " ")
	}
	r.look(&c, pc.words, 0)
	for _, target := range pc.targets {
		r.networked(&c, target)
		if name, _, ok := r.resolve(target.value, true); ok {
			r.line.Paths = append(r.line.Paths, Path{Name: name, Write: true})
		}
	}
	if c.Class == Unknown {
		r.maybe(&c, pc.words)
	}
	if psMoves[cmdlet] || cmdlet == "" && (strings.ContainsAny(name, `:/\-`) || strings.HasSuffix(name, "..")) {
		r.lost = true // scripts and functions change the directory for all, and so do C: and cd..
	}
	return r.emit(c)
}

// use adds what a cmdlet does to a command.
func (r *psReader) use(c *Command, name string, b psBound, fed bool, behind []psCommand) {
	table := cmdlets[name]
	if table.does != "" {
		c.worsen(Mutating, name+" "+table.does)
		c.Edits = !b.quoted && r.ordinary(name, b)
	}
	if b.why != "" {
		c.worsen(Unknown, b.why)
	}
	tree := b.why != "" || b.has("recurse") || b.has("depth") || // a word nobody knows may be short for -Recurse
		name == "Get-ChildItem" && r.opened(behind)
	switch {
	case len(b.files) > 0 || !table.files():
	case fed && name != "Select-String":
		r.doubt(name + " gets its files through a pipe")
	case name == "Get-ChildItem":
		b.files = []psFile{{arg: word(".")}}
	case name != "Set-Location" && !fed:
		c.worsen(Unknown, name+" asks for a file")
	}
	for _, f := range b.files {
		r.file(c, f, Path{Write: table.does != "", Tree: tree})
	}
}

// opened reports whether one of the commands behind a pipe reads the files that
// come through it.
func (r *psReader) opened(behind []psCommand) bool {
	for _, pc := range behind {
		if name, _ := r.cmdletOf(pc.words[0].value); name == "Select-String" {
			return true
		}
	}
	return false
}

// file adds a file of a cmdlet. A wildcard stands for all that is below the
// directory before it: unlike that of other shells it matches names that start
// with a dot, in any letter case.
func (r *psReader) file(c *Command, f psFile, like Path) {
	switch {
	case f.many:
		r.doubt("a list of files is not understood")
		return
	case !isString(f.source) && psNumber.MatchString(f.value):
		r.doubt(f.source + " may be a number")
		return
	}
	r.path(c, f.value, f.literal, like)
}

// path adds a file that is known by its name.
func (r *psReader) path(c *Command, file string, literal bool, like Path) {
	name, wild, ok := r.resolve(file, literal)
	if ok {
		like.Name, like.Tree = name, like.Tree || wild
		c.Paths = append(c.Paths, like)
	}
}

// native adds what a program does that is no cmdlet. PowerShell passes words on
// as they are, if they are plain enough.
func (r *psReader) native(c *Command, words []arg) {
	name := words[0].value
	c.Exact = r.beyondRoutine(words)
	if r.windows {
		name = asciiLower(name)
		if !has(psPrograms, name) {
			c.worsen(Unknown, "nobody here knows what "+name+" does")
			return
		}
	}
	if strings.ContainsAny(name, `/\`) {
		c.worsen(Unknown, "a program given by its path may be any program")
		return
	}
	for _, w := range words[1:] {
		if !r.passes(w) {
			c.worsen(Unknown, "programs may get "+w.source+" in another form")
		}
	}
	u := useOf(name, words[1:])
	c.worsen(u.class, u.why)
	c.Exact, c.Caution, c.Hosts = c.Exact || u.exact, u.caution, u.hosts
	if c.Caution == "" {
		c.Caution = critical(name, u.files, r.env.Dir, r.env.Home)
	}
	for _, f := range u.files {
		if f.known && f.value != "" && !isStream(f.value) {
			r.path(c, f.value, !f.glob, Path{Write: f.write, Tree: f.tree, Maybe: f.maybe})
		}
	}
	for _, run := range u.runs {
		r.look(c, run, 1)
	}
	switch {
	case u.git == nil:
	case r.lost || r.env.Dir == "":
		c.worsen(Unknown, "git in a directory that is not known")
	case u.git.Dir == "":
		c.Git = &Git{Dir: r.env.Dir}
	default:
		dir, _, _ := r.resolve(u.git.Dir, true)
		c.Git = &Git{Dir: dir}
	}
}

// beyondRoutine is [beyondRoutine] for words that programs may get in another form.
func (r *psReader) beyondRoutine(words []arg) bool {
	words = slices.Clone(words)
	for i, w := range words[1:] {
		words[i+1].many = !r.passes(w)
	}
	return beyondRoutine(words)
}

// passes reports whether a program gets a word as it stands, whichever version of
// PowerShell passes it and on whatever system.
func (r *psReader) passes(w arg) bool {
	split := isParameter(w) && w.value[1] != '-' && strings.ContainsAny(w.value, ".:")
	return w.value != "" && !w.many && !split && !strings.ContainsAny(w.value, `"`) && !strings.HasSuffix(w.value, `\`) &&
		!strings.HasPrefix(w.value, "~") && (r.windows || !strings.Contains(w.value, `\`))
}

var (
	// drivePath is an absolute path of Windows.
	drivePath = regexp.MustCompile(`^[A-Za-z]:[/\\]`)
	// psNumber is a bare word that PowerShell may read as a number.
	psNumber = regexp.MustCompile(`(?i)^[-+]?(0x[0-9a-f]+|0b[01]+|\d*\.?\d+(e[-+]?\d+)?)(u?[ysln]|d)?([kmgtp]b)?$`)
)

// resolve returns the absolute name of a file, or the directory before the first
// wildcard in it. It is not ok if nobody knows which file it is.
func (r *psReader) resolve(file string, literal bool) (name string, wild, ok bool) {
	name = slashed(file)
	if i := strings.IndexAny(name, "*?["); i >= 0 && !literal {
		name, wild = name[:strings.LastIndexByte(name[:i], '/')+1]+".", true
	}
	drive := drivePath.MatchString(name)
	rest := name
	if drive {
		rest = name[2:]
	}
	switch {
	case strings.TrimSpace(name) != name || name == "":
		r.doubt("the name of a file is not plain")
		return name, wild, false
	case strings.Contains(rest, ":") || drive && !r.windows:
		r.doubt(file + " may be on a drive of another kind")
		return name, wild, false
	case name == "~" || strings.HasPrefix(name, "~/"):
		if r.env.Home == "" {
			r.doubt("the home directory is not known")
			return name, wild, false
		}
		name = r.env.Home + name[1:]
	case !drive && name[0] != '/':
		if r.lost || r.env.Dir == "" {
			r.doubt("the directory is not known when the line names the file " + file)
			return name, wild, true
		}
		name = below(slashed(r.env.Dir), name)
	}
	if r.windows {
		name = strings.ReplaceAll(name, "/", `\`)
	}
	return name, wild, true
}

// ordinary reports whether a mode for edits may cover what a cmdlet does: whether
// it removes neither the working directory nor one that holds it.
func (r *psReader) ordinary(name string, b psBound) bool {
	for _, f := range b.files {
		if name == "Remove-Item" && r.env.Dir != "" && holds(r.folded(f.value), strings.ToLower(slashed(r.env.Dir))) {
			return false
		}
	}
	return true
}

// folded is the one spelling of a file that removals are judged by: absolute,
// clean, with slashes, in lower case.
func (r *psReader) folded(name string) string {
	name = strings.ToLower(slashed(name))
	name = strings.TrimPrefix(strings.TrimPrefix(name, "//?/"), "//./")
	for _, home := range []string{"~", "$home", "$env:userprofile"} {
		if r.env.Home != "" && (name == home || strings.HasPrefix(name, home+"/")) {
			name = strings.ToLower(slashed(r.env.Home)) + name[len(home):]
		}
	}
	for _, root := range []string{"$env:systemdrive", "$env:systemroot", "$env:windir"} {
		if strings.HasPrefix(name, root) {
			name = "c:/" + name[len(root):]
		}
	}
	switch {
	case len(name) > 1 && name[1] == ':':
		return name[:2] + path.Clean("/"+name[2:])
	case !strings.HasPrefix(name, "/") && (strings.HasPrefix(slashed(r.env.Dir), "/") || r.windows):
		return r.folded(r.env.Dir + "/" + name)
	}
	return path.Clean(name)
}

func slashed(name string) string { return strings.ReplaceAll(name, `\`, "/") }
