package shellparse

import "strings"

// gitValuedFlags are, by subcommand, the flags whose value is the next word, for those
// whose operands name what they write. Source: the page of each, git 2.39.
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
