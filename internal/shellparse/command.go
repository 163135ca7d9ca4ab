package shellparse

import (
	"path"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/shelltable"
)

// Class says whether a command changes anything.
type Class int

// The classes, in order of increasing risk.
const (
	ReadOnly Class = iota // changes nothing and sends nothing
	Mutating              // changes something
	Unknown               // effect is not known
)

// A Command is one simple command of a line.
type Command struct {
	// Text is matched against allow rules. It holds the words as written, separated by
	// one blank, without redirections, wrappers and assignments that allow rules
	// ignore.
	Text string
	// Nested are additional texts that only deny and ask rules are matched against: the
	// words without quotes, the command under the base name of a program that is given
	// by its path, the command without any wrappers and assignments, and the commands
	// that it runs (under sudo, xargs, find -exec, sh -c).
	Nested []string

	// Starts are the commands that the command starts with names of files that it finds, if
	// it does nothing else but read. An allow rule with a wildcard for each of them covers the
	// command: their arguments are harmless whatever the files are called.
	Starts []string

	Class  Class
	Reason string // why Class is not ReadOnly
	// EditsOnly is set if the command only reads and writes its Paths.
	EditsOnly bool
	// NoWildcards is set if no allow rule with a wildcard may cover the command.
	NoWildcards bool
	// ReadsInput is set if the line, another command or a file of the line may supply
	// the command's standard input, so that Text does not tell everything the program
	// is given. Input from /dev/null does not count.
	ReadsInput bool
	// RunsUnseen is set if the command may run another that neither Text nor Nested
	// shows: one in a variable or an option whose value is not known, or one that a
	// program in another language puts together.
	RunsUnseen bool
	// ReadsUnseen is set if the command reads files whose names stand in another file or
	// come from its input, or is given names that a pattern stands for which is not known.
	ReadsUnseen bool
	// AskReason is the reason why a person must be asked whatever rules and modes
	// allow, such as the removal of the home directory. It is empty if no reason
	// exists.
	AskReason string
	// DenyReason is the reason why the command must not run in any mode, whatever
	// anyone allows. AskReason is then set, too. It is empty if no reason exists.
	DenyReason string

	Paths []Path
	Hosts []string // as written in the line
	// Mentioned are further hosts that the command may reach: those that its arguments and
	// variables mention. What a program does with them is not known.
	Mentioned []string
	// SplitNames are trees whose names are split at blanks, quotes and backslashes: the
	// command is ReadOnly only if no name has any, and none begins with a dash. If OnFound is
	// set, an allow rule with a wildcard covers it only then.
	SplitNames []Path
	// OnFound is set if the command gets names of files that are found when it runs, and may
	// do more than read them.
	OnFound bool
	// Git is set for a git command that is ReadOnly only if the repository's
	// configuration starts no program.
	Git *Git
}

// Git describes the use of git in a repository.
type Git struct {
	Dir string // directory in which git starts, absolute
}

// worsen raises the class of a command.
func (c *Command) worsen(class Class, reason string) {
	if class > c.Class {
		c.Class, c.Reason = class, reason
	}
}

// addReasons sets AskReason and DenyReason unless they are set already.
func (c *Command) addReasons(reason, banned string) {
	if c.AskReason == "" {
		c.AskReason = reason
	}
	if c.DenyReason == "" {
		c.DenyReason = banned
	}
}

// addLine adds the texts, paths and reasons of a line that the command runs. The paths
// become guesses.
func (c *Command) addLine(line Line) {
	paths := line.Paths
	for _, inner := range line.Commands {
		c.Nested = append(append(c.Nested, inner.Text), inner.Nested...)
		c.addReasons(inner.AskReason, inner.DenyReason)
		c.RunsUnseen = c.RunsUnseen || inner.RunsUnseen
		c.ReadsUnseen = c.ReadsUnseen || inner.ReadsUnseen
		paths = append(paths, inner.Paths...)
	}
	for _, p := range paths {
		if !p.Guess {
			p.Guess, p.MayWrite = true, p.Write
		}
		c.Paths = append(c.Paths, p)
	}
}

// markAddedArgs changes Text if xargs adds arguments to the command, so that an exact
// allow rule for the text does not match.
func (c *Command) markAddedArgs(s strippedCommand) {
	if s.addsArgs {
		c.Nested = append(c.Nested, c.Text)
		c.Text += shelltable.AddedArgsMark
	}
}

