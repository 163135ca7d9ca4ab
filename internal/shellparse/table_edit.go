package shellparse

import (
	"slices"
	"strings"
)

// targetFlags are the flags for the destination that cp, mv, ln and install share.
const targetFlags = " --verbose --no-target-directory --target-directory= -v -T -t="

// editSpecs are the commands that change the files they name. Those with editsOnly set
// are covered by a mode that accepts edits.
var editSpecs = map[string]commandSpec{
	"mkdir": {
		source: "GNU coreutils 9.5 manual, mkdir invocation", operands: writtenFiles, changes: "makes directories", editsOnly: true,
		flags: "-m= -p -v --mode= --parents --verbose" + gnuFlags,
	},
	"touch": {
		source: "GNU coreutils 9.5 manual, touch invocation", operands: writtenFiles, changes: "makes files or changes their times", editsOnly: true,
		flags: "-a -c -d= -f -h -m -r< -t= --no-create --date= --no-dereference --reference< --time=" + gnuFlags,
	},
	"rm": {
		source: "GNU coreutils 9.5 manual, rm invocation", operands: writtenFiles, changes: "removes files", editsOnly: true,
		flags: "-d -f -i -I -r -R -v --dir --force --interactive? --one-file-system --no-preserve-root --preserve-root?" +
			" --recursive --verbose" + gnuFlags,
		post: func(p parsedArgs, e *effect) {
			tree := p.hasFlag("-r", "-R", "--recursive")
			for _, f := range e.files {
				tree = tree || f.mayBeFlag() // a file may be called -r
			}
			for i := range e.files {
				e.files[i].tree, e.files[i].inPlace = tree, true
			}
		},
	},
	"rmdir": {
		source: "GNU coreutils 9.5 manual, rmdir invocation", operands: writtenFiles, changes: "removes directories", editsOnly: true,
		flags: "-p -v --ignore-fail-on-non-empty --parents --verbose" + gnuFlags,
	},
	"mv": {
		source: "GNU coreutils 9.5 manual, mv invocation", operands: otherOperands, hasUnsafeFlags: true, changes: "moves files", editsOnly: true,
		flags: "-f -i -n -u --force --interactive --no-clobber --update? --strip-trailing-slashes --debug" + targetFlags + gnuFlags,
		post:  mvEffect,
	},
	"cp": {
		source: "GNU coreutils 9.5 manual, cp invocation", operands: otherOperands, hasUnsafeFlags: true, changes: "writes files", editsOnly: true,
		flags: "-a -d -f -H -i -l -L -n -p -P -r -R -s -u -x --archive --attributes-only --copy-contents --debug --dereference" +
			" --force --interactive --link --no-clobber --no-dereference --one-file-system --parents --preserve? --no-preserve=" +
			" --recursive --reflink? --remove-destination --sparse= --strip-trailing-slashes --symbolic-link --update?" + targetFlags + gnuFlags,
		post: func(p parsedArgs, e *effect) {
			cpEffect(p, e)
			// A link is not among the files that it names.
			links := p.hasFlag("-a", "-d", "-l", "-P", "-s", "--archive", "--link", "--no-dereference", "--symbolic-link") ||
				len(p.flagValues("--preserve")) > 0
			e.editsOnly = e.editsOnly && !links
		},
	},
	"ln": {
		source: "GNU coreutils 9.5 manual, ln invocation", operands: otherOperands, hasUnsafeFlags: true, changes: "makes links",
		flags: "-f -i -L -n -P -r -s --force --interactive --logical --no-dereference --physical --relative --symbolic" + targetFlags + gnuFlags,
		post:  lnEffect,
	},
	"install": {
		source: "GNU coreutils 9.5 manual, install invocation", operands: otherOperands, hasUnsafeFlags: true, changes: "writes files",
		flags: "-b -c -C -d -D -g= -m= -o= -p --compare --directory --group= --mode= --owner= --preserve-timestamps" + targetFlags + gnuFlags,
		post:  installEffect,
	},
	"truncate": {
		source: "GNU coreutils 9.5 manual, truncate invocation", operands: writtenFiles, changes: "changes the size of files",
		flags: "-c -o -r< -s= --no-create --io-blocks --reference< --size=" + gnuFlags,
	},
	"dd": {source: "GNU coreutils 9.5 manual, dd invocation", custom: ddEffect},
	"chmod": {
		source: "GNU coreutils 9.5 manual, chmod invocation", operands: otherOperands, changes: "changes permissions",
		flags: "-c -f -R -v --changes --no-preserve-root --preserve-root --quiet --silent --verbose --recursive --reference<" + gnuFlags,
		post:  addChangedFiles,
	},
	"chown": chownSpec,
	"chgrp": chownSpec,
	"split": {
		source: "GNU coreutils 9.5 manual, split invocation", operands: otherOperands, hasUnsafeFlags: true, changes: "writes files",
		flags: "-a= -b= -C= -d -e -l= -n= -u -x -t= -# --suffix-length= --additional-suffix= --bytes= --line-bytes= --numeric-suffixes?" +
			" --hex-suffixes? --elide-empty-files --lines= --number= --separator= --unbuffered --verbose" + gnuFlags,
		post: func(p parsedArgs, e *effect) {
			if len(p.operands) > 0 {
				e.addRead(p.operands[0])
			}
			e.addNumbered(append(p.operands, literalArg("x"), literalArg("x"))[1])
		},
	},
	"csplit": {
		source: "GNU coreutils 9.5 manual, csplit invocation", operands: otherOperands, hasUnsafeFlags: true, changes: "writes files",
		flags: "-b= -f= -k -n= -q -s -z --suffix-format= --prefix= --keep-files --suppress-matched --digits= --quiet --silent" +
			" --elide-empty-files" + gnuFlags,
		post: func(p parsedArgs, e *effect) {
			if len(p.operands) > 0 {
				e.addRead(p.operands[0])
			}
			e.addNumbered(append(p.flagValues("-f", "--prefix"), literalArg("xx"))[0])
		},
	},
	"mktemp": {
		source: "GNU coreutils 9.5 manual, mktemp invocation", operands: otherOperands, changes: "makes a file",
		flags: "-d -u -q -t -p= --directory --dry-run --quiet --tmpdir? --suffix=" + gnuFlags,
		post:  mktempEffect,
	},
	"patch": {source: "GNU patch 2.7 manual", custom: func([]arg) effect {
		e := unknownEffect("patch writes the files that its input names")
		e.noWildcards = true
		return e
	}},
}

