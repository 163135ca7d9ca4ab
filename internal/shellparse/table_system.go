package shellparse

import (
	"slices"
	"strings"
)

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