// removeDuplicates removes nested texts, hosts and guessed paths that are listed
// already.
func (c *Command) removeDuplicates() {
	kept := c.Nested[:0]
	for _, text := range c.Nested {
		if text != "" && text != c.Text && !slices.Contains(kept, text) {
			kept = append(kept, text)
		}
	}
	c.Nested = kept
	var hosts []string
	for _, host := range c.Hosts {
		if !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	c.Hosts = hosts
	if len(c.Paths) < 2 || !slices.ContainsFunc(c.Paths, func(p Path) bool { return p.Guess }) {
		return
	}
	seen := map[Path]bool{}
	c.Paths = slices.DeleteFunc(c.Paths, func(p Path) bool {
		sure := p
		sure.Guess, sure.MayWrite = false, false
		again := p.Guess && (seen[p] || seen[sure])
		seen[p] = true
		return again
	})
}

// addSpellings adds the texts under which deny rules look for a command. low is the
// name of its program as programName returns it.
func (c *Command) addSpellings(args []arg, program string) {
	name := args[0].value
	plain := !slices.ContainsFunc(args, func(a arg) bool { return a.value != a.source })
	global := program == "git" && len(args) > 1 && strings.HasPrefix(args[1].value, "-")
	sub, dashed := strings.CutPrefix(program, "git-")
	if plain && name == program && !global && !dashed {
		return
	}
	values := joinValues(args)
	c.Nested = append(c.Nested, values)
	if slices.ContainsFunc(args, func(a arg) bool { return a.fromBraces }) {
		c.Nested = append(c.Nested, joinArgs(args, unquotedText))
	}
	if name == "" {
		return
	}
	rest := strings.TrimPrefix(values, name)
	if name != program {
		c.Nested = append(c.Nested, path.Base(name)+rest, program+rest)
	}
	if dashed {
		c.Nested = append(c.Nested, "git "+sub+rest)
	}
	if more := joinArgs(args[1:], sourceText); more != "" {
		c.Nested = append(c.Nested, program+" "+more)
	}
	if global {
		c.Nested = append(c.Nested, "git "+joinValues(gitCommand(args[1:])))
	}
}

// addSuffixes adds the texts that begin at a later word of the command.
func (c *Command) addSuffixes(args []arg) {
	for i := 1; i < min(len(args), maxCommandWords); i++ {
		a := args[i]
		if !a.isLiteral() || a.value == "" || strings.HasPrefix(a.value, "-") {
			continue
		}
		c.Nested = append(c.Nested, joinSources(c.Text, args[i:]))
		c.addSpellings(args[i:], programName(a.value))
	}
}

// programName returns the name of a program as deny rules spell it: without directory,
// in lower case, without .exe.
func programName(name string) string {
	return strings.TrimSuffix(strings.ToLower(path.Base(name)), ".exe")
}

// cutDelimited cuts text at the first delimiter that no backslash precedes. It reports
// false if the line ends before a delimiter.
func cutDelimited(text string, delimiter byte) (body, rest string, ok bool) {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '\n':
			return "", "", false
		case delimiter:
			return text[:i], text[i+1:], true
		}
	}
	return "", "", false
}

// bracketsClosed reports whether every bracket expression of a regular expression is
// closed, whether or not a program treats a backslash in it as an escape. A delimiter
// inside an open one would end the expression only for some programs.
func bracketsClosed(expression string) bool {
	return bracketsClosedAs(expression, true) && bracketsClosedAs(expression, false)
}

func bracketsClosedAs(expression string, escapes bool) bool {
	for i := 0; i < len(expression); i++ {
		switch expression[i] {
		case '\\':
			i++
		case '[':
			n := bracketLen(expression[i:], escapes)
			if n == 0 {
				return false
			}
			i += n - 1
		}
	}
	return true
}

