package gitrepo

import (
	"slices"
	"strings"
)

// A setting is an entry with the file that contains it.
type setting struct {
	entry
	file string
}

// Problems of settings, as the end of a sentence about the setting.
const (
	startsProgram = "names a program that git would start"
	notKnown      = "is not known to be harmless"
	usesNetwork   = "makes git fetch what is missing"
)

// harmlessCore lists the settings of core that start no program in reading commands. Some
// of them name programs that only network or editing commands start.
const harmlessCore = `abbrev askpass attributesfile autocrlf bare bigfilethreshold checkroundtripencoding checkstat
	commentchar commentstring compression createobject deltabasecachelimit disambiguate editor eol excludesfile
	filemode filesreflocktimeout fscache fsmonitorhookversion fsync fsyncmethod fsyncobjectfiles gitproxy hidedotfiles
	ignorecase ignorestat logallrefupdates longpaths loosecompression multipackindex notesref packedgitlimit
	packedgitwindowsize packedrefstimeout precomposeunicode prefersymlinkrefs preloadindex protecthfs protectntfs
	quotepath repositoryformatversion restrictinheritedhandles safecrlf sharedrepository sparsecheckout
	sparsecheckoutcone splitindex sshcommand symlinks trustctime untrackedcache unsetenvvars usereplacerefs
	warnambiguousrefs whitespace worktree hookspath`

// problem returns the problem of a setting, whatever repository it is in, or "".
func (s setting) problem() string {
	section, sub, name, three := s.parts()
	switch section {
	case "include", "includeif":
		return "reads another file"
	case "hook":
		return startsProgram
	case "core":
		return s.coreProblem(name)
	case "pager":
		return s.pagerProblem()
	case "diff", "filter", "merge":
		return s.driverProblem(section, name, three)
	case "gpg":
		return s.signatureProblem(name)
	case "log", "status", "format", "pretty", "tag", "branch":
		return s.outputProblem(section, name)
	case "remote", "extensions":
		return s.storageProblem(section, name)
	case "lfs":
		// The filter of git-lfs itself is usually in the user's configuration.
		if strings.HasPrefix(sub, "extension") || strings.HasPrefix(sub, "customtransfer") || name == "standalonetransferagent" {
			return startsProgram
		}
	}
	return ""
}

func (s setting) coreProblem(name string) string {
	switch name {
	case "fsmonitor":
		// "true" means git's own daemon; git before 2.36 starts a program of that name.
		return unless(s.valueless || slices.Contains([]string{"", "true", "false"}, s.value), startsProgram)
	case "pager":
		return s.pagerProblem()
	}
	return unless(slices.Contains(strings.Fields(harmlessCore), name), notKnown)
}

// pagerProblem checks a pager. Git starts a pager only if it writes to a terminal.
func (s setting) pagerProblem() string {
	return unless(s.valueless || slices.Contains([]string{"", "true", "false", "cat", "less"}, s.value), startsProgram)
}

// driverProblem checks the sections of drivers, whose settings have a subsection:
// diff.image.textconv is one of a driver, diff.external is not.
func (s setting) driverProblem(section, name string, three bool) string {
	if !three {
		switch section + "." + name {
		case "diff.external":
			return startsProgram
		case "diff.submodule":
			return unless(s.value == "log" || s.value == "short", "makes git run in the submodules")
		}
		return ""
	}
	switch section {
	case "diff":
		known := []string{"xfuncname", "funcname", "wordregex", "binary", "algorithm", "cachetextconv", "trustexitcode"}
		return unless(slices.Contains(known, name), startsProgram)
	case "filter":
		return unless(name == "required", startsProgram)
	}
	// The command "true" is the usual driver to keep a file unchanged in a merge.
	return unless(name != "driver" || s.value == "true", startsProgram)
}

func (s setting) signatureProblem(name string) string {
	switch name {
	case "format", "mintrustlevel", "allowedsignersfile", "revocationfile":
		return ""
	case "program":
		return unless(slices.Contains([]string{"gpg", "gpg2", "gpgsm", "ssh-keygen"}, s.value), startsProgram)
	}
	return startsProgram
}

// outputProblem checks settings that can make git check signatures, which runs gpg, or
// merge.
func (s setting) outputProblem(section, name string) string {
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

// storageProblem checks settings about the origin of objects and refs.
func (s setting) storageProblem(section, name string) string {
	switch section + "." + name {
	case "remote.promisor":
		return unless(s.value == "false", usesNetwork)
	case "remote.partialclonefilter", "extensions.partialclone":
		return usesNetwork
	case "extensions.refstorage":
		return unless(s.value == "files" || s.value == "reftable", notKnown)
	}
	return ""
}

// unless returns problem unless the condition is true.
func unless(condition bool, problem string) string {
	if condition {
		return ""
	}
	return problem
}
