package security_test

import (
	"encoding/hex"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

// calls are the system calls that show what a line starts and what it changes.
// Not every machine has each of them.
const calls = "execve,execveat,?clone,?clone3,?fork,?vfork,?open,openat,?openat2,?creat,truncate,?rename,?renameat,renameat2," +
	"?unlink,unlinkat,?rmdir,?mkdir,mkdirat,?link,linkat,?symlink,symlinkat,?mknod,mknodat,?chmod,fchmod,fchmodat,?chown,fchown,?lchown,fchownat," +
	"?utime,?utimes,?futimesat,utimensat,setxattr,lsetxattr,fsetxattr,removexattr,lremovexattr,fremovexattr,mount,?umount2,connect,kill," +
	"sethostname,setdomainname,settimeofday,clock_settime,reboot"

// A judge finds in the log of a line what the parser did not say, and what a line
// that only reads does not do.
type judge struct {
	root    string
	scratch string // where programs keep what they need for a moment
	line    string
	said    shellparse.Line
	calls   map[string][]string // by process
	started []string            // programs, by the last part of their names
	opened  []string            // files, as the kernel names them
	unseen  bool                // what starts and opens now is up to a file of the tree
	planted bool                // there was such a program
	wrong   []string
}

var (
	callPattern  = regexp.MustCompile(`^(\w+)\((.*)\) += (-?\d+|\?)`)
	textPattern  = regexp.MustCompile(`"((?:\\x[0-9a-f]{2})*)"`)
	openPattern  = regexp.MustCompile(`^[^,]*, "((?:\\x[0-9a-f]{2})*)", (?:\{flags=)?([A-Z_|]+)`)
	namePattern  = regexp.MustCompile(`<((?:\\x[0-9a-f]{2})+)>$`)
	hexPattern   = regexp.MustCompile(`(\\x[0-9a-f]{2})+`)
	writePattern = regexp.MustCompile(`O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND|O_TMPFILE`)
	spawnPattern = regexp.MustCompile(`^(clone|clone3|fork|vfork)$`)
)

// plainText is a text of the log, which has all bytes in hexadecimal.
func plainText(text string) string {
	decoded, err := hex.DecodeString(strings.ReplaceAll(text, `\x`, ""))
	if err != nil {
		return text
	}
	return string(decoded)
}

// log reads a log, empties its folder and judges what it says.
func (j *judge) log(t *testing.T, folder string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "of.*"))
	require.NoError(t, err)
	j.calls = map[string][]string{}
	children := map[string]bool{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.NoError(t, os.Remove(name))
		lines := strings.Split(string(text), "\n")
		j.calls[strings.TrimPrefix(filepath.Ext(name), ".")] = lines
		for _, line := range lines {
			if m := callPattern.FindStringSubmatch(line); m != nil && spawnPattern.MatchString(m[1]) {
				children[m[3]] = true
			}
		}
	}
	for process := range j.calls {
		if !children[process] {
			j.unseen = false
			j.process(process, "")
		}
	}
	slices.Sort(j.wrong)
	j.wrong = slices.Compact(j.wrong)
}

// process judges what a process does that starts as a copy of a program.
func (j *judge) process(id, program string) {
	defer func(before bool) { j.unseen = before }(j.unseen)
	for _, line := range j.calls[id] {
		m := callPattern.FindStringSubmatch(line)
		if m == nil {
			continue // it was ended in this call
		}
		name, args, result := m[1], m[2], m[3]
		switch {
		case spawnPattern.MatchString(name):
			j.process(result, program)
		case name == "execve" || name == "execveat":
			if result == "0" {
				program = j.start(program, args)
			}
		case strings.HasPrefix(name, "open"):
			j.open(program, line, args)
		case name == "connect":
			if !strings.Contains(args, "AF_UNIX") { // which asks for names of users
				j.blame("%s connects: %s", program, plainArgs(args))
			}
		case name == "kill":
			if program != "timeout" && program != "ps" && !strings.HasSuffix(args, ", 0") { // ps ends itself by a signal that it did not expect
				j.blame("%s sends a signal: %s", program, args)
			}
		default:
			if text := plainArgs(args); !j.passing(program, text) {
				j.blame("%s calls %s: %s", program, name, text)
			}
		}
	}
}

// passing reports whether what a program writes has no effect on anything else.
// Git locks the index when it compares files with it, whatever it is told. Some
// programs keep counts, settings or results for themselves.
func (j *judge) passing(program, what string) bool {
	for _, own := range private[program] {
		if strings.Contains(what, own) {
			return true
		}
	}
	return strings.Contains(what, j.scratch+"/")
}

// private is where programs keep what concerns nobody else.
var private = map[string][]string{
	"git":   {"/.git/index.lock"},
	"go":    {"/home/.config/go/telemetry", "/home/.cache/go-build", `/home/.config"`, `/home/.config/go"`, `/home/.cache"`},
	"gofmt": {"/home/.config/go/telemetry", `/home/.config"`, `/home/.config/go"`},
	"man":   {"/var/cache/man/"},
	"pidof": {"/dev/console"}, // where it complains
	"top":   {`/home/.config"`, "/home/.config/procps"},
}

