package shellparse

import (
	"strings"
)

// sshEffect is ssh, of which an option may name a program to run here, or another host.
func sshEffect(args []arg) effect {
	e := remoteEffect(args)
	e.addSSHOptions(args, "")
	return e
}

// sftpEffect is sftp, which may run another program in the place of ssh.
func sftpEffect(args []arg) effect {
	e := remoteEffect(args)
	e.addSSHOptions(args, "SD")
	return e
}

// scpEffect is scp, which may do so as well.
func scpEffect(args []arg) effect {
	e := remoteCopyEffect(args)
	e.addSSHOptions(args, "SD")
	return e
}

// rsyncEffect is rsync, of which -e is the command in the place of ssh.
func rsyncEffect(args []arg) effect {
	e := remoteCopyEffect(args)
	for i, a := range args {
		value, ok := strings.CutPrefix(a.value, "--rsh=")
		if !ok && len(a.value) > 1 && a.value[0] == '-' && a.value[1] != '-' {
			_, value, ok = strings.Cut(a.value, "e")
		}
		if ok || a.value == "--rsh" {
			e.addRemoteShell(value, args[i+1:])
		}
	}
	return e
}

// addRemoteShell adds a command that is run in the place of ssh: a value, or the word after.
func (e *effect) addRemoteShell(value string, after []arg) {
	if value == "" && len(after) > 0 {
		value = after[0].value
	}
	name, _, _ := strings.Cut(value, " ")
	e.noWildcards = e.noWildcards || programName(name) != "ssh" || strings.Contains(value, "ommand")
	e.addScript(value)
}

// addSSHOptions adds what the options of ssh and its like may run here. Those of some
// letters name a program.
func (e *effect) addSSHOptions(args []arg, programs string) {
	for i, a := range args {
		if len(a.value) < 2 || a.value[0] != '-' {
			continue
		}
		var after string
		if i+1 < len(args) {
			after = args[i+1].value
		}
		n := strings.IndexAny(a.value[1:], "oFI"+programs) + 1
		value := a.value[n+1:]
		if value == "" {
			value = after
		}
		switch {
		case n == 0:
		case a.value[n] == 'o':
			e.addSSHSetting(value)
		default:
			e.noWildcards = true // a program, or a file that may name one
			if strings.IndexByte(programs, a.value[n]) >= 0 {
				e.addScript(value)
			}
		}
	}
}

// addSSHSetting adds what a setting of ssh makes it run, or reach.
func (e *effect) addSSHSetting(text string) {
	n := strings.IndexAny(text, "= \t")
	if n < 0 {
		return
	}
	value := strings.Trim(text[n:], "= \t\"")
	switch name := strings.ToLower(text[:n]); {
	case strings.HasSuffix(name, "command"), strings.HasSuffix(name, "provider"), name == "xauthlocation":
		e.noWildcards = true
		e.addScript(value)
	case name == "hostname", name == "proxyjump":
		e.hosts = append(e.hosts, strings.TrimPrefix(value[strings.LastIndexByte(value, '@')+1:], "ssh://"))
	}
}
