package shellparse

import "strings"

// system are the commands that tell about the machine and its users.
var system = map[string]entry{
	"date": {
		source: "GNU coreutils 9.5 manual, date invocation", operands: others, acts: true, // -s sets the clock
		flags: "-d= -I? -r< -R -u --date= --debug --iso-8601? --reference< --resolution --rfc-email --rfc-822 --rfc-2822" +
			" --rfc-3339= --universal --utc" + gnu,
		and: func(g given, u *use) {
			for _, a := range g.operands {
				if !a.exact() || !strings.HasPrefix(a.value, "+") {
					u.worsen(Unknown, "date sets the clock if it gets anything but a format")
				}
			}
		},
	},
	"cal":      {source: "cal(1) of util-linux 2.40 and bsdmainutils", operands: texts, flags: "-1 -3 -h -j -m -s -w -y --help --version"},
	"ncal":     {source: "ncal(1) of bsdmainutils", operands: texts, flags: "-1 -3 -b -h -j -M -S -w -y"},
	"uname":    {source: "GNU coreutils 9.5 manual, uname invocation", flags: "-a -i -m -n -o -p -r -s -v --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor --hardware-platform --operating-system" + gnu},
	"arch":     {source: "GNU coreutils 9.5 manual, arch invocation", flags: gnu},
	"nproc":    {source: "GNU coreutils 9.5 manual, nproc invocation", flags: "--all --ignore=" + gnu},
	"hostname": {source: "hostname(1) of Debian hostname 3.23; the flags that ask a name server are left out", flags: "-s -I --short --all-ip-addresses --help --version -V", acts: true},
	"whoami":   {source: "GNU coreutils 9.5 manual, whoami invocation", flags: gnu},
	"id":       {source: "GNU coreutils 9.5 manual, id invocation", operands: texts, flags: "-a -g -G -n -r -u -z -Z --context --group --groups --name --real --user --zero" + gnu},
	"groups":   {source: "GNU coreutils 9.5 manual, groups invocation", operands: texts, flags: gnu},
	"users":    {source: "GNU coreutils 9.5 manual, users invocation", flags: gnu},
	"logname":  {source: "GNU coreutils 9.5 manual, logname invocation", flags: gnu},
	"who":      {source: "GNU coreutils 9.5 manual, who invocation", flags: "-a -b -d -H -l -m -p -q -r -s -t -T -u -w --all --boot --count --dead --heading --login --process --runlevel --short --time --users --mesg --message --writable" + gnu},
	"w":        {source: "w(1) of procps-ng 4.0", operands: texts, flags: "-f -h -i -o -s -u --from --no-header --ip-addr --old-style --short --no-current" + gnu},
	"tty":      {source: "GNU coreutils 9.5 manual, tty invocation", flags: "-s --silent --quiet" + gnu},
	"uptime":   {source: "uptime(1) of procps-ng 4.0", flags: "-p -s -h -V --pretty --since" + gnu},
	"free": {
		source: "free(1) of procps-ng 4.0",
		flags:  "-b -k -m -g -h -w -c= -l -L -s= -t -v --bytes --kibi --mebi --gibi --tebi --kilo --mega --giga --tera --human --wide --count= --lohi --seconds= --total --committed --si" + gnu,
	},
	"vmstat": {
		source: "vmstat(8) of procps-ng 4.0", operands: texts,
		flags: "-a -f -m -n -s -d -D -S= -t -w -y --active --forks --slabs --one-header --stats --disk --disk-sum --unit= --timestamp --wide --no-first" + gnu,
	},
	"lscpu":  {source: "lscpu(1) of util-linux 2.40", flags: "-a -b -B -c -e? -J -p? -x -y --all --online --offline --bytes --caches? --extended? --json --parse? --hex --physical --output-all" + gnu},
	"lsblk":  {source: "lsblk(8) of util-linux 2.40", flags: "-a -b -d -D -e= -f -I= -i -J -l -m -M -n -o= -O -p -P -r -s -S -t -T? -w= -x= --all --bytes --nodeps --discard --exclude= --fs --include= --ascii --json --list --perms --noheadings --output= --output-all --paths --pairs --raw --inverse --scsi --topology --tree? --sort=" + gnu},
	"locale": {source: "GNU C library 2.40 manual, locale", operands: texts, flags: "-a -c -k -m -v --all-locales --charmaps --category-name --keyword-name --verbose" + gnu},
	"getconf": {
		source: "POSIX getconf, GNU C library 2.40", operands: others, still: true, flags: "-a -v=",
		and: func(g given, u *use) {
			if len(g.operands) > 1 || len(g.operands) > 0 && (g.has("-a") || g.operands[0].loose()) {
				u.read(g.operands[len(g.operands)-1])
			}
		},
	},
	"ps":    {source: "ps(1) of procps-ng 4.0", all: psUse},
	"pgrep": {source: "pgrep(1) of procps-ng 4.0", operands: texts, flags: "-a -c -d= -f -g= -G= -i -l -n -o -O= -P= -s= -t= -u= -U= -v -w -x -r= --list-full --count --delimiter= --full --ignore-case --list-name --newest --oldest --parent= --euid= --uid= --inverse --exact --terminal= --session= --runstates=" + gnu},
	"pidof": {source: "pidof(1) of procps-ng 4.0", operands: texts, flags: "-s -c -q -w -x -o= -S= -t" + gnu},
	"top": {
		source: "top(1) of procps-ng 4.0", acts: true, // it waits for keys, one of which kills
		flags: "-b -n= -d= -p= -u= -U= -o= -c -H -i -S -w? -1 -E= -e= -h -v",
		and: func(g given, u *use) {
			if !g.has("-b") {
				u.worsen(Unknown, "top without -b takes commands")
			}
		},
	},
	"sleep":  {source: "GNU coreutils 9.5 manual, sleep invocation", operands: texts, flags: gnu},
	"man":    manual,
	"whatis": {source: "whatis(1) of man-db 2.12", operands: texts, flags: "-l -r -w -s= --long --regex --wildcard --sections= --help --version", acts: true},
	"env": {source: "GNU coreutils 9.5 manual, env invocation", all: func([]arg) use {
		return unknown("env shows all of the environment, or runs a command in another one")
	}},
	"printenv": {source: "GNU coreutils 9.5 manual, printenv invocation", all: printenvUse},
}