func (j *judge) blame(format string, args ...any) {
	j.wrong = append(j.wrong, fmt.Sprintf(format, args...))
}

// plainArgs are the arguments of a call for a person.
func plainArgs(args string) string {
	return hexPattern.ReplaceAllStringFunc(args, plainText)
}

// helpers are programs that others start, which are scripts or do a part of their
// work in a program of their own.
var helpers = map[string][]string{
	"egrep":    {"grep"},
	"fgrep":    {"grep"},
	"zcat":     {"gzip"},
	"man":      {"preconv", "tbl", "eqn", "nroff", "col", "zsoelim", "manconv", "locale", "pager", "less", "cat", "gzip", "apropos", "whatis"},
	"nroff":    {"locale", "groff"},
	"groff":    {"preconv", "tbl", "eqn", "troff", "grotty"},
	"npm":      {"node"},
	"npx":      {"node"},
	"tsc":      {"node"},
	"pip":      {"python3"},
	"pip3":     {"python3"},
	"go":       {"go", "gcc", "cc"}, // which tell their flags, by a trial
	"gcc":      {"cc1", "as", "collect2", "ld"},
	"cc":       {"cc1", "as", "collect2", "ld"},
	"collect2": {"ld"},
}

// start judges that a program gives way to another, and returns its name.
func (j *judge) start(program, args string) string {
	var words []string
	for _, m := range textPattern.FindAllStringSubmatch(args, -1) {
		words = append(words, plainText(m[1]))
	}
	file, argv := words[0], words[1:]
	name := path.Base(file)
	if !j.unseen {
		j.started = append(j.started, name)
	}
	j.unseen = j.unseen || strings.HasPrefix(file, j.root+"/") || !strings.HasPrefix(file, "/") || name == "git" && hostileRepositories.MatchString(j.line)
	j.planted = j.planted || j.unseen
	switch {
	case program == "": // the shell itself
		return name
	case strings.HasPrefix(file, j.root+"/") || !strings.HasPrefix(file, "/"):
		j.blame("a program of the tree ran: %s", file)
	case slices.Contains(helpers[program], name):
	case program == "git" && (name == "git" || strings.HasPrefix(name, "git-")):
	case !j.names()[name]:
		j.blame("%s ran, of which the parser says nothing", name)
	case program == "xargs": // which adds words that nobody knows
	case literal(j.line) && !strings.Contains(args, `"...`) && !j.texts()[strings.Join(argv, " ")]:
		j.blame("%q ran, which the parser reads otherwise", argv)
	}
	return name
}

// literal reports whether a line holds nothing that the shell replaces.
func literal(line string) bool {
	return !strings.ContainsAny(line, "$`*?[{~\\") && !strings.Contains(line, "<(") && !strings.Contains(line, ">(")
}

// names are the names of all programs of which the parser says that they run.
func (j *judge) names() map[string]bool {
	names := map[string]bool{}
	for text := range j.texts() {
		if words := strings.Fields(text); len(words) > 0 {
			names[path.Base(words[0])] = true
		}
	}
	return names
}

// texts are all texts that the parser has for the commands of the line.
func (j *judge) texts() map[string]bool {
	texts := map[string]bool{}
	for _, c := range j.said.Commands {
		for _, text := range append(c.Nested, c.Text) {
			texts[text] = true
		}
	}
	return texts
}

// open judges that a file is opened.
func (j *judge) open(program, line, args string) {
	m := openPattern.FindStringSubmatch(args)
	if m == nil {
		j.blame("%s opens something that the test cannot read: %s", program, args)
		return
	}
	name, flags := plainText(m[1]), m[2]
	file := name
	if m := namePattern.FindStringSubmatch(line); m != nil {
		file = plainText(m[1]) // what it really is
		if !j.unseen {
			j.opened = append(j.opened, file)
		}
		if strings.HasPrefix(file, j.root+"/proj/") && slices.Contains(planted().Exec, filepath.Base(file)) {
			j.unseen, j.planted = true, true // a shell may read a script
		}
	}
	// A pipe has no slash. The shell opens its terminal before it does anything, and
	// programs put a device in the place of a stream that is closed.
	sink := j.passing(program, name) || slices.Contains([]string{"/dev/null", "/dev/full", "/dev/tty"}, file) || !strings.HasPrefix(file, "/") && file != name
	if writePattern.MatchString(flags) && !sink {
		j.blame("%s opens to write: %s %s", program, name, flags)
	}
	if program == "bash" && strings.HasPrefix(file, "/") && namePattern.MatchString(line) && strings.Contains(flags, "O_DIRECTORY") && !strings.Contains(flags, "O_PATH") && !strings.HasPrefix(file+"/", filepath.Join(j.root, "proj")+"/") {
		j.blame("%s expands a pattern outside the working directory: %s", program, file)
	}
	for _, secret := range []string{"out", "home/.ssh", "home/.aws"} {
		if strings.HasPrefix(file+"/", filepath.Join(j.root, secret)+"/") {
			j.blame("%s reads outside the working directory: %s", program, file)
		}
	}
}
