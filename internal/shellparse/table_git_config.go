package shellparse

import "strings"

// A gitKeyKind says what git does with the value of a key of its configuration.
type gitKeyKind int

// The kinds. The zero kind is that of a key that no table lists.
const (
	// gitKeyUnseen: the value does not tell what git then runs, trusts or reads. It names a
	// directory of hooks, another file of settings, another server, or a tool.
	gitKeyUnseen gitKeyKind = iota
	gitKeyHarmless
	gitKeyCommand // a command, which git runs by a shell
	gitKeyAlias
	gitKeyAddress // a repository; "ext::" runs a command
)

// gitKeys are the keys of each kind, by section; "section.*" holds those with a
// subsection, and "*" stands for all names of a section. A key that is missing is unseen:
// that causes a question.
//
// Source: git-config(1) and "git help --config" of git 2.39; hook, lfs, trailer and tar
// are described elsewhere. A test judges each key that git lists.
var gitKeys = map[gitKeyKind]map[string]string{
	gitKeyCommand: {
		"browser.*": "cmd path", "core": "alternaterefscommand askpass editor fsmonitor gitproxy pager sshcommand",
		"credential": "helper", "credential.*": "helper", "diff": "external", "diff.*": "command textconv",
		"difftool.*": "cmd path", "filter.*": "clean smudge process", "gpg": "program", "gpg.*": "program defaultkeycommand",
		"guitool.*": "cmd", "hook.*": "command", "imap": "tunnel", "instaweb": "browser httpd", "interactive": "difffilter",
		"man.*": "cmd path", "merge.*": "driver", "mergetool.*": "cmd path", "pager": "*", "pager.*": "*",
		"remote.*": "receivepack uploadpack", "sendemail": "cccmd headercmd sendmailcmd smtpserver tocmd",
		"sendemail.*": "cccmd headercmd sendmailcmd smtpserver tocmd", "sequence": "editor", "submodule.*": "update",
		"tar.*": "command", "trailer.*": "cmd command", "uploadpack": "packobjectshook",
	},
	gitKeyAlias:   {"alias": "*", "alias.*": "command"},
	gitKeyAddress: {"branch.*": "remote pushremote", "remote": "pushdefault", "remote.*": "url pushurl", "submodule.*": "url"},
	gitKeyHarmless: {
		"add": "*", "advice": "*", "am": "*", "apply": "*", "author": "*", "blame": "*", "branch": "*", "checkout": "*", "clean": "*", "clone": "*",
		"color": "*", "color.*": "*", "column": "*", "commit": "*", "commitgraph": "*", "committer": "*", "completion": "*", "credentialcache": "*",
		"credentialstore": "*", "fastimport": "*", "feature": "*", "fsck": "*", "gc": "*", "gc.*": "*", "grep": "*", "gui": "*", "i18n": "*", "index": "*",
		"log": "*", "lsrefs": "*", "mailinfo": "*", "mailmap": "*", "maintenance": "*", "maintenance.*": "*", "notes": "*", "notes.*": "*",
		"pack": "*", "pretty": "*", "push": "*", "rebase": "*", "remotes": "*", "repack": "*", "rerere": "*", "revert": "*", "showbranch": "*", "sparse": "*",
		"splitindex": "*", "ssh": "*", "stash": "*", "status": "*", "tag": "*", "transfer": "*", "uploadarchive": "*", "uploadpackfilter": "*",
		"uploadpackfilter.*": "*", "user": "*", "versionsort": "*", "worktree": "*",
		"branch.*": "description merge rebase",
		"core": "abbrev autocrlf bare bigfilethreshold checkroundtripencoding checkstat commentchar commentstring commitgraph compression createobject" +
			" deltabasecachelimit eol excludesfile filemode filesreflocktimeout fsmonitorhookversion fsync fsyncmethod fsyncobjectfiles hidedotfiles" +
			" ignorecase ignorestat logallrefupdates longpaths loosecompression multipackindex notesref packedgitlimit packedgitwindowsize" +
			" packedrefstimeout precomposeunicode prefersymlinkrefs preloadindex quotepath repositoryformatversion" +
			" restrictinheritedhandles safecrlf sharedrepository sparsecheckout sparsecheckoutcone splitindex symlinks trustctime" +
			" untrackedcache usereplacerefs warnambiguousrefs whitespace alternaterefsprefixes",
		"credential": "usehttppath username", "credential.*": "usehttppath username",
		"diff": "algorithm autorefreshindex colormoved colormovedws context dirstat ignoresubmodules indentheuristic interhunkcontext mnemonicprefix" +
			" noprefix orderfile relative renamelimit renames statgraphwidth statnamewidth submodule suppressblankempty trustexitcode wordregex" +
			" wserrorhighlight srcprefix dstprefix",
		"diff.*":   "binary cachetextconv wordregex xfuncname funcname algorithm trustexitcode",
		"difftool": "prompt trustexitcode", "extensions": "objectformat", "fetch": "fsckobjects negotiationalgorithm output parallel prune prunetags" +
			" recursesubmodules showforcedupdates unpacklimit writecommitgraph", "fetch.*": "*", "filter.*": "required",
		"format": "attach cc coverfromdescription coverletter encodeemailheaders filenamemaxlength forceinbodyfrom from headers notes numbered pretty" +
			" signoff signature subjectprefix suffix thread to useautobase",
		"gpg": "format mintrustlevel", "help": "autocorrect format",
		"http": "lowspeedlimit lowspeedtime maxrequests minsessions noepsv postbuffer version useragent", "init": "defaultbranch defaultobjectformat",
		"interactive": "singlekey", "lfs": "fetchexclude fetchinclude",
		"merge": "autostash branchdesc conflictstyle defaulttoupstream directoryrenames ff log renamelimit renames renormalize stat suppressdest" +
			" verbosity verifysignatures", "merge.*": "name recursive",
		"mergetool": "hideresolved keepbackup keeptemporaries prompt writetotemp", "mergetool.*": "hideresolved trustexitcode hasoutput useautomerge layout",
		"difftool.*": "trustexitcode", "protocol": "version", "pull": "ff rebase",
		"receive": "*", "receive.*": "*", "remote.*": "fetch mirror partialclonefilter prune prunetags push skipdefaultupdate skipfetchall tagopt",
		"submodule": "active fetchjobs recurse propagatebranches alternateerrorstrategy alternatelocation", "submodule.*": "active branch fetchrecursesubmodules ignore",
		"tar": "umask", "uploadpack": "allowanysha1inwant allowfilter allowreachablesha1inwant allowrefinwant allowtipsha1inwant hiderefs keepalive",
		"guitool.*": "argprompt confirm needsfile noconsole norescan prompt revprompt revunmerged title",
	},
}