// bracketLen returns the length of the bracket expression at the start of text, or 0 if
// it does not end.
func bracketLen(text string, escapes bool) int {
	i := 1
	if strings.HasPrefix(text[i:], "^") {
		i++
	}
	if strings.HasPrefix(text[i:], "]") {
		i++
	}
	for i < len(text) {
		switch {
		case text[i] == ']':
			return i + 1
		case text[i] == '\\' && escapes:
			i += 2
		case text[i] == '[' && i+1 < len(text) && strings.IndexByte(":.=", text[i+1]) >= 0:
			n := strings.Index(text[i+2:], text[i+1:i+2]+"]")
			if n < 0 {
				return 0
			}
			i += n + 4
		default:
			i++
		}
	}
	return 0
}

// namedHostPrograms are programs whose arguments name hosts without a scheme: as a name with a
// dot, or as the value of an option. The others, whose hosts are known in every form, are
// networkSpecs.
var namedHostPrograms = wordSet(`
	psql pg_dump pg_restore pg_dumpall pg_isready createdb dropdb pgbench mysql mysqldump mysqladmin mysqlimport mariadb mariadb-dump redis-cli valkey-cli mongosh mongo mongodump mongoexport
	cqlsh sqlcmd clickhouse-client influx etcdctl kcat kafkacat mosquitto_pub mosquitto_sub nats rabbitmqadmin
	pip pip3 pipx uv poetry pdm conda mamba npm pnpm yarn bun gem bundle composer
	kubectl helm oc vault consul nomad terraform ansible ansible-playbook
	openssl gnutls-cli sslscan testssl.sh nmap masscan iperf iperf3 grpcurl websocat wscat curlie xh ab wrk hey h2load siege
	ldapsearch snmpwalk snmpget showmount rpcinfo smbclient rpcclient mount mount.nfs sshfs ssh-keyscan ssh-copy-id autossh rclone
	mtr tracepath fping hping3 arping drill kdig delv dog ntpdate chronyd rdesktop xfreerdp vncviewer swaks msmtp sendmail finger rsh rlogin tftp
`)

// imagePrograms are programs whose operands name a host before a slash, as evil.example/x.
var imagePrograms = wordSet("docker podman nerdctl buildah skopeo crane oras go")

// hostOptions are options of namedHostPrograms whose value is a host.
var hostOptions = wordSet("-h -H --host --hostname --server -s --trusted-host -connect --connect -proxy --proxy --bootstrap-server -b --broker --address")

// addMentioned adds the hosts that a command may reach by what its arguments and variables
// say. A command that only reads files reaches none by its arguments.
func (c *Command) addMentioned(name string, args []arg, assigns []assignment) {
	for _, a := range assigns {
		c.mention(hostsIn(a.source)...)
		if a.value.known && namesServer(a.name) {
			c.mention(hostsOfList(a.value.value)...)
		}
	}
	if c.Class == ReadOnly || isGitMessage(args) {
		return
	}
	for _, a := range args {
		text := a.value
		if !a.known {
			text = a.source
		}
		c.mention(hostsIn(text)...)
		if variable, value, ok := strings.Cut(text, "="); ok && namesServer(variable) {
			c.mention(hostsOfList(value)...)
		}
	}
	name = name[strings.LastIndexByte(name, '/')+1:]
	switch {
	case namedHostPrograms[name]:
		c.mentionNamed(args)
	case imagePrograms[name]:
		for _, a := range args {
			if strings.Contains(a.value, "/") && !strings.HasPrefix(a.value, "-") {
				c.mention(hostOf(a.value))
			}
		}
	}
}

// isGitMessage reports whether a command is git with a subcommand whose arguments are texts for
// people, and which reaches no other machine.
func isGitMessage(args []arg) bool {
	return len(args) > 1 && args[0].value == "git" && slices.Contains([]string{"commit", "tag", "notes", "stash", "branch"}, args[1].value)
}

// mentionNamed adds the hosts of one of namedHostPrograms.
func (c *Command) mentionNamed(args []arg) {
	for i, a := range args {
		option, value, ok := strings.Cut(a.value, "=")
		switch {
		case hostOptions[a.value] && i+1 < len(args):
			c.mention(hostsOfList(args[i+1].value)...)
		case ok && hostOptions[option]:
			c.mention(hostsOfList(value)...)
		case len(a.value) > 2 && hostOptions[a.value[:2]] && a.value[1] != '-':
			c.mention(hostsOfList(a.value[2:])...)
		case i > 0 && !strings.HasPrefix(a.value, "-"):
			c.mention(hostOf(a.value))
		}
	}
}

