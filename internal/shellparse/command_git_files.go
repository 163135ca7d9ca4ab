package shellparse

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

// gitPatchFlags are flags with which a list of commits shows the content of files.
var gitPatchFlags = []string{"-p", "-u", "--patch", "-U", "--unified", "-W", "--function-context", "-c", "--cc", "-m", "--word-diff",
	"--color-words", "--patch-with-stat", "--patch-with-raw", "--binary", "--full-diff"}

// gitReadFiles returns the files that the words of a read-only subcommand name. Those
// in the repository are guesses, which only deny and ask rules see. Files in the
// history are not listed when all of it is shown: otherwise a rule for one file would
// apply to every log.
func gitReadFiles(w gitWords, form gitForm, dir string) []file {
	var files []file
	if dir != "" {
		files = append(files, file{arg: arg{value: dir, known: true, source: dir}, tree: true})
	}
	for _, a := range w.readFiles {
		files = append(files, file{arg: gitInDir(a, dir)})
	}
	for _, a := range w.shownFiles {
		files = append(files, file{arg: gitInDir(a, dir), guess: true})
	}
	operands := w.operands
	if form.firstIsName && len(operands) > 0 && !w.has("-e", "-f") {
		operands = operands[1:]
	}
	shows := form.showsContent || form.showsPatches && w.has(gitPatchFlags...)
	all, more := form.defaultsToDir, w.has(form.otherFiles...)
	for i, a := range slices.Concat(operands, w.paths) {
		name := pathspecPath(a.value)
		more = more || matchesAnyCase(a.value)
		tree := shows && (form.defaultsToDir || path.Clean(name) != ".")
		if form.operandsAreFiles || mayLeaveDir(a.value) {
			files = append(files, file{arg: gitInDir(a, dir), tree: tree})
		}
		all = all && (name == "" || strings.HasPrefix(a.value, ":") || i < len(operands) && looksLikeRevision(a.value))
		if name == "" || name == a.value && (form.operandsAreFiles || mayLeaveDir(a.value)) {
			continue
		}
		a.value = name
		a.glob = a.glob || strings.ContainsAny(name, "*?[")
		if a.glob && form.defaultsToDir {
			a, tree = a.globDir(), true
		}
		files = append(files, file{arg: gitInDir(a, dir), guess: true, tree: tree})
	}
	if all || more {
		files = append(files, gitAllFiles(dir))
	}
	return files
}

// matchesAnyCase reports whether a pathspec matches files by more than their names as
// they are written. Source: gitglossary(7), pathspec.
func matchesAnyCase(pathspec string) bool {
	magic, _, found := strings.Cut(pathspec, ")")
	return found && strings.HasPrefix(magic, ":(") && (strings.Contains(magic, "icase") || strings.Contains(magic, "attr:"))
}

// gitUnknownFiles returns the files that a subcommand with unknown words may show.
func gitUnknownFiles(name, dir string) []file {
	if !has("archive checkout-index difftool fast-export grep", name) {
		return nil
	}
	return []file{gitAllFiles(dir)}
}

// gitInputFiles returns the files that a subcommand reads into the repository, which
// shows them from then on: those that its words name, and all if its input names them.
func gitInputFiles(name string, args []arg, dir string) []file {
	var files []file
	if has("add stage commit update-index hash-object am", name) {
		for _, a := range gitOperands(args, gitValuedFlags[name]) {
			if !mayBeTree(a.value) && !strings.HasPrefix(a.value, "-") {
				files = append(files, gitOperandFiles([]arg{a}, dir, file{guess: true})...)
			}
		}
	}
	for i, a := range args {
		flag, value, attached := strings.Cut(a.value, "=")
		v := a.withValue(value)
		switch {
		case !a.isLiteral() || !strings.HasPrefix(flag, "-"):
			continue
		case has("--pathspec-from-file --stdin-paths --index-info --stdin", longGitFlag("--pathspec-from-file --stdin-paths --index-info --stdin", flag)):
			files = append(files, gitAllFiles(dir))
		case has("add stage", name) && (strings.HasPrefix(flag, "--f") || !strings.HasPrefix(flag, "--") && strings.Contains(flag, "f")):
			files = append(files, gitOperandFiles(args, dir, file{guess: true, tree: true})...)
			continue
		}
		if strings.HasPrefix(a.value, "-F") && len(a.value) > 2 {
			flag, v, attached = "-F", a.withValue(a.value[2:]), true
		}
		if !attached && i+1 < len(args) {
			v = args[i+1]
		}
		if has("-F -t --file --template --pathspec-from-file", longGitFlag("--file --template --pathspec-from-file", flag)) && v.isLiteral() {
			files = append(files, file{arg: gitInDir(v, dir), guess: true})
		}
	}
	return files
}