// gitKeyKindOf returns the kind of a key such as "core.pager" or "branch.main.merge".
func gitKeyKindOf(key string) gitKeyKind {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if first < 0 {
		return gitKeyUnseen
	}
	section, name := strings.ToLower(key[:first]), strings.ToLower(key[last+1:])
	if first < last {
		section += ".*"
	}
	for _, kind := range []gitKeyKind{gitKeyCommand, gitKeyAlias, gitKeyAddress, gitKeyHarmless} {
		if names := gitKeys[kind][section]; names == "*" || has(names, name) {
			return kind
		}
	}
	return gitKeyUnseen
}

// isHarmlessGitValue reports whether a value of a key of some kind surely makes git run
// nothing but what it runs anyway.
func isHarmlessGitValue(key string, kind gitKeyKind, value string) bool {
	switch kind {
	case gitKeyHarmless:
		return true
	case gitKeyUnseen:
		return value == "/dev/null" // git accepts it for a file or directory only, and there is nothing in it
	case gitKeyCommand:
		_, name, _ := cutLast(strings.ToLower(key), ".")
		if name == "update" {
			return has("checkout rebase merge none", value)
		}
		if name == "helper" && has("cache store osxkeychain manager manager-core libsecret wincred", value) {
			return true
		}
		return value == "" || has("true false yes no on off 0 1 : cat less", value)
	}
	return value == ""
}