// manual is man, which formats only pages it finds by their names: a name with a
// slash would be a file, -H, -P and others run programs.
var manual = entry{
	source: "man(1) of man-db 2.12", operands: texts, acts: true,
	flags: "-a -f -k -w -s= -S= --all --whatis --apropos --where --path --location --sections= --help --version",
	and: func(g given, u *use) {
		for _, a := range g.operands {
			if !a.exact() || strings.Contains(a.value, "/") {
				u.worsen(Unknown, "man formats files too, and "+a.source+" may be one")
			}
		}
	},
}

// shown are variables whose values are no secrets, beside those in harmless.
const shown = "HOME LOGNAME OLDPWD PATH PWD SHELL SHLVL TMPDIR USER XDG_CONFIG_HOME XDG_RUNTIME_DIR GOPATH GOROOT" +
	" JAVA_HOME EDITOR PAGER VISUAL DISPLAY HOSTNAME"

func printenvUse(args []arg) use {
	for len(args) > 0 && args[0].is("-0", "--null", "--help", "--version") {
		args = args[1:]
	}
	if len(args) == 0 {
		return unknown("printenv shows all of the environment")
	}
	for _, a := range args {
		if !a.exact() || !has(shown, a.value) && !harmless[a.value] {
			return unknown("the value of the variable " + a.source + " may be a secret")
		}
	}
	return use{}
}