// chownSpec is for commands that change the owner of files.
var chownSpec = commandSpec{
	source: "GNU coreutils 9.5 manual, chown and chgrp invocation", operands: otherOperands, changes: "changes who owns files",
	flags: "-c -f -h -H -P -R -v --changes --dereference --from= --no-dereference --no-preserve-root --preserve-root --quiet" +
		" --silent --verbose --recursive --reference<" + gnuFlags,
	post: addChangedFiles,
}

// addChangedFiles adds the files that chmod and chown change: all operands but the
// first, which is the new mode or owner.
func addChangedFiles(p parsedArgs, e *effect) {
	files := p.operands
	if !p.hasFlag("--reference") && len(files) > 0 && !files[0].mayBeSeveral() {
		files = files[1:]
	}
	e.addWrite(files...)
	for i := range e.files {
		e.files[i].tree = e.files[i].write && p.hasFlag("-R", "--recursive")
		e.files[i].inPlace = !p.hasFlag("-H", "-L") // links may lead to other trees
	}
}

// addNumbered adds files whose names begin with prefix.
func (e *effect) addNumbered(prefix arg) {
	if prefix.known && !prefix.glob {
		prefix.value, prefix.glob = escapeGlob(prefix.value)+"*", true
	}
	e.addWrite(prefix)
}

// mktempEffect adds the file that mktemp creates, if its arguments choose the
// directory. Otherwise TMPDIR does.
func mktempEffect(p parsedArgs, e *effect) {
	template := literalArg("tmp.XXXXXXXXXX")
	if len(p.operands) > 0 {
		template = p.operands[0]
	}
	dirs := p.flagValues("-p", "--tmpdir")
	dirs = slices.DeleteFunc(dirs, func(a arg) bool { return a.is("") })
	if len(dirs) == 0 && (len(p.operands) == 0 || p.hasFlag("-t", "--tmpdir")) {
		return
	}
	template = template.withSuffix(append(p.flagValues("--suffix"), literalArg(""))[0].value)
	if len(dirs) > 0 && !strings.HasPrefix(template.value, "/") {
		template = template.inDir(dirs[len(dirs)-1])
	}
	if template.isLiteral() {
		template.value, template.glob = strings.ReplaceAll(escapeGlob(template.value), "X", "?"), true
	}
	e.addWrite(template)
}

