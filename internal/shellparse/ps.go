package shellparse

import "strings"

// psFlags are the flags of ps in the form of Unix.
var psFlags = entry{
	source: "ps(1) of procps-ng 4.0, simple process selection, by list, output format control",
	acts:   true, // the letter e, without a dash, shows the environment of processes
	flags: "-A -a -d -e -f -F -j -l -L -M -N -T -H -w -y -c -Z -p= -u= -U= -g= -G= -C= -o= -O= -t= -s= -q=" +
		" --pid= --ppid= --user= --User= --group= --Group= --tty= --sort= --format= --forest --headers --no-headers" +
		" --no-heading --cols= --columns= --width= --lines= --rows= --context --deselect" + gnu,
}

// psLetters are the letters of ps in the form of BSD that need no value, but for
// the one that shows the environment.
const psLetters = "afhjlmruvwxLSTcnN"

// psUse reads the arguments of ps, which understands flags in the form of Unix
// and letters in that of BSD.
func psUse(args []arg) use {
	if len(args) > 0 && args[0].exact() && !strings.HasPrefix(args[0].value, "-") {
		return psBSD(args)
	}
	// ps takes "-aux" for "aux" if there is no user called x.
	if len(args) > 0 && args[0].is("-aux", "-auxw", "-auxww") {
		return psBSD(args)
	}
	g := psFlags.read(args)
	if len(g.operands) > 0 {
		g.refuse("ps may show the environment of processes")
	}
	for _, a := range args {
		if len(a.value) > 1 && a.value[0] == '-' && a.value[1] != '-' && strings.Contains(a.value, "e") && !psSure(g) {
			// ps starts again in the other form if it does not know a name.
			g.refuse("ps may show the environment of processes")
		}
	}
	if g.why != "" {
		return unknown(g.why)
	}
	return use{}
}

// psSure reports whether all that select a process do so by numbers.
func psSure(g given) bool {
	for _, v := range g.values("-p", "-q", "-u", "-U", "-g", "-G", "-t", "-s",
		"--pid", "--ppid", "--user", "--User", "--group", "--Group", "--tty") {
		if strings.Trim(v.value, "0123456789,") != "" {
			return false
		}
	}
	return true
}

// psBSD reads letters, perhaps with a list of columns, and long flags after them.
func psBSD(args []arg) use {
	letters, columns := strings.CutSuffix(strings.TrimPrefix(args[0].value, "-"), "o")
	args = args[1:]
	if columns && len(args) > 0 && args[0].exact() {
		args = args[1:]
	}
	if strings.Trim(letters, psLetters) != "" {
		return unknown("ps may show the environment of processes")
	}
	for _, a := range args {
		if !a.exact() || !strings.HasPrefix(a.value, "--") {
			return unknown("ps may show the environment of processes")
		}
	}
	if g := psFlags.read(args); g.why != "" {
		return unknown(g.why)
	}
	return use{}
}