func (c *Command) mention(hosts ...string) {
	for _, host := range hosts {
		if host != "" && !slices.Contains(c.Mentioned, host) && !slices.Contains(c.Hosts, host) {
			c.Mentioned = append(c.Mentioned, host)
		}
	}
}

// namesServer reports whether a variable of that name usually holds a host.
func namesServer(variable string) bool {
	variable = strings.ToUpper(variable)
	return slices.ContainsFunc([]string{"HOST", "PROXY", "SERVER", "REGISTRY", "ENDPOINT", "BROKER"}, func(part string) bool { return strings.Contains(variable, part) })
}

// hostsOfList returns the hosts of a list such as "a,b:5432", which need no dot.
func hostsOfList(list string) (hosts []string) {
	for _, text := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' }) {
		if rest, url := afterScheme(text); url {
			text = rest
		}
		text = text[strings.LastIndexByte(text, '@')+1:]
		if n := strings.IndexAny(text, "/:?#"); n > 0 {
			text = text[:n]
		}
		hosts = append(hosts, text)
	}
	return hosts
}

// hostsIn returns the hosts that a text mentions anywhere: of URLs, of host:port where the
// host has a dot, of user@host:path, and of the names that Bash opens as connections.
func hostsIn(text string) (hosts []string) {
	for _, device := range []string{"/dev/tcp/", "/dev/udp/"} {
		for rest := text; ; {
			_, after, ok := strings.Cut(rest, device)
			if !ok {
				break
			}
			host, _, _ := strings.Cut(after, "/")
			hosts, rest = append(hosts, host), after
		}
	}
	for at := 0; ; {
		colon := strings.IndexByte(text[at:], ':')
		if colon < 0 {
			return hosts
		}
		colon += at
		hosts = append(hosts, hostAround(text, colon))
		at = colon + 1
	}
}

// hostAround returns the host of a URL, host:port or user@host:path whose colon is at that
// place, or "".
func hostAround(text string, colon int) string {
	after := text[colon+1:]
	before := text[max(0, colon-maxHost):colon]
	before = before[strings.LastIndexAny(before, notInHost+"/#?")+1:]
	if rest, web := schemeAround(before, after); web {
		if n := strings.IndexAny(rest, notInHost+"/?#\\"); n >= 0 {
			rest = rest[:n]
		}
		rest = rest[strings.LastIndexByte(rest, '@')+1:]
		if address, _, ok := strings.Cut(strings.TrimPrefix(rest, "["), "]"); ok {
			return address
		}
		host, _, _ := strings.Cut(rest, ":")
		return host
	}
	if at := strings.LastIndexByte(before, '@'); at >= 0 {
		return before[at+1:]
	}
	port := after
	if n := strings.IndexFunc(port, func(r rune) bool { return r < '0' || r > '9' }); n >= 0 {
		port = port[:n]
	}
	if port == "" || !strings.Contains(before, ".") || strings.Contains(before, ":") {
		return ""
	}
	return before
}

// maxHost is more than the length of a host, or of a user and a host, in bytes.
const maxHost = 512

// schemeAround is [afterScheme] for a text around its colon. It must have slashes, unless the
// scheme is one of the web.
func schemeAround(before, after string) (rest string, ok bool) {
	if !strings.HasPrefix(after, "//") && !isWebScheme(before) {
		return "", false
	}
	return afterScheme(before[strings.LastIndexByte(before, '.')+1:] + ":" + after)
}

func isWebScheme(text string) bool {
	return slices.Contains([]string{"http", "https", "ftp", "ftps", "ws", "wss"}, strings.ToLower(text))
}

// addTransfer adds the files that cp, mv, ln and install write. It returns the operands
// that are the sources; tree is set if these may be directories.
func (e *effect) addTransfer(p parsedArgs, tree bool) (from []arg) {
	from = p.operands
	into := p.flagValues("-t", "--target-directory")
	directory := len(into) > 0
	switch {
	case len(into) > 1:
		e.worsen(Unknown, "more than one directory to write into")
	case len(into) == 0 && len(from) > 1:
		into, from = from[len(from)-1:], from[:len(from)-1]
	}
	if len(from) == 0 || len(into) == 0 {
		e.worsen(Unknown, "it is not known what is written")
	}
	directory = directory || len(from) > 1
	parents, itself := p.hasFlag("--parents"), p.hasFlag("-T", "--no-target-directory")
	for _, to := range into {
		directory = directory || strings.HasSuffix(to.value, "/") || to.is(".", "..")
		f := file{arg: to, write: true, tree: parents || tree && (!directory || itself)}
		if len(from) == 1 && !parents {
			f.origin = originOf(from[0])
		}
		e.files = append(e.files, f)
		if to.known && !to.glob && !itself {
			e.addInto(to, from, tree, parents)
		}
	}
	return from
}