// systemSpecs are the commands that describe the machine and its users.
var systemSpecs = map[string]commandSpec{
	"date": {
		source: "GNU coreutils 9.5 manual, date invocation", operands: otherOperands, hasUnsafeFlags: true, // -s sets the clock
		flags: "-d= -I? -r< -R -u --date= --debug --iso-8601? --reference< --resolution --rfc-email --rfc-822 --rfc-2822" +
			" --rfc-3339= --universal --utc" + gnuFlags,
		post: func(p parsedArgs, e *effect) {
			for _, a := range p.operands {
				if !a.isLiteral() || !strings.HasPrefix(a.value, "+") {
					e.worsen(Unknown, "date sets the clock if it gets anything but a format")
				}
			}
		},
	},
	"cal":      {source: "cal(1) of util-linux 2.40 and bsdmainutils", operands: plainTexts, flags: "-1 -3 -h -j -m -s -w -y --help --version"},
	"ncal":     {source: "ncal(1) of bsdmainutils", operands: plainTexts, flags: "-1 -3 -b -h -j -M -S -w -y"},
	"uname":    {source: "GNU coreutils 9.5 manual, uname invocation", flags: "-a -i -m -n -o -p -r -s -v --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor --hardware-platform --operating-system" + gnuFlags},
	"arch":     {source: "GNU coreutils 9.5 manual, arch invocation", flags: gnuFlags},
	"nproc":    {source: "GNU coreutils 9.5 manual, nproc invocation", flags: "--all --ignore=" + gnuFlags},
	"hostname": {source: "hostname(1) of Debian hostname 3.23; the flags that ask a name server are left out", flags: "-s -I --short --all-ip-addresses --help --version -V", hasUnsafeFlags: true},
	"whoami":   {source: "GNU coreutils 9.5 manual, whoami invocation", flags: gnuFlags},
	"id":       {source: "GNU coreutils 9.5 manual, id invocation", operands: plainTexts, flags: "-a -g -G -n -r -u -z -Z --context --group --groups --name --real --user --zero" + gnuFlags},
	"groups":   {source: "GNU coreutils 9.5 manual, groups invocation", operands: plainTexts, flags: gnuFlags},
	"users":    {source: "GNU coreutils 9.5 manual, users invocation", flags: gnuFlags},
	"logname":  {source: "GNU coreutils 9.5 manual, logname invocation", flags: gnuFlags},
	"who":      {source: "GNU coreutils 9.5 manual, who invocation", flags: "-a -b -d -H -l -m -p -q -r -s -t -T -u -w --all --boot --count --dead --heading --login --process --runlevel --short --time --users --mesg --message --writable" + gnuFlags},
	"w":        {source: "w(1) of procps-ng 4.0", operands: plainTexts, flags: "-f -h -i -o -s -u --from --no-header --ip-addr --old-style --short --no-current" + gnuFlags},
	// -D writes a file, and so does -F of ss, whose -K ends connections.
	"lsof": {source: "lsof(8) 4.99: without -i it shows the files of all programs", operands: plainTexts, flags: "-a -i? -l -n -P -s? -t -V -w", hasUnsafeFlags: true, post: func(p parsedArgs, e *effect) {
		if !p.hasFlag("-i") {
			e.worsen(Unknown, "lsof without -i shows files elsewhere")
		}
	}},
	"ss":      {source: "ss(8) of iproute2 6", operands: plainTexts, flags: "-4 -6 -a -e -f= -h -H -i -l -m -n -o -O -p -r -s -S -t -T -u -V -w -x -z --all --extended --family= --help --info --listening --memory --no-header --numeric --oneline --options --processes --resolve --summary --tcp --udp --unix --version", hasUnsafeFlags: true},
	"netstat": {source: "netstat(8) of net-tools 2.10; -c goes on for ever", operands: plainTexts, flags: "-4 -6 -a -A= -e -g -i -l -M -n -o -p -r -s -t -u -U -v -V -w -W -x --all --extend --groups --interfaces --listening --numeric --program --route --statistics --tcp --timers --udp --verbose --version --wide", hasUnsafeFlags: true},
	"watch":   {source: "watch(1) of procps-ng 4.0", custom: watchEffect},
	"tty":     {source: "GNU coreutils 9.5 manual, tty invocation", flags: "-s --silent --quiet" + gnuFlags},
	"uptime":  {source: "uptime(1) of procps-ng 4.0", flags: "-p -s -h -V --pretty --since" + gnuFlags},
	"free": {
		source: "free(1) of procps-ng 4.0",
		flags:  "-b -k -m -g -h -w -c= -l -L -s= -t -v --bytes --kibi --mebi --gibi --tebi --kilo --mega --giga --tera --human --wide --count= --lohi --seconds= --total --committed --si" + gnuFlags,
	},
	"vmstat": {
		source: "vmstat(8) of procps-ng 4.0", operands: plainTexts,
		flags: "-a -f -m -n -s -d -D -S= -t -w -y --active --forks --slabs --one-header --stats --disk --disk-sum --unit= --timestamp --wide --no-first" + gnuFlags,
	},
	"lscpu":  {source: "lscpu(1) of util-linux 2.40", flags: "-a -b -B -c -e? -J -p? -x -y --all --online --offline --bytes --caches? --extended? --json --parse? --hex --physical --output-all" + gnuFlags},
	"lsblk":  {source: "lsblk(8) of util-linux 2.40", flags: "-a -b -d -D -e= -f -I= -i -J -l -m -M -n -o= -O -p -P -r -s -S -t -T? -w= -x= --all --bytes --nodeps --discard --exclude= --fs --include= --ascii --json --list --perms --noheadings --output= --output-all --paths --pairs --raw --inverse --scsi --topology --tree? --sort=" + gnuFlags},
	"locale": {source: "GNU C library 2.40 manual, locale", operands: plainTexts, flags: "-a -c -k -m -v --all-locales --charmaps --category-name --keyword-name --verbose" + gnuFlags},
	"getconf": {
		source: "POSIX getconf, GNU C library 2.40", operands: otherOperands, flagsEndAtOperand: true, flags: "-a -v=",
		post: func(p parsedArgs, e *effect) {
			if len(p.operands) > 1 || len(p.operands) > 0 && (p.hasFlag("-a") || p.operands[0].mayBeSeveral()) {
				e.addRead(p.operands[len(p.operands)-1])
			}
		},
	},
	"ps":    {source: "ps(1) of procps-ng 4.0", custom: psEffect},
	"pgrep": {source: "pgrep(1) of procps-ng 4.0", operands: plainTexts, flags: "-a -c -d= -f -g= -G= -i -l -n -o -O= -P= -s= -t= -u= -U= -v -w -x -r= --list-full --count --delimiter= --full --ignore-case --list-name --newest --oldest --parent= --euid= --uid= --inverse --exact --terminal= --session= --runstates=" + gnuFlags},
	"pidof": {source: "pidof(1) of procps-ng 4.0", operands: plainTexts, flags: "-s -c -q -w -x -o= -S= -t" + gnuFlags},
	"top": {
		source: "top(1) of procps-ng 4.0", hasUnsafeFlags: true, // it waits for keys, one of which kills processes
		flags: "-b -n= -d= -p= -u= -U= -o= -c -H -i -S -w? -1 -E= -e= -h -v",
		post: func(p parsedArgs, e *effect) {
			if !p.hasFlag("-b") {
				e.worsen(Unknown, "top without -b takes commands")
			}
		},
	},
	"sleep":  {source: "GNU coreutils 9.5 manual, sleep invocation", operands: plainTexts, flags: gnuFlags},
	"man":    manSpec,
	"whatis": {source: "whatis(1) of man-db 2.12", operands: plainTexts, flags: "-l -r -w -s= --long --regex --wildcard --sections= --help --version", hasUnsafeFlags: true},
	"env": {source: "GNU coreutils 9.5 manual, env invocation", custom: func([]arg) effect {
		return unknownEffect("env shows all of the environment, or runs a command in another one")
	}},
	"printenv": {source: "GNU coreutils 9.5 manual, printenv invocation", custom: printenvEffect},
}