// gitAllFiles returns the tree in which git starts.
func gitAllFiles(dir string) file {
	return file{arg: gitInDir(literalArg("."), dir), guess: true, tree: true}
}

// globDir returns the directory that holds all files matching a pattern of git, whose
// wildcards also match slashes.
func (a arg) globDir() arg {
	name := a.value[:max(strings.IndexAny(a.value, `*?[\`), 0)]
	a.value, a.glob = name[:strings.LastIndexByte(name, '/')+1]+".", false
	return a
}

// looksLikeRevision reports whether an operand is more likely a commit than a file.
func looksLikeRevision(name string) bool {
	isHash := len(name) >= 7 && strings.Trim(name, "0123456789abcdef") == ""
	return isHash || has("HEAD main master", name) || strings.ContainsAny(name, "~^@") || strings.HasPrefix(name, "origin/")
}

// gitComparedTrees returns the trees that git diff --no-index compares.
func gitComparedTrees(name string, args []arg, dir string) []file {
	if name != "diff" || !slices.ContainsFunc(args, func(a arg) bool { return strings.HasPrefix(a.value, "--no-i") }) {
		return nil
	}
	var files []file
	for _, a := range args {
		if a.known && a.value != "" && !strings.HasPrefix(a.value, "-") {
			files = append(files, file{arg: gitInDir(a, dir), tree: true})
		}
	}
	return files
}

// gitPlaces says how git accesses the places that variables of its environment name.
type gitPlaces struct {
	dir   string // that the -C options lead to, or empty
	write bool
	guess bool // it is not known that git runs
}

// gitPlacesOf returns the accesses of a command with the given effect.
func gitPlacesOf(args []arg, e effect) gitPlaces {
	if len(args) == 0 || !args[0].is("git") {
		return gitPlaces{write: true, guess: true}
	}
	return gitPlaces{dir: parseGitGlobals(args[1:]).dir, write: e.class != ReadOnly}
}

// addGitPlaces adds the repositories, working trees and files that variables make git use,
// as --git-dir and --work-tree do. Those whose value is not known make the line unknown, see
// addVariable. Source: git(1), ENVIRONMENT VARIABLES.
func (w *walker) addGitPlaces(c *Command, assigns []assignment, places gitPlaces) {
	for _, a := range assigns {
		if !strings.HasPrefix(a.name, "GIT_") || a.compound || !a.value.isLiteral() || a.value.value == "" {
			continue
		}
		f := file{arg: gitInDir(a.value, places.dir), write: places.write, guess: places.guess}
		switch {
		case has("GIT_DIR GIT_WORK_TREE GIT_COMMON_DIR GIT_OBJECT_DIRECTORY", a.name):
			f.tree = true
		case a.name == "GIT_INDEX_FILE":
		case strings.HasPrefix(a.name, "GIT_TRACE") && strings.HasPrefix(a.value.value, "/"):
			f.write = true
		default:
			continue
		}
		w.addFiles(c, []file{f})
	}
}

// gitRevision matches a revision that is no option, as it is written in a substitution.
var gitRevision = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_./@~^-]*$`)

// printsObjectName reports whether a substitution prints the name of one object of git or
// nothing, as $(git merge-base main HEAD) does.
func (w *walker) printsObjectName(c *syntax.CmdSubst) bool {
	if len(c.Stmts) != 1 || w.env.Shell != Bash || mayAssign(w.src, "IFS") {
		return false
	}
	call, ok := c.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || c.Stmts[0].Negated || !keepsOutput(c.Stmts[0]) {
		return false
	}
	var words []string
	for _, word := range call.Args {
		value, ok := w.verbatim(word)
		if !ok {
			return false
		}
		words = append(words, value)
	}
	if len(words) < 3 || words[0] != "git" {
		return false
	}
	last := words[len(words)-1]
	switch flags := words[2 : len(words)-1]; words[1] {
	case "merge-base":
		return len(flags) == 1 && gitRevision.MatchString(flags[0]) && gitRevision.MatchString(last)
	case "rev-parse": // without --verify it prints words that it does not know as they are
		return gitRevision.MatchString(last) && (last == "HEAD" || slices.Contains(flags, "--verify")) &&
			!slices.ContainsFunc(flags, func(f string) bool { return !has("--verify --short --quiet -q", f) })
	}
	return false
}

// objectName stands for the name of an object of git that is not known.
var objectName = strings.Repeat("0", 40)

// withObjectNames returns a word in which the names of objects of git are replaced, or an
// empty string if it has none or other parts that are not known.
func (m *markedWord) withObjectNames() string {
	var b strings.Builder
	names := 0
	for i, kind := range m.marks {
		switch {
		case kind == markUnknownText, kind == markUnknownWords:
			names++
			b.WriteString(objectName)
		case kind == markProcessSubst, kind == markPlain && strings.IndexByte("~{}", m.text[i]) >= 0:
			return ""
		default:
			b.WriteByte(m.text[i])
		}
	}
	if names == 0 || names != m.ids {
		return ""
	}
	return b.String()
}

// objectReaders are subcommands of git that take revisions and no other files than those
// of the repository.
const objectReaders = "describe diff diff-tree log ls-tree merge-base name-rev rev-list rev-parse shortlog show"

// gitOnObjectNames returns the effect of git, whose arguments may be names of objects that
// are not known. Without quotes such a name may be missing.
func (w *walker) gitOnObjectNames(args []arg) effect {
	found := slices.ContainsFunc(args, func(a arg) bool { return a.withID != "" })
	if !found || !has(objectReaders, args[0].value) || slices.ContainsFunc(args, func(a arg) bool { return strings.HasPrefix(a.value, "--no-i") }) {
		return effectOf("git", args)
	}
	var with, without []arg
	for _, a := range args {
		if a.withID == "" {
			with, without = append(with, a), append(without, a)
			continue
		}
		known := arg{value: a.withID, known: true, source: a.source}
		with = append(with, known)
		switch {
		case !a.anyNumber && a.withID == objectName:
			known.value = "" // git may have printed nothing
			without = append(without, known)
		case a.withID != objectName:
			known.value = strings.ReplaceAll(a.withID, objectName, "")
			without = append(without, known)
		}
	}
	e := effectOf("git", with)
	if other := effectOf("git", without); e.class != ReadOnly || other.class != ReadOnly {
		return effectOf("git", args)
	}
	return e
}

// gitSummaryFlags are flags with which a diff shows the names of files and numbers, unless
// one of gitPatchFlags asks for the content, too.
var gitSummaryFlags = []string{"-s", "--no-patch", "--stat", "--numstat", "--shortstat", "--summary", "--compact-summary", "--name-only", "--name-status",
	"--raw", "--quiet"}

// gitShownFiles returns the files of gitReadFiles. For a tree that git shows, it notes whether
// git shows only files that it tracks, and which files a pathspec excludes.
func gitShownFiles(w gitWords, form gitForm, dir string) []file {
	filter := w.takeExclusions()
	files := gitReadFiles(w, form, dir)
	searches := form.defaultsToDir
	summary := !searches && w.has(gitSummaryFlags...) && !w.has(gitPatchFlags...)
	outside := false // then git may compare files that it does not track
	for _, a := range w.operands {
		outside = outside || form.operandsAreFiles && mayLeaveDir(a.value)
	}
	tracked := !outside && !w.has("--untracked")
	for i := range files {
		f := &files[i]
		if f.tree && (f.guess || form.operandsAreFiles) && f.value != dir {
			f.namesOnly, f.tracked, f.noIndex, f.filter = summary, tracked, searches || form.operandsAreFiles, filter
		}
	}
	if shows := form.showsContent || form.showsPatches && w.has(gitPatchFlags...); shows && !summary && !searches && len(w.paths) == 0 && len(w.operands) == 0 {
		all := gitAllFiles(dir)
		all.tracked, all.filter = tracked, filter
		files = append(files, all)
	}
	return files
}

// excludesPaths reports whether a pathspec excludes matches of others.
func excludesPaths(pathspec string) bool {
	for _, start := range []string{":!", ":^", ":(exclude)", ":(exclude,glob)", ":(glob,exclude)", ":(exclude,top)", ":(top,exclude)"} {
		if strings.HasPrefix(pathspec, start) {
			return true
		}
	}
	return false
}

// takeExclusions removes the pathspecs that exclude something, and returns those that
// exclude a name at any depth as a filter.
func (w *gitWords) takeExclusions() *NameFilter {
	f := &NameFilter{every: true, LeaveOut: "-- ':(exclude,glob)**/NAME'"}
	var kept []arg
	for _, a := range w.paths {
		name, ok := strings.CutPrefix(a.value, ":(exclude,glob)**/")
		if !ok {
			name, ok = strings.CutPrefix(a.value, ":(glob,exclude)**/")
		}
		if ok && a.isLiteral() && isNameGlob(name) && !strings.Contains(name, "**") {
			f.steps = append(f.steps, nameStep{glob: name})
		}
		if !a.isLiteral() || !excludesPaths(a.value) {
			kept = append(kept, a)
		}
	}
	w.paths = kept
	return f
}

// gitChangedFiles returns the files in the working tree that a subcommand changes, as
// far as its words tell: those of a pathspec, or all.
func gitChangedFiles(name string, args []arg, dir string) []file {
	name, sub, _ := strings.Cut(name, " ")
	flag := func(names string) bool {
		for _, a := range args {
			if a.known && has(names, a.value) {
				return true
			}
		}
		return false
	}
	if len(args) > 0 && name == "stash" && sub == "" {
		sub = args[0].value
	}
	var whole bool // without operands, all files change
	switch name {
	case "hash-object":
		return gitOperandFiles(args, dir, file{guess: true})
	case "apply":
		files := gitOperandFiles(args, dir, file{guess: true})
		return append(files, gitOperandFiles(nil, dir, file{guess: true, write: true, tree: true}, literalArg("."))...)
	case "rm", "mv", "restore":
		return gitNamedFiles(gitOperands(args, gitValuedFlags[name]), dir)
	case "checkout":
		if flag("-b -B --orphan") {
			return nil
		}
		if named := gitCheckedOut(args); len(named) > 0 {
			return gitNamedFiles(named, dir)
		}
		whole = flag("-f --force")
	case "clean":
		whole = true
	case "stash":
		if has("drop clear create store branch list show", sub) {
			return nil
		}
		if has("push save pop apply", sub) {
			args = args[1:]
		}
		whole = true
	case "reset":
		if !flag("--hard --merge --keep") {
			return nil
		}
		args, whole = nil, true
	default:
		return nil
	}
	files := gitOperandFiles(args, dir, file{guess: true, write: true, tree: true})
	if len(files) == 0 && whole {
		files = gitOperandFiles(nil, dir, file{guess: true, write: true, tree: true}, literalArg("."))
	}
	return files
}

// gitOperandFiles returns the words that are not flags as files with the other fields
// of like.
func gitOperandFiles(args []arg, dir string, like file, more ...arg) []file {
	var files []file
	flags := true
	for _, a := range append(args[:len(args):len(args)], more...) {
		switch {
		case !a.known:
		case flags && a.value == "--":
			flags = false
		case flags && strings.HasPrefix(a.value, "-"):
		default:
			a.value = pathspecPath(a.value)
			a.glob = a.glob || strings.ContainsAny(a.value, "*?[")
			f := like
			f.arg = gitInDir(a, dir)
			files = append(files, f)
		}
	}
	return files
}

// gitCheckedOut returns the operands of git checkout that surely are files: those after
// "--", those after a commit, and one that no branch can have for its name.
func gitCheckedOut(args []arg) []arg {
	for i, a := range args {
		if a.is("--") {
			return args[i+1:]
		}
	}
	operands := gitOperands(args, gitValuedFlags["checkout"])
	if len(operands) == 1 {
		name := operands[0].value
		_, protected := pattern.Protected(pattern.Linux, "/"+name)
		if protected || strings.HasPrefix(name, ".") || strings.Contains(name, "/.") {
			return operands
		}
	}
	return operands[min(1, len(operands)):]
}

// gitNamedFiles returns the files that pathspecs name. The matches of a pattern are a guess,
// and so is a whole tree, in which git changes the files that it tracks but not its own
// directory.
func gitNamedFiles(args []arg, dir string) []file {
	var files []file
	for _, a := range args {
		name := pathspecPath(a.value)
		f := file{write: true, tree: true, guess: name != a.value || strings.ContainsAny(name, "*?[") || a.known && mayBeTree(name)}
		if a.known {
			a.value = name
			a.glob = a.glob || f.guess && strings.ContainsAny(name, "*?[")
		}
		f.arg = gitInDir(a, dir)
		files = append(files, f)
	}
	return files
}

// mayBeTree reports whether a path is a directory above others for its name alone.
func mayBeTree(name string) bool {
	name = path.Clean(name)
	return name == "." || path.Base(name) == ".."
}

// gitValuedFlags are, by subcommand, the flags whose value is the next word. It lists the
// subcommands that write the files which their operands name. Source: the page of each, git 2.39.
var gitValuedFlags = map[string]string{
	"clone": "-b --branch -o --origin -u --upload-pack --template --reference --reference-if-able --depth --shallow-since --shallow-exclude" +
		" --separate-git-dir -c --config -j --jobs --filter --bundle-uri --server-option --ref-format --revision",
	"worktree add": "-b -B --reason", "worktree move": "", "worktree remove": "", "init": "-b --initial-branch --template --separate-git-dir --object-format --ref-format",
	"init-db": "--template --separate-git-dir", "bundle create": "--version", "pack-objects": "", "merge-file": "-L --marker-size", "mailinfo": "--encoding --quoted-cr",
	"submodule add": "-b --branch --name --reference --depth", "svn clone": "", "p4 clone": "", "format-patch": "", "unpack-file": "",
	"checkout-index": "--stage",
	"commit":         "-m --message -F --file -C -c --reuse-message --reedit-message --fixup --squash --author --date -t --template --cleanup --trailer", "rm": "", "mv": "", "restore": "-s --source --conflict --pathspec-from-file", "checkout": "-b -B --orphan --conflict --pathspec-from-file",
}

// addGitWrites adds the files and directories that the operands of a subcommand make git
// write, wherever they are. name may include the second word of the subcommand.
func (e *effect) addGitWrites(name string, args []arg, dir string) {
	if len(args) > 0 && args[0].isLiteral() && !strings.Contains(name, " ") {
		if _, ok := gitValuedFlags[name+" "+args[0].value]; ok {
			name, args = name+" "+args[0].value, args[1:]
		}
	}
	valued, ok := gitValuedFlags[name]
	if !ok {
		return
	}
	operands := gitOperands(args, valued)
	switch name {
	case "clone", "submodule add", "svn clone", "p4 clone":
		operands = operands[min(1, len(operands)):]
	case "bundle create", "merge-file":
		operands = operands[:min(1, len(operands))]
	case "worktree add":
		for i, a := range operands {
			if i > 0 && !mayLeaveDir(a.value) {
				operands = operands[:i] // a commit
				break
			}
		}
	case "rm", "mv", "restore", "checkout", "commit", "format-patch":
		return // see gitChangedFiles
	}
	for _, a := range operands {
		if !a.is("-") {
			e.files = append(e.files, file{arg: gitInDir(a, dir), write: true, tree: !strings.HasPrefix(name, "merge-file") && name != "bundle create"})
		}
	}
	if name == "submodule add" {
		e.addWrite(gitInDir(literalArg(".gitmodules"), dir))
	}
}

// gitOperands returns the words that are neither flags nor values of flags.
func gitOperands(args []arg, valued string) []arg {
	var operands []arg
	for i := 0; i < len(args); i++ {
		a := args[i]
		name, _, attached := strings.Cut(a.value, "=")
		switch {
		case a.is("--"):
			return append(operands, args[i+1:]...)
		case !a.isLiteral() || !strings.HasPrefix(a.value, "-") || a.value == "-":
			operands = append(operands, a)
		case !attached && has(valued, longGitFlag(valued, name)):
			i++
		}
	}
	return operands
}
