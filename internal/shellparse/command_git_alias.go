package shellparse

import (
	"slices"
	"strings"
)

// A gitAliasUse is a subcommand of git that may be an alias.
type gitAliasUse struct {
	name string
	args []arg
	dir  string // as given by -C
}

// gitCommands are the subcommands that no alias can replace, since git has them built in
// or always installed. Others, such as svn, are packages of their own. Source: "git
// --list-cmds=builtins" of git 2.39, and the scripts of its core package.
var gitCommands = wordSet("add am annotate apply archive bisect blame branch bugreport bundle cat-file check-attr check-ignore check-mailmap" +
	" check-ref-format checkout checkout-index cherry cherry-pick clean clone column commit commit-graph commit-tree config count-objects" +
	" credential credential-cache credential-store describe diagnose diff diff-files diff-index diff-tree difftool fast-export fast-import" +
	" fetch fetch-pack filter-branch fmt-merge-msg for-each-ref for-each-repo format-patch fsck fsck-objects gc get-tar-commit-id grep" +
	" hash-object help hook index-pack init init-db interpret-trailers log ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge" +
	" merge-base merge-file merge-index merge-ours merge-recursive merge-subtree merge-tree mergetool mktag mktree multi-pack-index mv" +
	" name-rev notes pack-objects pack-refs patch-id prune prune-packed pull push range-diff read-tree rebase receive-pack reflog remote" +
	" remote-ext remote-fd repack replace rerere reset restore rev-list rev-parse revert rm send-pack shortlog show show-branch show-index" +
	" show-ref sparse-checkout stage stash status stripspace submodule switch symbolic-ref tag unpack-file unpack-objects update-index" +
	" update-ref update-server-info upload-archive upload-pack var verify-commit verify-pack verify-tag version worktree write-tree")

// isGitCommand reports whether git surely has a subcommand of its own with this name.
func isGitCommand(name string) bool { return gitCommands[name] }

// aliasEffect returns the commands that a subcommand of git may stand for: by an alias
// that the line makes, or by one that git finds in a directory.
func (b *lineBuilder) aliasEffect(use *gitAliasUse, dirs []string) effect {
	var e effect
	values := slices.Clone(b.gitAliases[strings.ToLower(use.name)])
	for _, dir := range dirs {
		if b.env.GitAliases == nil {
			break
		}
		found, err := b.env.GitAliases(joinDir(dir, use.dir), b.env.Home, use.name)
		if err != nil {
			e.refuseUnseen("git " + use.name + " may be an alias: " + err.Error())
		}
		values = append(values, found...)
	}
	for _, value := range values {
		e.addGitAlias(value, use.args)
	}
	return e
}

// addAliasDefinition records an alias for all commands of the line that follow.
func (b *lineBuilder) addAliasDefinition(s gitSetting) {
	if b.gitAliases == nil {
		b.gitAliases = map[string][]string{}
	}
	_, name, _ := strings.Cut(strings.ToLower(s.key.value), ".")
	name = strings.TrimSuffix(name, ".command")
	b.gitAliases[name] = append(b.gitAliases[name], s.value.value)
}

// addStarted adds the commands that an effect starts, and the aliases that it makes.
func (w *walker) addStarted(c *Command, e effect, depth int) {
	for _, s := range e.aliases {
		w.addAliasDefinition(s)
	}
	if e.lineUnknown != "" {
		w.markUnknown(e.lineUnknown)
	}
	for _, run := range e.runs {
		w.inspectNested(c, run, depth+1)
	}
	switch {
	case e.alias == nil:
	case depth > maxScriptDepth:
		w.state.giveUp(tooDeep)
	default:
		found := w.aliasEffect(e.alias, w.place.dirs)
		c.NoWildcards = c.NoWildcards || found.noWildcards
		w.addStarted(c, found, depth+1)
	}
}