// watchEffect returns the effect of watch, which gives its words to sh.
func watchEffect(args []arg) effect {
	p := commandSpec{operands: plainTexts, flagsEndAtOperand: true, hasUnsafeFlags: true, flags: "-b -c -C -d? -e -g -n= -p -q= -r -t -v -w -x --beep --color --no-color --differences? --errexit --chgexit --interval= --precise --equexit= --no-rerun --no-title --no-wrap --exec --version"}.parseArgs(args)
	if p.reason != "" || slices.ContainsFunc(p.operands, func(a arg) bool { return !a.isLiteral() || strings.Trim(a.value, plainBytes) != "" }) {
		return unknownEffect("sh may read the words of watch in another way")
	}
	return effect{startsOnFound: [][]arg{p.operands}}
}

// plainBytes have no meaning to a shell.
const plainBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:@%+,"

// manSpec is for man. It formats only pages that it finds by name: a name with a slash
// would be a file. -H, -P and others run programs.
var manSpec = commandSpec{
	source: "man(1) of man-db 2.12", operands: plainTexts, hasUnsafeFlags: true,
	flags: "-a -f -k -w -s= -S= --all --whatis --apropos --where --path --location --sections= --help --version",
	post: func(p parsedArgs, e *effect) {
		for _, a := range p.operands {
			if !a.isLiteral() || strings.Contains(a.value, "/") {
				e.worsen(Unknown, "man formats files too, and "+a.source+" may be one")
			}
		}
	},
}

