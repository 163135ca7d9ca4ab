package shellparse

import "strings"

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