// addCopied adds sources whose names are used again in the destination.
func (e *effect) addCopied(from []arg, tree bool) {
	for _, a := range from {
		e.files = append(e.files, file{arg: a, tree: tree, copiesNames: true})
	}
}

// addInto adds the files that are written if dir is a directory. If it is not, these
// paths do not exist and do no harm. parents is set if the sources keep the names of
// their directories.
func (e *effect) addInto(dir arg, from []arg, tree, parents bool) {
	for _, a := range from {
		if !a.known {
			continue // an unknown source makes the line unknown in any case
		}
		name, to, origin := path.Base(strings.TrimRight(a.value, "/")), dir.value, originOf(a)
		if parents {
			name = strings.TrimLeft(a.value, "/")
		}
		if a.glob {
			to = escapeGlob(to)
		}
		to = strings.TrimSuffix(to, "/") + "/" + name
		e.files = append(e.files, file{arg: arg{value: to, known: true, glob: a.glob, source: dir.source}, write: true, tree: tree, origin: origin})
	}
}

// originOf returns the name of a file that is copied or moved, or "" if the line does not
// spell it.
func originOf(a arg) string {
	if !a.known || a.glob {
		return ""
	}
	return a.value
}

func mvEffect(p parsedArgs, e *effect) {
	for _, a := range e.addTransfer(p, true) {
		e.files = append(e.files, file{arg: a, write: true, tree: true, inPlace: true})
	}
}

func cpEffect(p parsedArgs, e *effect) {
	tree := p.hasFlag("-r", "-R", "-a", "--recursive", "--archive")
	if tree && p.hasFlag("-L", "--dereference") {
		e.worsen(Unknown, "cp follows the links in a directory")
	}
	from := e.addTransfer(p, tree)
	for i := range e.files {
		e.files[i].followsLinks = e.files[i].tree
	}
	e.addCopied(from, tree)
}

func lnEffect(p parsedArgs, e *effect) {
	if len(p.operands) == 1 && !p.hasFlag("-t", "--target-directory") {
		p.operands = append(p.operands[:1:1], literalArg("."))
	}
	e.addCopied(e.addTransfer(p, false), false)
}

func installEffect(p parsedArgs, e *effect) {
	if p.hasFlag("-d", "--directory") {
		e.addWrite(p.operands...)
		return
	}
	e.addCopied(e.addTransfer(p, false), false)
}

// ddEffect parses the operands of dd, each a name and a value.
func ddEffect(args []arg) effect {
	var e effect
	for _, a := range args {
		name, value, ok := strings.Cut(a.value, "=")
		a.value = value
		switch {
		case !ok || !a.isLiteral():
			e.worsen(Unknown, a.source+" is no operand that dd is known to have")
		case name == "if":
			e.addRead(a)
		case name == "of":
			e.worsen(Mutating, "dd writes a file")
			e.addWrite(a)
		case !has("bs cbs conv count ibs iflag iseek obs oflag oseek seek skip status", name):
			e.worsen(Unknown, "dd "+name+" is not known")
		}
	}
	return e
}

// psSpec lists the flags of ps in Unix form.
var psSpec = commandSpec{
	source:         "ps(1) of procps-ng 4.0, simple process selection, by list, output format control",
	hasUnsafeFlags: true, // the letter e without a dash shows the environment of processes
	flags: "-A -a -d -e -f -F -j -l -L -M -N -T -H -w -y -c -Z -p= -u= -U= -g= -G= -C= -o= -O= -t= -s= -q=" +
		" --pid= --ppid= --user= --User= --group= --Group= --tty= --sort= --format= --forest --headers --no-headers" +
		" --no-heading --cols= --columns= --width= --lines= --rows= --context --deselect" + gnuFlags,
}