func printenvEffect(args []arg) effect { return new(Env).printenvEffect(args) }

func (e *Env) printenvEffect(args []arg) effect {
	for len(args) > 0 && args[0].is("-0", "--null", "--help", "--version") {
		args = args[1:]
	}
	if len(args) == 0 {
		return unknownEffect("printenv shows all of the environment")
	}
	for _, a := range args {
		if !a.isLiteral() || !e.isPublic(a.value) {
			return unknownEffect("the value of the variable " + a.source + " may be a secret")
		}
	}
	return effect{}
}

// networkSpecs are the commands that use the network. Their flags are not listed: with
// any flags they may send something.
var networkSpecs = map[string]commandSpec{
	"aria2c":     remoteSpec("aria2 1.37 manual"),
	"curl":       {source: "curl 8 manual", custom: curlEffect},
	"dig":        remoteSpec("dig(1) of BIND 9"),
	"ftp":        remoteSpec("ftp(1) of tnftp"),
	"host":       remoteSpec("host(1) of BIND 9"),
	"http":       remoteSpec("HTTPie 3 manual"),
	"https":      remoteSpec("HTTPie 3 manual"),
	"lftp":       remoteSpec("lftp 4 manual"),
	"mosh":       remoteSpec("mosh 1.4 manual"),
	"nc":         remoteSpec("nc(1) of OpenBSD"),
	"ncat":       remoteSpec("Nmap 7 manual, ncat"),
	"netcat":     remoteSpec("nc(1) of OpenBSD"),
	"nmap":       remoteSpec("Nmap 7 manual"),
	"nslookup":   remoteSpec("nslookup(1) of BIND 9"),
	"ping":       {source: "ping(8) of iputils", custom: pingEffect},
	"ping6":      remoteSpec("ping(8) of iputils"),
	"rsync":      {source: "rsync 3.3 manual", custom: rsyncEffect},
	"scp":        {source: "OpenSSH 9 manual", custom: scpEffect},
	"sftp":       {source: "OpenSSH 9 manual", custom: sftpEffect},
	"socat":      remoteSpec("socat(1) 1.8"),
	"ssh":        {source: "OpenSSH 9 manual", custom: sshEffect},
	"telnet":     remoteSpec("telnet(1) of inetutils"),
	"traceroute": remoteSpec("traceroute(8)"),
	"wget":       {source: "GNU wget 1.24 manual", custom: wgetEffect},
	"whois":      remoteSpec("whois(1) of Debian"),
	"docker":     {source: "see command_remote.go", custom: dockerEffect},
	"podman":     {source: "see command_remote.go", custom: dockerEffect},
	"gh":         {source: "see ghEffect", custom: ghEffect},
	"git":        {source: "see command_git.go", custom: gitEffect},
}

// remoteSpec returns the spec of a program that talks to other machines.
func remoteSpec(source string) commandSpec {
	return commandSpec{source: source, custom: remoteEffect}
}

// pingEffect returns the effect of ping, which ends if it counts, and sends nothing to another
// machine if it asks this one.
func pingEffect(args []arg) effect {
	p := commandSpec{operands: plainTexts, flags: "-4 -6 -c= -D -n -q -v -W= -w="}.parseArgs(args)
	if p.reason != "" || !p.hasFlag("-c") || len(p.operands) != 1 || !p.operands[0].is("localhost", "127.0.0.1", "::1") {
		return remoteEffect(args)
	}
	return effect{}
}

// ghEffect returns the effect of gh, which does everything on a server.
func ghEffect([]arg) effect { return unknownEffect("gh talks to a server") }

// languageSpecs are the commands that run a program in a language of their own.
var languageSpecs = map[string]commandSpec{
	"sed":  sedSpec,
	"gsed": sedSpec,
	"awk":  awkSpec,
	"gawk": awkSpec,
	"mawk": awkSpec,
	"nawk": awkSpec,
	"jq":   {source: "jq 1.8 manual, invoking jq", custom: jqEffect},
}
