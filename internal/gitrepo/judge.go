package gitrepo

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// judge says why a setting stands in the way, if it does.
//
// Of the sections that decide what reading does, only settings that are known to
// be harmless pass. All others pass: reading does not look at them. The tests
// show with git itself that what is refused is run, where the git at hand knows
// it, and that what names a program and passes is not. Source: git-config(1) of
// git 2.39; hook.* is of later versions, lfs.* of git-lfs.
func (r repository) judge(s setting) error {
	why := s.why()
	switch s.key {
	case "core.worktree":
		why = r.worktree(s)
	case "core.hookspath":
		why = r.hooks(s)
	case "blame.ignorerevsfile", "commit.template", "core.attributesfile", "core.excludesfile", "diff.orderfile",
		"format.signaturefile", "fsck.skiplist", "mailmap.file":
		why = r.file(s)
	}
	if why == "" {
		return nil
	}
	return fmt.Errorf("%s in %s %s", s.key, s.file, why)
}

// Reasons.
const (
	whyProgram = "names a program that git would start"
	whyUnknown = "is not known to be harmless"
	whyNetwork = "makes git fetch what is missing"
)

// harmlessCore are the settings of core that start nothing while git only reads:
// programs of the network and of editing are among them.
const harmlessCore = `abbrev askpass attributesfile autocrlf bare bigfilethreshold checkroundtripencoding checkstat
	commentchar commentstring compression createobject deltabasecachelimit disambiguate editor eol excludesfile
	filemode filesreflocktimeout fscache fsmonitorhookversion fsync fsyncmethod fsyncobjectfiles gitproxy hidedotfiles
	ignorecase ignorestat logallrefupdates longpaths loosecompression multipackindex notesref packedgitlimit
	packedgitwindowsize packedrefstimeout precomposeunicode prefersymlinkrefs preloadindex protecthfs protectntfs
	quotepath repositoryformatversion restrictinheritedhandles safecrlf sharedrepository sparsecheckout
	sparsecheckoutcone splitindex sshcommand symlinks trustctime untrackedcache unsetenvvars usereplacerefs
	warnambiguousrefs whitespace worktree hookspath`

// why is what is wrong with a setting, whatever repository it is in.
func (s setting) why() string {
	section, sub, name, three := s.parts()
	switch section {
	case "include", "includeif":
		return "reads another file"
	case "hook":
		return whyProgram
	case "core":
		return s.core(name)
	case "pager":
		return s.pager()
	case "diff", "filter", "merge":
		return s.driver(section, name, three)
	case "gpg":
		return s.signature(name)
	case "log", "status", "format", "pretty", "tag", "branch":
		return s.output(section, name)
	case "remote", "extensions":
		return s.storage(section, name)
	case "lfs":
		// The filter of git-lfs is usually the user's own.
		if strings.HasPrefix(sub, "extension") || strings.HasPrefix(sub, "customtransfer") || name == "standalonetransferagent" {
			return whyProgram
		}
	}
	return ""
}

func (s setting) core(name string) string {
	switch name {
	case "fsmonitor":
		// True is git's own daemon; git before 2.36 starts a program of that name.
		return unless(s.bare || slices.Contains([]string{"", "true", "false"}, s.value), whyProgram)
	case "pager":
		return s.pager()
	}
	return unless(slices.Contains(strings.Fields(harmlessCore), name), whyUnknown)
}

// pager judges a pager. Git starts none unless it writes to a terminal.
func (s setting) pager() string {
	return unless(s.bare || slices.Contains([]string{"", "true", "false", "cat", "less"}, s.value), whyProgram)
}

// driver judges the sections whose settings are about a driver: diff.external is
// not, diff.image.textconv is.
func (s setting) driver(section, name string, three bool) string {
	if !three {
		switch section + "." + name {
		case "diff.external":
			return whyProgram
		case "diff.submodule":
			return unless(s.value == "log" || s.value == "short", "makes git run in the submodules")
		}
		return ""
	}
	switch section {
	case "diff":
		known := []string{"xfuncname", "funcname", "wordregex", "binary", "algorithm", "cachetextconv", "trustexitcode"}
		return unless(slices.Contains(known, name), whyProgram)
	case "filter":
		return unless(name == "required", whyProgram)
	}
	// "true" is the usual way to keep a file as it is in a merge.
	return unless(name != "driver" || s.value == "true", whyProgram)
}

func (s setting) signature(name string) string {
	switch name {
	case "format", "mintrustlevel", "allowedsignersfile", "revocationfile":
		return ""
	case "program":
		return unless(slices.Contains([]string{"gpg", "gpg2", "gpgsm", "ssh-keygen"}, s.value), whyProgram)
	}
	return whyProgram
}

// output judges settings that can make git check signatures, which runs gpg, or
// merge.
func (s setting) output(section, name string) string {
	switch section + "." + name {
	case "log.showsignature":
		return unless(s.value == "false", "makes git run gpg")
	case "log.diffmerges":
		return unless(s.value != "remerge" && s.value != "r", "makes git run merge drivers")
	case "status.submodulesummary":
		return unless(s.value == "false" || s.value == "0", "makes git run in the submodules")
	case "tag.sort", "branch.sort":
		return unless(!strings.Contains(s.value, "signature"), "makes git run gpg")
	}
	if section == "pretty" || section == "format" && name == "pretty" {
		return unless(!strings.Contains(s.value, "G"), "may make git run gpg")
	}
	return ""
}

// storage judges where objects and refs come from.
func (s setting) storage(section, name string) string {
	switch section + "." + name {
	case "remote.promisor":
		return unless(s.value == "false", whyNetwork)
	case "remote.partialclonefilter", "extensions.partialclone":
		return whyNetwork
	case "extensions.refstorage":
		return unless(s.value == "files" || s.value == "reftable", whyUnknown)
	}
	return ""
}

// worktree accepts what submodules have: the directory where the repository was
// found.
func (r repository) worktree(s setting) string {
	return unless(r.tree != "" && sameFile(join(r.folder, s.value), r.tree), "makes git look at files elsewhere")
}

// hooks judges a folder of hooks by what is in it.
func (r repository) hooks(s setting) string {
	if s.value == "" || strings.ContainsAny(s.value[:1], "~%:") {
		return "names a place that only git knows"
	}
	for _, base := range []string{r.tree, r.folder} {
		if base == "" {
			continue
		}
		if err := refuseHooks(join(base, filepath.FromSlash(s.value))); err != nil {
			return "leads to hooks: " + err.Error()
		}
	}
	return ""
}

// unless is why unless the condition holds.
func unless(condition bool, why string) string {
	if condition {
		return ""
	}
	return why
}