// psLetters are the letters of ps in BSD form that take no value, except the one that
// shows the environment.
const psLetters = "afhjlmruvwxLSTcnN"

// psEffect parses the arguments of ps, which accepts flags in Unix form and letters in
// BSD form.
func psEffect(args []arg) effect {
	if len(args) > 0 && args[0].isLiteral() && !strings.HasPrefix(args[0].value, "-") {
		return psBSDEffect(args)
	}
	// ps reads "-aux" as "aux" if there is no user named x.
	if len(args) > 0 && args[0].is("-aux", "-auxw", "-auxww") {
		return psBSDEffect(args)
	}
	p := psSpec.parseArgs(args)
	if len(p.operands) > 0 {
		p.refuse("ps may show the environment of processes")
	}
	for _, a := range args {
		if len(a.value) > 1 && a.value[0] == '-' && a.value[1] != '-' && strings.Contains(a.value, "e") && !psSelectsByNumber(p) {
			// ps parses its arguments again in the other form if it does not know a
			// name.
			p.refuse("ps may show the environment of processes")
		}
	}
	if p.reason == "" && !psColumnsAreSafe(p.flagValues("-o", "-O", "--format", "--sort")) {
		p.refuse("ps has columns that may show the environment of processes")
	}
	if p.reason != "" {
		return unknownEffect(p.reason)
	}
	return effect{}
}

// psSafeColumns are the columns of ps that show only facts about a process and its
// command line.
var psSafeColumns = wordSet("%cpu %mem args blocked bsdstart bsdtime c cgroup class cls cmd comm command cp cputime cputimes" +
	" drs egid egroup elapsed etime etimes euid euser f fgid fgroup flags fname fuid fuser gid group ignored lstart lwp" +
	" maj_flt majflt min_flt minflt ni nice nlwp pcpu pending pgid pgrp pid pmem ppid pri priority psr rgid rgroup rss" +
	" rssize rsz ruid ruser s sess session sgid sgroup sid size spid stat start start_time started state stime suid" +
	" suser sz tgid thcount tid time times tname tpgid trs tt tty ucmd ucomm uid uname user vsize vsz wchan")

// psColumnsAreSafe reports whether all columns in lists are in psSafeColumns.
func psColumnsAreSafe(lists []arg) bool {
	for _, list := range lists {
		if !list.isLiteral() {
			return false
		}
		for name := range strings.FieldsFuncSeq(list.value, func(r rune) bool { return r == ',' || r == ' ' }) {
			name, _, _ = strings.Cut(name, "=")
			name, _, _ = strings.Cut(strings.TrimLeft(name, "+-"), ":")
			if name != "" && !psSafeColumns[strings.ToLower(name)] {
				return false
			}
		}
	}
	return true
}

// psSelectsByNumber reports whether every flag that selects processes has numbers as
// its value.
func psSelectsByNumber(p parsedArgs) bool {
	for _, v := range p.flagValues("-p", "-q", "-u", "-U", "-g", "-G", "-t", "-s",
		"--pid", "--ppid", "--user", "--User", "--group", "--Group", "--tty") {
		if strings.Trim(v.value, "0123456789,") != "" {
			return false
		}
	}
	return true
}

// psBSDEffect parses letters, optionally followed by a list of columns, and long flags
// after them.
func psBSDEffect(args []arg) effect {
	letters, listed := strings.CutSuffix(strings.TrimPrefix(args[0].value, "-"), "o")
	args = args[1:]
	if listed && len(args) > 0 && psColumnsAreSafe(args[:1]) {
		args = args[1:]
	}
	if strings.Trim(letters, psLetters) != "" {
		return unknownEffect("ps may show the environment of processes")
	}
	for _, a := range args {
		if !a.isLiteral() || !strings.HasPrefix(a.value, "--") {
			return unknownEffect("ps may show the environment of processes")
		}
	}
	p := psSpec.parseArgs(args)
	if p.reason == "" && !psColumnsAreSafe(p.flagValues("--format", "--sort")) {
		p.refuse("ps has columns that may show the environment of processes")
	}
	if p.reason != "" {
		return unknownEffect(p.reason)
	}
	return effect{}
}
